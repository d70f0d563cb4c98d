"""unfit: findings of values of the right shape that their place refuses: a word, a range, a unit, a form.

It decides nothing: that a value doesn't fit was found by the walk. Findings of a wrong type stand in repair.py.
"""

from __future__ import annotations

import json
import re
from typing import Final

from agentspec.spec.schema import MARK, Form
from agentspec.spec.schema import Node as Wanted
from agentspec.spec.structure import words
from agentspec.spec.structure.findings import error, replace, reword
from agentspec.spec.structure.fits import takes
from agentspec.spec.structure.foreign_words import WORDS
from agentspec.spec.structure.quantity import bad_quantity, measure_of
from agentspec.spec.values import OTHER_TYPES, TYPES
from agentspec.syntax.tree import Path, Scalar
from agentspec.text.alphabet import look_alikes
from agentspec.text.diagnostic import Diagnostic, FixClass
from agentspec.text.suggest import is_close, nearest

YES: Final = frozenset(("yes", "on", "y", "true"))
NO: Final = frozenset(("no", "off", "n", "false"))
ONE_LINE: Final = frozenset(("plain", "single", "double", "word", "string", "number", "quantity"))
PLAIN_WORD: Final = r"[A-Za-z_]\w*(?:[.-]\w+)*"
SHELL: Final = r"""["'`\\$|&;<>*?(){}\[\]]"""
BEHIND_EQUALS: Final = "write `:`: what stands behind `=` is an expression, to the end of the line"
_GENERIC: Final = r"\s*(?P<outer>[A-Za-z]+)\s*[\[<](?P<inner>[^<>]+)[\]>]\s*"
_OPTIONAL: Final = r"\s*(?P<inner>[A-Za-z]+(?:\[\])*)\s*\|\s*(?:null|None)\s*"
_CONTAINERS: Final = {
    **dict.fromkeys(("list", "array", "set", "sequence", "iterable", "tuple", "vec"), "[]"),
    **dict.fromkeys(("optional", "maybe", "option"), "?"),
}
_TYPE: Final = r"\s*([A-Za-z_]*)\s*((?:\[\]|\?)*)\s*"


def refused(node: Scalar, wanted: Wanted, allowed: Form, branch: Wanted, path: Path) -> Diagnostic:
    """A value of the right shape that its place doesn't take."""
    if not isinstance(node.value, str):
        return _refused_number(node, wanted, branch, path)
    measure = measure_of(allowed)
    if measure is not None and node.value[:1].isdigit():
        return bad_quantity(node, node.value, measure, path)
    known = words_of(allowed)
    if known and allowed.boolean is not None and node.value.lower() in YES | NO:
        return yes_or_no(node, node.value, allowed.boolean, wanted, path)
    if known:
        return unknown_word(node, node.value, known, wanted, path)
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


def yes_or_no(node: Scalar, value: str, boolean: Wanted, wanted: Wanted, path: Path) -> Diagnostic:
    """A word that other readers of YAML take for a boolean."""
    word = "true" if value.lower() in YES else "false"
    fits = node.style in ONE_LINE and takes(word == "true", boolean)
    message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
    help_text = f"`{value}` is text; the words are `true` and `false`"
    if value == word:
        help_text = f"write `{word}` without quotes"
    fix = replace(node.span, word, f"write `{word}`") if fits else None
    return error("AS210", message, node.span, path, help=help_text, fix=fix)


def unknown_word(node: Scalar, text: str, known: list[str], wanted: Wanted, path: Path) -> Diagnostic:
    """A word that is none of those its key takes."""
    key = next((step for step in reversed(path) if isinstance(step, str)), "")
    foreign = WORDS.get(key, {}).get("true" if text in YES else "false" if text in NO else text)
    likely = foreign if foreign in known else next(iter(nearest(text, known)), None)
    message = f"`{words.clipped(text)}` is not a value of `{key}`"
    if likely is None:
        return error("AS204", message, node.span, path, help=f"write {words.wanted(wanted)}")
    fix_class: FixClass = "local" if foreign or is_close(text, likely) else "surface"
    fix = reword(node, likely, f"write `{likely}`", fix_class) if node.style in ONE_LINE else None
    return error(
        "AS204", message, node.span, path, help=f"did you mean `{likely}`?{look_alikes(text, likely)}", fix=fix
    )


def _malformed(node: Scalar, text: str, wanted: Wanted, branch: Wanted, path: Path) -> Diagnostic:
    kind = branch.get(MARK, {}).get("kind")
    if kind == "type":
        return _unknown_type(node, text, path)
    if kind == "word" and len(text.split()) > 1:
        return _command_line(node, text, path)
    if text in branch.get("not", {}).get("enum", ()):
        message = f"a rule can't end a run as `{text}`: that word is the runtime's own"
        return error("AS211", message, node.span, path, help="use a word of your own, such as `incomplete`")
    code = "AS107" if kind in {"name", "reference", "variable"} else "AS207"
    message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
    help_text = words.name_rule(branch) if node.style != "expression" else BEHIND_EQUALS
    return error(code, message, node.span, path, help=help_text)


def _command_line(node: Scalar, text: str, path: Path) -> Diagnostic:
    """A command as one would type it: nobody splits it but a shell, and there is none."""
    listed = ", ".join(word if re.fullmatch(PLAIN_WORD, word) else json.dumps(word) for word in text.split())
    is_sure = node.style in ONE_LINE and not re.search(SHELL, text)
    fix = replace(node.span, f"[{listed}]", f"write `[{listed}]`", "local") if is_sure else None
    way_out = f"write `[{listed}]`" if is_sure else "write one element a word, as in `[git, log]`"
    message = f"a command of several words is a list of them, found {words.found(node)}"
    return error("AS207", message, node.span, path, help=way_out, fix=fix)


def _unknown_type(node: Scalar, text: str, path: Path) -> Diagnostic:
    match = re.fullmatch(_TYPE, _of_other_languages(text))
    word, marks = (match[1], match[2]) if match else (text, "")
    likely = OTHER_TYPES.get(word.lower()) or next(iter(nearest(word, TYPES)), None)
    message = f"unknown type `{words.clipped(text)}`"
    if likely is None or not match:
        help_text = f"types are {words.quoted(TYPES, 'and')}, each with `[]` for a list or `?` for optional"
        return error("AS212", message, node.span, path, help=help_text)
    whole = likely + marks
    fix = reword(node, whole, f"write `{whole}`") if node.style in ONE_LINE else None
    return error("AS212", message, node.span, path, help=f"did you mean `{whole}`?", fix=fix)


def _of_other_languages(text: str) -> str:
    """`list[int]`, `Array<string>` and `str | None` with their marks behind; any other text as it is."""
    if (optional := re.fullmatch(_OPTIONAL, text)) is not None:
        return f"{optional['inner']}?"
    found = re.fullmatch(_GENERIC, text)
    if found is None:
        return text
    mark = _CONTAINERS.get(found["outer"].lower())
    return "object" if mark is None else f"{found['inner'].strip()}{mark}"
