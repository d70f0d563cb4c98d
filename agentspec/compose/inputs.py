"""inputs: the values that a spec or a preset is given, against the types that it declares.

Declarations are read with the types of the expressions layer; nothing is interpolated here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from collections.abc import Mapping as Given
from typing import NamedTuple

from agentspec.compose.bind import slots
from agentspec.compose.findings import clip, finding
from agentspec.compose.origin import Origin
from agentspec.compose.overrides import read_value
from agentspec.expressions.types import Type, read_type, spell
from agentspec.syntax.tree import Broken, Mapping, Node, Path, Scalar, plain
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source, Span
from agentspec.text.suggest import nearest

_ANY_INPUT = r"\binputs\b(?!\s*\.)"  # `inputs["n"]`, `inputs` as a whole
INPUT_HELP = "for example `--input folder=inbox`"
PYTHON_TYPES: dict[type, str] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    dict: "an object",
    list: "a list",
    type(None): "null",
}


class Declared(NamedTuple):
    """One input as a document declares it. `default` is None where it has none."""

    name: str
    type: Type
    members: tuple[object, ...]  # of an enum: the only values
    default: Node | None
    span: Span

    @property
    def is_required(self) -> bool:
        return self.default is None and not self.type.optional


def declared_inputs(root: Node | None) -> dict[str, Declared]:
    """The inputs that a document declares, by name."""
    section = root.get("inputs") if isinstance(root, Mapping) else None
    if not isinstance(section, Mapping):
        return {}
    return {
        entry.name: declare(entry.name, entry.value, entry.key.span)
        for entry in section.entries
        if entry.operation != "unset"
    }


def declare(name: str, node: Node, span: Span) -> Declared:
    """The declaration of one name, as inputs and the parameters of tools write it."""
    form = plain(node)
    members = form.get("enum") if isinstance(form, dict) else None
    known = tuple(members) if isinstance(members, list) else ()
    default = node.get("default") if isinstance(node, Mapping) else None
    return Declared(name, read_type(form), known, default, span)


def accept(value: object, declared: Declared) -> tuple[object, str | None]:
    """The value as its type has it (an integer becomes a number where one is declared), or what is wrong with it."""
    if declared.members:
        is_member = any(type(value) is type(known) and value == known for known in declared.members)
        allowed = ", ".join(f"`{json.dumps(known)}`" for known in declared.members)
        return value, None if is_member else f"it must be one of {allowed}"
    return _fitted(value, declared.type, "")


def _fitted(value: object, form: Type, where: str) -> tuple[object, str | None]:
    if value is None and form.optional:
        return None, None
    match form.kind, value:
        case "any", _:
            return value, None
        case "number", int() | float() if not isinstance(value, bool):
            return float(value), None
        case "integer", float() if value.is_integer():
            return int(value), None
        case "integer", int() if not isinstance(value, bool):
            return value, None
        case "boolean", bool():
            return value, None
        case (("string" | "time"), str()) if not form.members or value in form.members:
            return value, None
        case "list", list():
            return _fitted_items(value, form, where)
        case (("object" | "record"), dict()):
            return _fitted_fields(value, form, where)
        case _:
            found = PYTHON_TYPES.get(type(value), type(value).__name__)
            place = f"`{where.removeprefix('.')}` " if where else "it "
            return value, f"{place}must be {_a(spell(form._replace(optional=False)))}, not {found}"


def _a(word: str) -> str:
    return f"{'an' if word[:1] in 'aeio' else 'a'} `{word}`"


def _fitted_items(value: list[object], form: Type, where: str) -> tuple[object, str | None]:
    items: list[object] = []
    for index, item in enumerate(value):
        fitted, problem = _fitted(item, form.item or Type("any"), f"{where}[{index}]")
        if problem:
            return value, problem
        items.append(fitted)
    return items, None


def _fitted_fields(value: dict[str, object], form: Type, where: str) -> tuple[object, str | None]:
    fields = dict(form.fields)
    fitted: dict[str, object] = {}
    for name, inner in value.items():
        known = fields.get(name, form.item or Type("any"))
        if form.kind == "record" and name not in fields:
            return value, f"it has no field `{name}`{did_you_mean(name, fields)}"
        fitted[name], problem = _fitted(inner, known, f"{where}.{name}")
        if problem:
            return value, problem
    missing = [name for name, inner in fields.items() if name not in value and not inner.optional]
    return fitted, f"it lacks the field `{missing[0]}`" if missing else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean …?`, or nothing where no known word is near."""
    close = nearest(word, known)
    return f"; did you mean `{close[0]}`?" if close else ""


class GivenInputs(NamedTuple):
    """The inputs of one run that are right, where each came from, and what was wrong with the others."""

    values: dict[str, object]
    origins: dict[str, Origin]
    findings: list[Diagnostic]


def read_inputs(tree: Mapping, given: Given[str, object] | Iterable[str]) -> GivenInputs:
    """What a run is given, as `NAME=VALUE` texts of a command line or as Python values, against the declarations.

    Texts are read as YAML 1.2 scalars or flow style, but what a string input is given stays as written.
    """
    declared = declared_inputs(tree)
    found = GivenInputs({}, {}, [])
    pairs = given.items() if isinstance(given, Given) else ((text, None) for text in given)
    for text, value in pairs:
        if isinstance(given, Given):
            _take(Source(f"input {text}", clip(repr(value))), text, value, declared, found)
        else:
            _take_text(Source(f"--input {text}", text), declared, found)
    return found


def _take_text(source: Source, declared: dict[str, Declared], found: GivenInputs) -> None:
    name, equals, _ = source.text.partition("=")
    if not (name and equals):
        whole = Span(source, 0, len(source.text))
        found.findings.append(
            finding("AS421", whole, "`--input` needs `NAME=VALUE`", path=("inputs",), help=INPUT_HELP)
        )
        return
    start = len(name) + 1
    node = read_value(source, start)
    if isinstance(node, Diagnostic):
        found.findings.append(node)
        return
    value = plain(node)
    is_text = name in declared and declared[name].type.kind in ("string", "time")
    if is_text and isinstance(node, Scalar) and not isinstance(value, str):
        value = source.text[start:]
    _take(source, name, value, declared, found)


def _take(source: Source, name: str, value: object, declared: dict[str, Declared], found: GivenInputs) -> None:
    start = len(name) + 1 if source.text.startswith(f"{name}=") else 0
    key = Span(source, 0, len(name) if start else len(source.text))
    place = Span(source, start, len(source.text))
    if name not in declared:
        help_ = None if declared else "this spec declares no inputs"
        message = f"unknown input `{name}`{did_you_mean(name, declared)}"
        found.findings.append(finding("AS423", key, message, path=("inputs",), help=help_))
        return
    fitted, problem = accept(value, declared[name])
    if problem:
        message = f"the input `{name}` does not fit: {problem}"
        found.findings.append(finding("AS424", place, message, path=("inputs", name)))
        return
    found.values[name] = fitted
    found.origins[name] = Origin("input", place, fitted)


def check_defaults(tree: Mapping) -> list[Diagnostic]:
    """A finding for every default that does not fit its own type."""
    found: list[Diagnostic] = []
    for name, declared in declared_inputs(tree).items():
        if declared.default is None or isinstance(declared.default, Broken):
            continue
        problem = accept(plain(declared.default), declared)[1]
        if problem:
            path: Path = ("inputs", name, "default")
            message = f"the default of `{name}` does not fit: {problem}"
            found.append(finding("AS426", declared.default.span, message, path=path))
    return found


def unused_inputs(root: Mapping) -> list[Diagnostic]:
    """A finding for each input of a preset that its own text asks for nowhere: nobody else can."""
    declared = declared_inputs(root)
    texts = list(slots(root)) if declared else []
    used = {name for each in texts for name in each.names}
    if any(re.search(_ANY_INPUT, str(each.node.value)) for each in texts):
        return []
    return [
        finding(
            "AS427",
            each.span,
            f"nothing in this preset uses its input `{name}`",
            path=("inputs", name),
            help=f"use it as `${{inputs.{name}}}`, or take it away",
        )
        for name, each in declared.items()
        if name not in used
    ]


def values_of(tree: Mapping, given: Given[str, object]) -> dict[str, object]:
    """The value of each input: what was given, else its default. An input with neither is left out."""
    values: dict[str, object] = {}
    for name, declared in declared_inputs(tree).items():
        if name in given:
            values[name] = given[name]
        elif declared.default is not None:
            values[name] = accept(plain(declared.default), declared)[0]
    return values


def missing_inputs(tree: Mapping, given: Given[str, object]) -> list[Diagnostic]:
    """A finding for each required input without a value. Only a run needs them all; `check` and `show` don't ask."""
    return [
        finding(
            "AS425",
            declared.span,
            f"the input `{name}` has no value",
            path=("inputs", name),
            help=f"give it with `--input {name}=VALUE`, or declare a default",
        )
        for name, declared in declared_inputs(tree).items()
        if declared.is_required and name not in given
    ]


def input_origins(tree: Mapping, given: Given[str, Origin], layer: str) -> dict[Path, tuple[Origin, ...]]:
    """The chain of each input's value, at the path `inputs.NAME.value`: its default, then what was given."""
    chains: dict[Path, tuple[Origin, ...]] = {}
    for name, declared in declared_inputs(tree).items():
        default = declared.default
        chain = () if default is None else (Origin(layer, default.span, plain(default)),)
        chains["inputs", name, "value"] = (*chain, given[name]) if name in given else chain
    return {path: chain for path, chain in chains.items() if chain}
