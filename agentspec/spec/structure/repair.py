"""repair: findings of a wrong type: what was written, what is wanted, and the likely repair.

It decides nothing: that a value doesn't fit was found by the walk. Findings of refused values stand in unfit.py.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import Final, NamedTuple

from agentspec.spec.schema import MARK, Form, form, record_name
from agentspec.spec.schema import Node as Wanted
from agentspec.spec.structure import words
from agentspec.spec.structure.findings import error, replace
from agentspec.spec.structure.fits import fitting, takes
from agentspec.spec.structure.key_advice import MAIN_KEYS
from agentspec.spec.structure.quantity import measure_of, without_unit
from agentspec.spec.structure.unfit import NO, ONE_LINE, YES, unknown_word, words_of, yes_or_no
from agentspec.syntax.tree import Mapping, Node, Path, Scalar, Sequence
from agentspec.text.diagnostic import Diagnostic, Fix, FixClass
from agentspec.text.source import Source, Span

_NUMBER: Final = r"[$€£]?\s*([+-]?[0-9][0-9_,]*(?:\.[0-9]+)?)(?:\s*(?:usd|USD|\$))?"
_THOUSANDS: Final = r"([0-9]+(?:\.[0-9]+)?)\s*([kKmM])"
_FACTORS: Final = {"k": 1_000, "m": 1_000_000}
_SHELL: Final = r"[|&;<>$`*?~(){}\n]"
_TIGHT: Final = r"([A-Za-z_][\w-]*):(?=\S)"
_ROUTE: Final = r"[\"']?([a-z_]+):([^\s\"']+)[\"']?"


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
        if allowed.boolean is not None and node.value.lower() in YES | NO:
            return yes_or_no(node, node.value, allowed.boolean, wanted, path)
        tight = _missing_space(node, node.value, allowed, path)
        if tight is not None:
            return tight
        repair = _string_repair(node, node.value, allowed)
    else:
        return _not_a_text(node, wanted, allowed, path)
    message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
    return error(repair.code, message, node.span, path, help=repair.help, fix=repair.fix)


def _missing_space(node: Scalar, value: str, allowed: Form, path: Path) -> Diagnostic | None:
    """`text:Hello` where a mapping with the key `text` is due."""
    found = re.match(_TIGHT, value)
    if found is None or node.style != "plain" or allowed.mapping is None:
        return None
    if found[1] not in allowed.mapping.get("properties", {}):
        return None
    at = node.span.start + found.end()
    place, behind = Span(node.span.source, at - 1, at), Span(node.span.source, at, at)
    before = node.span.source.text[: node.span.start].rpartition("\n")[2]
    is_alone = not before.replace("-", "").strip()  # beside another key it would need braces too
    fix = replace(behind, " ", "add a space") if is_alone else None
    return error("AS015", "a space is missing after `:`", place, path, help="add a space", fix=fix)


def _not_a_text(node: Scalar, wanted: Wanted, allowed: Form, path: Path) -> Diagnostic:
    """A number or a boolean where neither has a place."""
    measure = measure_of(allowed)
    if measure is not None and not isinstance(node.value, bool):
        return without_unit(node, node.span.text, measure, path)
    word = words.plain_word(node.value)
    known = words_of(allowed)
    if known:
        return unknown_word(node, word, known, wanted, path)
    message = f"expected {words.wanted(wanted)}, found {words.found(node)}"
    if not allowed.texts:
        repair = _in_its_mapping(node, allowed) or Repair("AS201")
        return error("AS201", message, node.span, path, help=repair.help, fix=repair.fix)
    if allowed.texts[0].get(MARK, {}).get("kind") == "type":
        return _value_for_type(node, message, path)
    text = _as_text(node, allowed)
    fix = None if text is None else replace(node.span, f'"{text}"', f'write `"{text}"`')
    return error("AS209", message, node.span, path, help="quote it, so that it is read as text", fix=fix)


def _value_for_type(node: Scalar, message: str, path: Path) -> Diagnostic:
    """A default where its type should stand."""
    names = {bool: "boolean", int: "integer", float: "number"}
    whole = f"{{type: {names[type(node.value)]}, default: {node.span.text}}}"
    fix = replace(node.span, whole, f"write `{whole}`")
    return error("AS201", message, node.span, path, help="a default stands beside its type", fix=fix)


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
    if _is_a_value(node, allowed) and (sign := sign_before(node)) is not None:
        return Repair("AS201", "write `:` instead of `=`", replace(sign, ":", "write `:`"))
    one_line = node.style in ONE_LINE
    number = re.fullmatch(_NUMBER, value) if allowed.number is not None else None
    if number is not None:
        plain = number[1].replace("_", "").replace(",", "")
        return Repair("AS201", None, replace(node.span, plain, f"write `{plain}`") if one_line else None)
    if allowed.number is not None and (rounded := re.fullmatch(_THOUSANDS, value)) is not None:
        plain = f"{float(rounded[1]) * _FACTORS[rounded[2].lower()]:.0f}"
        return Repair(
            "AS201", "write a plain number", replace(node.span, plain, f"write `{plain}`") if one_line else None
        )
    if allowed.sequence is not None and one_line:
        return _list_repair(node, value, allowed.sequence)
    return _in_its_mapping(node, allowed) or Repair("AS201")


def _is_a_value(node: Scalar, allowed: Form) -> bool:
    """Whether what stands behind a `=` of the DSL would fit behind a `:`: a number, a word of booleans, a list."""
    text = node.span.text
    fits = (
        (allowed.number, text[:1].isdigit() or text[:1] == "-"),
        (allowed.boolean, text in ("true", "false")),
        (allowed.sequence, text.startswith("[")),
        (allowed.mapping, text.startswith("{")),
    )
    return node.style == "expression" and any(branch is not None and is_so for branch, is_so in fits)


def sign_before(node: Scalar) -> Span | None:
    """The `=` in front of a value of the DSL, with the space before it: `=` is for the expression of a tool."""
    before = node.span.source.text[: node.span.start].rstrip()
    start = len(before[:-1].rstrip())
    return Span(node.span.source, start, len(before)) if before.endswith("=") else None


def _in_its_mapping(node: Scalar, allowed: Form) -> Repair | None:
    """The mapping that a lone value was meant to be: `model: gpt-5` for `model: {model: gpt-5}`."""
    record = None if allowed.mapping is None else record_name(allowed.mapping)
    if allowed.mapping is None or record not in MAIN_KEYS or node.style not in (*ONE_LINE, "expression"):
        return None
    name, written = MAIN_KEYS[record], node.span.text
    inner = form(allowed.mapping["properties"][name])
    branch = fitting(node.value, inner)
    if branch is None or not takes(node.value, branch):
        return None
    route = re.fullmatch(_ROUTE, written) if record == "Model" else None
    whole = f'{{provider: {route[1]}, model: "{route[2]}"}}' if route else f"{{{name}: {written}}}"
    fix = replace(node.span, whole, f"write `{whole}`") if node.style in ONE_LINE else None  # no `=` before a mapping
    return Repair("AS201", f"the key for it is `{name}`: write `{{{name}: …}}`", fix)


def _list_repair(node: Scalar, value: str, wanted: Wanted) -> Repair:
    if wanted.get(MARK, {}).get("kind") != "argv":
        listed = f"[{node.span.text}]"
        return Repair("AS201", None, replace(node.span, listed, f"write `{listed}`"))
    if re.search(_SHELL, value):
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
    """What a mapping or a list in the wrong place was meant to be; only what stands on one line is rewritten."""
    kinds = {branch.get(MARK, {}).get("kind") for branch in allowed.texts}
    written = node.span.text
    fixable = isinstance(node, (Mapping, Sequence)) and node.flow and "\n" not in written

    def rewritten(text: str, title: str, fix_class: FixClass = "local") -> Fix | None:
        return replace(node.span, text, title, fix_class) if fixable else None

    match node:
        case Sequence() if "type" in kinds:
            whole = f"{{enum: {written}}}"
            return Repair(
                "AS201", "values to choose from stand under `enum`", rewritten(whole, f"write `{whole}`", "surface")
            )
        case _ if "expression" in kinds:
            return Repair("AS201", "put the expression in quotes", rewritten(quoted(node.span), "put it in quotes"))
        case Mapping() if allowed.sequence is not None:
            return Repair("AS201", "put it in a list: `[…]`", _in_a_list(node))
        case Sequence() if allowed.mapping is not None and "properties" not in allowed.mapping:
            return Repair("AS201", "write the names as keys: `NAME: …`")
        case Sequence() if (name := _list_key(node, allowed)) is not None:
            whole = f"{{{name}: {written}}}"
            return Repair("AS201", f"the key for it is `{name}`", rewritten(whole, f"write it under `{name}`"))
        case Sequence(items=[Scalar() as item]):
            alone = item.span.text
            return Repair("AS201", "write the value without a list", rewritten(alone, f"write `{alone}`"))
        case _:
            return Repair("AS201")


def _list_key(node: Sequence, allowed: Form) -> str | None:
    """The one key of a record whose list the items could stand in: `rules` for the items of `approval: […]`."""
    keys: set[str] = {entry.name for item in node.items if isinstance(item, Mapping) for entry in item.entries}
    if allowed.mapping is None or not keys:
        return None
    found: list[str] = []
    for name, value in allowed.mapping.get("properties", {}).items():
        listed = form(value).sequence
        record = None if listed is None else form(listed["items"]).mapping
        found += [name] if record is not None and keys <= record.get("properties", {}).keys() else []
    return found[0] if len(found) == 1 else None


def _in_a_list(node: Mapping) -> Fix | None:
    """Brackets around a mapping on one line; a block of the DSL gets the `:` as well that a list needs."""
    span, is_in_dsl = node.span, is_dsl(node.span.source)
    if "\n" in span.text or not (node.flow or is_in_dsl):
        return None
    before = span.source.text[: span.start].rstrip()
    is_block = is_in_dsl and not before.endswith((":", "[", ","))
    start, sign = (len(before), ": ") if is_block else (span.start, "")
    return replace(Span(span.source, start, span.end), f"{sign}[{span.text}]", "put it in a list", "local")


def is_dsl(source: Source) -> bool:
    """Whether a file is of the DSL."""
    return source.name.endswith(".agent")


def quoted(span: Span) -> str:
    """The text of a span in quotes of its file's spelling."""
    if is_dsl(span.source):
        return json.dumps(span.text, ensure_ascii=False)
    return "'" + span.text.replace("'", "''") + "'"
