"""unfit: findings of values: the wrong type, unit, word, range or text, each with the likely repair.

It decides nothing: that a value doesn't fit was found by the walk.
"""

from __future__ import annotations

import re
from typing import Final

from agentspec.spec import words
from agentspec.spec.findings import error, replace
from agentspec.spec.names import WORDS
from agentspec.spec.schema import MARK, Form
from agentspec.spec.schema import Node as Wanted
from agentspec.spec.values import UNIT_WORDS, UNITS, Measure, split_quantity
from agentspec.syntax.tree import Mapping, Node, Path, Scalar, Sequence
from agentspec.text.diagnostic import Diagnostic, Fix
from agentspec.text.suggest import nearest

YES: Final = frozenset(("yes", "on", "y", "true"))
NO: Final = frozenset(("no", "off", "n", "false"))
ONE_LINE: Final = frozenset(("plain", "single", "double", "word", "string", "number"))
_NUMBER: Final = re.compile(r"[$€£]?\s*([+-]?[0-9][0-9_,]*(?:\.[0-9]+)?)(?:\s*(?:usd|USD|\$))?")
BARE_UNIT: Final[dict[str, str]] = {"duration": "s", "size": "B"}


def wrong_type(node: Node, wanted: Wanted, allowed: Form, path: Path) -> Diagnostic:
    """A value whose shape has no place here."""
    if isinstance(node, Scalar):
        return _wrong_scalar(node, wanted, allowed, path)
    message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
    return error(
        "AS201", message, node.span, path, help=_container_help(node, allowed), fix=_container_fix(node, allowed)
    )


def _wrong_scalar(node: Scalar, wanted: Wanted, allowed: Form, path: Path) -> Diagnostic:
    if node.value is None:
        help_text = f"write {words.wanted(wanted)}, or leave the key out"
        return error("AS208", "a value is missing here", node.span, path, help=help_text)
    measure = _measure(allowed)
    if measure is not None and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return _without_unit(node, node.span.text, measure, path)
    if allowed.texts and not isinstance(node.value, str):
        return _text_meant(node, wanted, path)
    message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
    code, fix, advice = _scalar_repair(node, allowed)
    return error(code, message, node.span, path, help=advice, fix=fix)


def _measure(allowed: Form) -> Measure | None:
    for branch in allowed.texts:
        kind = branch.get(MARK, {}).get("kind")
        if kind in UNITS:
            measure: Measure = kind
            return measure
    return None


def _without_unit(node: Scalar, number: str, measure: Measure, path: Path) -> Diagnostic:
    likely = f"{number}{BARE_UNIT[measure]}"
    message = f"a {measure} needs a unit: expected {words.KIND_WORDS[measure]}, found `{words.clipped(number)}`"
    help_text = f"units are {words.quoted(UNITS[measure], 'and')}"
    fix = None
    if split_quantity(number) is not None:
        fix = replace(node.span, likely, f"write `{likely}`", "manual")
    return error("AS202", message, node.span, path, help=help_text, fix=fix)


def _text_meant(node: Scalar, wanted: Wanted, path: Path) -> Diagnostic:
    written = node.span.text
    message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
    fix = replace(node.span, f'"{written}"', f'write `"{written}"`') if node.style in ONE_LINE else None
    return error("AS209", message, node.span, path, help="quote it, so that it is read as text", fix=fix)


def _scalar_repair(node: Scalar, allowed: Form) -> tuple[str, Fix | None, str | None]:
    written, value = node.span.text, node.value
    one_line = node.style in ONE_LINE
    if isinstance(value, str) and allowed.boolean is not None and value.lower() in YES | NO:
        word = "true" if value.lower() in YES else "false"
        help_text = f"`{value}` is text; the words are `true` and `false`"
        return "AS210", replace(node.span, word, f"write `{word}`") if one_line else None, help_text
    number = _NUMBER.fullmatch(value) if isinstance(value, str) and allowed.number is not None else None
    if number is not None:
        plain = number[1].replace("_", "").replace(",", "")
        return "AS201", replace(node.span, plain, f"write `{plain}`") if one_line else None, None
    if allowed.sequence is not None and one_line:
        listed = f"[{written}]"
        return "AS201", replace(node.span, listed, f"write `{listed}`"), None
    return "AS201", None, None


def _container_help(node: Node, allowed: Form) -> str | None:
    kinds = {branch.get(MARK, {}).get("kind") for branch in allowed.texts}
    if "expression" in kinds:
        return "put the expression in quotes"
    if isinstance(node, Sequence) and allowed.mapping is not None:
        named = "properties" not in allowed.mapping
        return "write the names as keys: `NAME: …` instead of `- name: NAME`" if named else None
    if isinstance(node, Mapping) and allowed.sequence is not None:
        return "begin each item with `- `"
    return None


def _container_fix(node: Node, allowed: Form) -> Fix | None:
    if isinstance(node, Mapping) and node.flow and allowed.sequence is not None:
        return replace(node.span, f"[{node.span.text}]", "put it in a list")
    return None


def refused(node: Scalar, wanted: Wanted, allowed: Form, branch: Wanted, path: Path) -> Diagnostic:
    """A value of the right shape that its place doesn't take."""
    if not isinstance(node.value, str):
        return _refused_number(node, branch, path)
    measure = _measure(allowed)
    if measure is not None and node.value[:1].isdigit():
        return _bad_quantity(node, node.value, measure, path)
    if not node.value.strip():
        message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
        return error("AS206", message, node.span, path, help="write something, or leave the key out")
    known = [word for text in allowed.texts for word in _words_of(text)]
    if known:
        return _unknown_word(node, node.value, known, wanted, path)
    return _malformed(node, branch, path)


def _words_of(branch: Wanted) -> list[str]:
    words_here: list[str] = branch.get("enum") or ([branch["const"]] if "const" in branch else [])
    return words_here


def _refused_number(node: Scalar, branch: Wanted, path: Path) -> Diagnostic:
    value = node.value
    if branch.get("type") == "integer" and isinstance(value, float):
        whole = value.is_integer()
        fix = replace(node.span, str(int(value)), f"write `{int(value)}`", "equivalent") if whole else None
        message = f"expected a whole number, found {words.found(node)}"
        return error("AS201", message, node.span, path, fix=fix)
    message = f"expected {words.wanted(branch)}, found {words.found(node)}"
    return error("AS201" if isinstance(value, bool) else "AS205", message, node.span, path)


def _bad_quantity(node: Scalar, text: str, measure: Measure, path: Path) -> Diagnostic:
    quantity = split_quantity(text)
    if quantity is None:
        message = f"expected {words.KIND_WORDS[measure]}, found {words.found(node)}"
        return error("AS207", message, node.span, path, help=f"one number and one unit: {words.quoted(UNITS[measure])}")
    if not quantity.unit:
        return _without_unit(node, text, measure, path)
    if quantity.unit in UNITS[measure] and text == quantity.number + quantity.unit:
        return error("AS205", f"expected a {measure} above zero, found `{text}`", node.span, path)
    unit = UNIT_WORDS[measure].get(quantity.unit) or next(iter(nearest(quantity.unit, UNITS[measure])), None)
    if quantity.unit in UNITS[measure]:
        unit = quantity.unit
    message = f"unknown unit `{quantity.unit}` in the {measure} `{words.clipped(text)}`"
    if unit is None:
        return error("AS203", message, node.span, path, help=f"units are {words.quoted(UNITS[measure], 'and')}")
    likely = quantity.number + unit
    if unit == quantity.unit:
        message = f"a {measure} has no space before its unit: found `{words.clipped(text)}`"
    help_text = f"did you mean `{likely}`?"
    return error("AS203", message, node.span, path, help=help_text, fix=replace(node.span, likely, f"write `{likely}`"))


def _unknown_word(node: Scalar, text: str, known: list[str], wanted: Wanted, path: Path) -> Diagnostic:
    key = next((step for step in reversed(path) if isinstance(step, str)), "")
    foreign = WORDS.get(key, {}).get(text)
    likely = foreign if foreign in known else next(iter(nearest(text, known)), None)
    message = f"`{words.clipped(text)}` is not a value of `{key}`"
    if likely is None:
        return error("AS204", message, node.span, path, help=f"write {words.wanted(wanted)}")
    fix = replace(node.span, likely, f"write `{likely}`") if node.style in ONE_LINE else None
    return error("AS204", message, node.span, path, help=f"did you mean `{likely}`?", fix=fix)


def _malformed(node: Scalar, branch: Wanted, path: Path) -> Diagnostic:
    kind = branch.get(MARK, {}).get("kind")
    if kind == "status" and node.value in branch.get("not", {}).get("enum", ()):
        message = f"a rule can't end a run as `{node.value}`: that word is the runtime's own"
        return error("AS211", message, node.span, path, help="use a word of your own, such as `incomplete`")
    code = "AS107" if kind in {"name", "reference", "variable"} else "AS207"
    message = f"expected {words.wanted(branch)}, found {words.found(node)}"
    return error(code, message, node.span, path, help=words.name_rule(branch))
