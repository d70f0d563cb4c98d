"""given: what an item of `extends` gives to the inputs of what it names, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Mapping as Known

from agentspec.compose.bind import Absent, lone_slot, slots
from agentspec.compose.findings import finding
from agentspec.compose.inputs import PYTHON_TYPES, Declared, accept, declared_inputs, did_you_mean
from agentspec.compose.reference import Target
from agentspec.expressions.types import Type, spell
from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Scalar, plain
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span

_ALIKE = {("integer", "number"), ("time", "string"), ("string", "time")}
_TEXTS = ("string", "time", "any")


def passed_on(
    given: Mapping,
    found: Target,
    own: Known[str, Declared],
    is_inherited: Callable[[str], bool],
    findings: list[Diagnostic],
) -> Mapping:
    """What is given, as it is written, with the inputs of the document that gives it held against what they are for.

    An input that is not declared, or has another type, makes its value unknown.
    """
    wanted = declared_inputs(found.root)
    entries: list[Entry] = []
    for entry in given.entries:
        problem = next(_undeclared(entry.value, own, is_inherited), None)
        if problem is None and entry.name in wanted:
            problem = _of_other_type(entry, wanted[entry.name], own, found)
        if problem is not None:
            findings.append(problem)
            entry = Entry(key=entry.key, value=Broken(span=entry.value.span))  # noqa: PLW2901 - the same entry, unknown
        entries.append(entry)
    return Mapping(entries=entries, span=given.span)


def _undeclared(node: Node, own: Known[str, Declared], is_inherited: Callable[[str], bool]) -> Iterator[Diagnostic]:
    for text in slots(node):
        for name in text.names:
            if name not in own and not is_inherited(name):
                message = f"`${{inputs.{name}}}` is passed on, and there is no such input{did_you_mean(name, own)}"
                help_ = "declare it under `inputs`, or write the value itself"
                yield finding("AS419", text.node.span, message, path=("extends",), help=help_)


def _of_other_type(entry: Entry, wanted: Declared, own: Known[str, Declared], found: Target) -> Diagnostic | None:
    """A value that is one input alone has that input's type; one with more around it is a string."""
    node = entry.value
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or "${" not in node.value:
        return None
    name = lone_slot(node.value)
    if name is None:
        is_fitting, what = wanted.type.kind in _TEXTS, PYTHON_TYPES[str]
    elif name in own:
        is_fitting, what = _is_alike(own[name].type, wanted.type), f"`inputs.{name}`, a `{spell(own[name].type)}`"
    else:
        return None
    if is_fitting:
        return None
    must = spell(wanted.type._replace(optional=False))
    message = f"the input `{entry.name}` of `{found.shown}` does not fit: it must be of type `{must}`, not {what}"
    related = (Related(wanted.span, "declared here"),)
    return finding("AS416", node.span, message, path=("extends",), related=related)


def _is_alike(own: Type, wanted: Type) -> bool:
    return own.kind == wanted.kind or "any" in (own.kind, wanted.kind) or (own.kind, wanted.kind) in _ALIKE


def given_values(found: Target, given: Node | None, place: Span, findings: list[Diagnostic]) -> dict[str, Node]:
    """The values of a document's own inputs: for a preset of all of them, for an agent of those it is given."""
    declared = declared_inputs(found.root)
    values: dict[str, Node] = {}
    for entry in given.entries if isinstance(given, Mapping) else []:
        if entry.name not in declared:
            message = f"`{found.shown}` has no input `{entry.name}`{did_you_mean(entry.name, declared)}"
            findings.append(finding("AS415", entry.key.span, message, path=("extends",)))
            continue
        problem = _misfit(entry.value, declared[entry.name])
        if problem is not None:
            message = f"the input `{entry.name}` of `{found.shown}` does not fit: {problem}"
            related = (Related(declared[entry.name].span, "declared here"),)
            findings.append(finding("AS416", entry.value.span, message, path=("extends",), related=related))
        values[entry.name] = Broken(span=entry.value.span) if problem else entry.value
    if found.kind == "preset":
        _fill(found, declared, values, place, findings)
    return values


def _misfit(node: Node, declared: Declared) -> str | None:
    """What is wrong with a given value. A text with `${…}` has its value in a run: it may stand for any string."""
    value = plain(node)
    if isinstance(node, Broken) or (isinstance(value, str) and "${" in value):
        return None
    return accept(value, declared)[1]


def _fill(
    found: Target, declared: Known[str, Declared], values: dict[str, Node], place: Span, findings: list[Diagnostic]
) -> None:
    for name, each in declared.items():
        if name in values:
            continue
        if each.is_required:
            message = f"`{found.shown}` needs its input `{name}`"
            help_ = f"write `{{use: …, with: {{{name}: …}}}}` in `extends`"
            related = (Related(each.span, "declared here, without a default"),)
            findings.append(finding("AS417", place, message, path=("extends",), help=help_, related=related))
            values[name] = Broken(span=place)
        else:
            values[name] = each.default or Absent(value=None, span=each.span)
