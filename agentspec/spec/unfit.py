"""unfit: findings of values: the wrong type, unit, word, range or text, each with the likely repair.

It decides nothing: that a value doesn't fit was found by the walk.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import Final, NamedTuple

from agentspec.spec import words
from agentspec.spec.findings import error, replace, reword
from agentspec.spec.fits import takes
from agentspec.spec.names import WORDS
from agentspec.spec.quantity import bad_quantity, measure_of, without_unit
from agentspec.spec.schema import MARK, Form
from agentspec.spec.schema import Node as Wanted
from agentspec.spec.values import OTHER_TYPES, TYPES
from agentspec.syntax.tree import Mapping, Node, Path, Scalar, Sequence
from agentspec.text.diagnostic import Diagnostic, Fix, FixClass
from agentspec.text.source import Span
from agentspec.text.suggest import is_close, nearest

YES: Final = frozenset(("yes", "on", "y", "true"))
NO: Final = frozenset(("no", "off", "n", "false"))
ONE_LINE: Final = frozenset(("plain", "single", "double", "word", "string", "number", "quantity"))
_NUMBER: Final = re.compile(r"[$€£]?\s*([+-]?[0-9][0-9_,]*(?:\.[0-9]+)?)(?:\s*(?:usd|USD|\$))?")
_SHELL: Final = re.compile(r"[|&;<>$`*?~(){}\n]")
_TYPE: Final = re.compile(r"\s*([A-Za-z_]*)\s*((?:\[\]|\?)*)\s*")


class Repair(NamedTuple):
    """What to do about a value: the code of the finding, its help and its fix."""

    code: str
    help: str | None = None
    fix: Fix | None = None


def wrong_type(node: Node, wanted: Wanted, allowed: Form, path: Path) -> Diagnostic:
    """A value whose shape has no place here."""
    if not isinstance(node, Scalar):
        repair = _container_repair(node, allowed)
    elif node.value is None:
        help_text = f"write {words.wanted(wanted)}, or leave the key out"
        return error("AS208", "a value is missing here", node.span, path, help=help_text)
    elif isinstance(node.value, str):
        repair = _string_repair(node, node.value, allowed)
    else:
        return _not_a_text(node, wanted, allowed, path)
    message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
    return error(repair.code, message, node.span, path, help=repair.help, fix=repair.fix)


def _not_a_text(node: Scalar, wanted: Wanted, allowed: Form, path: Path) -> Diagnostic:
    """A number or a boolean where neither has a place."""
    measure = measure_of(allowed)
    if measure is not None and not isinstance(node.value, bool):
        return without_unit(node, node.span.text, measure, path)
    word = words.plain_word(node.value)
    known = words_of(allowed)
    if known:
        return _unknown_word(node, word, known, wanted, path)
    message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
    if not allowed.texts:
        return error("AS201", message, node.span, path)
    text = _as_text(node, allowed)
    fix = None if text is None else replace(node.span, f'"{text}"', f'write `"{text}"`')
    return error("AS209", message, node.span, path, help="quote it, so that it is read as text", fix=fix)


def _as_text(node: Scalar, allowed: Form) -> str | None:
    """The text that the number was meant to be, if one fits; a version gets its missing parts."""
    written = node.span.text
    for branch in allowed.texts:
        is_version = branch.get(MARK, {}).get("kind") == "version"
        text = ".".join([*written.split("."), "0", "0"][:3]) if is_version else written
        if takes(text, branch):
            return text
    return None


def _string_repair(node: Scalar, value: str, allowed: Form) -> Repair:
    one_line = node.style in ONE_LINE
    if allowed.boolean is not None and value.lower() in YES | NO:
        return _yes_or_no(node, value, allowed.boolean)
    number = _NUMBER.fullmatch(value) if allowed.number is not None else None
    if number is not None:
        plain = number[1].replace("_", "").replace(",", "")
        return Repair("AS201", None, replace(node.span, plain, f"write `{plain}`") if one_line else None)
    if allowed.sequence is not None and one_line:
        return _list_repair(node, value, allowed.sequence)
    return Repair("AS201")


def _yes_or_no(node: Scalar, value: str, boolean: Wanted) -> Repair:
    word = "true" if value.lower() in YES else "false"
    fits = node.style in ONE_LINE and takes(word == "true", boolean)
    fix = replace(node.span, word, f"write `{word}`") if fits else None
    return Repair("AS210", f"`{value}` is text; the words are `true` and `false`", fix)


def _list_repair(node: Scalar, value: str, wanted: Wanted) -> Repair:
    if wanted.get(MARK, {}).get("kind") != "argv":
        listed = f"[{node.span.text}]"
        return Repair("AS201", None, replace(node.span, listed, f"write `{listed}`"))
    if _SHELL.search(value):
        return Repair("AS201", "no shell reads it: write each argument as an item, without `|`, `>`, `*` and the like")
    try:
        parts = shlex.split(value)
    except ValueError:
        return Repair("AS201", "write each argument as an item")
    listed = f"[{', '.join(json.dumps(part, ensure_ascii=False) for part in parts)}]"
    return Repair(
        "AS201", "no shell reads it: each argument is an item", replace(node.span, listed, f"write `{listed}`")
    )


def _container_repair(node: Node, allowed: Form) -> Repair:
    kinds = {branch.get(MARK, {}).get("kind") for branch in allowed.texts}
    is_flow = isinstance(node, (Mapping, Sequence)) and node.flow and "\n" not in node.span.text
    if "expression" in kinds:
        fix = replace(node.span, quoted(node.span), "put it in quotes") if is_flow else None
        return Repair("AS201", "put the expression in quotes", fix)
    if isinstance(node, Mapping) and allowed.sequence is not None:
        fix = replace(node.span, f"[{node.span.text}]", "put it in a list") if is_flow else None
        return Repair("AS201", "begin each item with `- `", fix)
    if isinstance(node, Sequence) and allowed.mapping is not None and "properties" not in allowed.mapping:
        return Repair("AS201", "write the names as keys: `NAME: …` instead of `- name: NAME`")
    if isinstance(node, Sequence) and len(node.items) == 1 and isinstance(node.items[0], Scalar) and is_flow:
        alone = node.items[0].span.text
        return Repair("AS201", "write the value without a list", replace(node.span, alone, f"write `{alone}`"))
    return Repair("AS201")


def quoted(span: Span) -> str:
    """The text of a span in quotes of its file's spelling."""
    if span.source.name.endswith(".agent"):
        return json.dumps(span.text, ensure_ascii=False)
    return "'" + span.text.replace("'", "''") + "'"


def refused(node: Scalar, wanted: Wanted, allowed: Form, branch: Wanted, path: Path) -> Diagnostic:
    """A value of the right shape that its place doesn't take."""
    if not isinstance(node.value, str):
        return _refused_number(node, wanted, branch, path)
    measure = measure_of(allowed)
    if measure is not None and node.value[:1].isdigit():
        return bad_quantity(node, node.value, measure, path)
    known = words_of(allowed)
    if known and allowed.boolean is not None and node.value.lower() in YES | NO:
        repair = _yes_or_no(node, node.value, allowed.boolean)
        message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
        return error(repair.code, message, node.span, path, help=repair.help, fix=repair.fix)
    if known:
        return _unknown_word(node, node.value, known, wanted, path)
    if not node.value.strip():
        message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
        return error("AS206", message, node.span, path, help="write something, or leave the key out")
    return _malformed(node, node.value, wanted, branch, path)


def words_of(allowed: Form) -> list[str]:
    """The words that may stand at a place."""
    return [
        word for branch in allowed.texts for word in branch.get("enum", [branch["const"]] if "const" in branch else [])
    ]


def _refused_number(node: Scalar, wanted: Wanted, branch: Wanted, path: Path) -> Diagnostic:
    value = node.value
    if isinstance(value, bool):
        message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
        return error("AS201", message, node.span, path, help="leave the key out for what holds without it")
    if branch.get("type") == "integer" and isinstance(value, float):
        whole = value.is_integer()
        fix = replace(node.span, str(int(value)), f"write `{int(value)}`", "equivalent") if whole else None
        return error("AS201", f"expected a whole number, found {words.found(node)}", node.span, path, fix=fix)
    return error("AS205", f"expected {words.wanted(wanted)}, found {words.found(node)}", node.span, path)


def _unknown_word(node: Scalar, text: str, known: list[str], wanted: Wanted, path: Path) -> Diagnostic:
    key = next((step for step in reversed(path) if isinstance(step, str)), "")
    foreign = WORDS.get(key, {}).get("true" if text in YES else "false" if text in NO else text)
    likely = foreign if foreign in known else next(iter(nearest(text, known)), None)
    message = f"`{words.clipped(text)}` is not a value of `{key}`"
    if likely is None:
        return error("AS204", message, node.span, path, help=f"write {words.wanted(wanted)}")
    fix_class: FixClass = "local" if foreign or is_close(text, likely) else "surface"
    fix = reword(node, likely, f"write `{likely}`", fix_class) if node.style in ONE_LINE else None
    return error("AS204", message, node.span, path, help=f"did you mean `{likely}`?", fix=fix)


def _malformed(node: Scalar, text: str, wanted: Wanted, branch: Wanted, path: Path) -> Diagnostic:
    kind = branch.get(MARK, {}).get("kind")
    if kind == "type":
        return _unknown_type(node, text, path)
    if text in branch.get("not", {}).get("enum", ()):
        message = f"a rule can't end a run as `{text}`: that word is the runtime's own"
        return error("AS211", message, node.span, path, help="use a word of your own, such as `incomplete`")
    code = "AS107" if kind in {"name", "reference", "variable"} else "AS207"
    message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
    return error(code, message, node.span, path, help=words.name_rule(branch))


def _unknown_type(node: Scalar, text: str, path: Path) -> Diagnostic:
    match = _TYPE.fullmatch(text)
    word, marks = (match[1], match[2]) if match else (text, "")
    likely = OTHER_TYPES.get(word.lower()) or next(iter(nearest(word, TYPES)), None)
    message = f"unknown type `{words.clipped(text)}`"
    if likely is None or not match:
        help_text = f"types are {words.quoted(TYPES, 'and')}, each with `[]` for a list or `?` for optional"
        return error("AS212", message, node.span, path, help=help_text)
    whole = likely + marks
    fix = reword(node, whole, f"write `{whole}`") if node.style in ONE_LINE else None
    return error("AS212", message, node.span, path, help=f"did you mean `{whole}`?", fix=fix)
