"""hover: what is known of the word at an offset: what it means, what holds there, and who said so. In Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from agentspec.api.assembly.catalogue import BuiltTool, built_tools, parameters
from agentspec.checker.questions.offered import Offered
from agentspec.checker.report import file_name
from agentspec.compose.documents import name_of
from agentspec.compose.inputs import declared_inputs
from agentspec.compose.origin import Word, closed_by, history
from agentspec.compose.reference import Target, find_target
from agentspec.compose.rights.called import find_called
from agentspec.expressions.nodes import Call, Name, Node, Select, chain, walk
from agentspec.expressions.parse import parse
from agentspec.expressions.types import read_parameters, spell
from agentspec.lsp.expression import expression_at
from agentspec.lsp.keys import key_lines
from agentspec.lsp.places import file_of
from agentspec.lsp.references import use_at
from agentspec.lsp.sheet import Part, sheet_of
from agentspec.lsp.spot import Spot, spot_at
from agentspec.lsp.uses.in_scenario import tried
from agentspec.lsp.vocabulary import Vocabulary
from agentspec.spec.structure.shape import Mark
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Broken, Entry, Mapping, Scalar, dotted, find, plain
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.secrets import hide
from agentspec.text.source import Span

LONGEST = 200  # of a value that is shown


class Hover(NamedTuple):
    """What is told, and the word that it is told of."""

    text: str
    span: Span


def hover(part: Part, offset: int) -> Hover | None:
    """What is known of what stands at an offset."""
    mark = part.mark_at(offset)
    found = _in_expression(part, mark, offset) or _reference(part, mark) if mark is not None else None
    return found or _used(part, offset) or _key(part, spot_at(part.composed.document.root, part.sheet.source, offset))


def _in_expression(part: Part, mark: Mark, offset: int) -> Hover | None:
    expression = expression_at(mark, offset)
    root = parse(expression.text).root if expression is not None else None
    if expression is None or root is None or not isinstance(mark.node, Scalar):
        return None
    vocabulary = Vocabulary(expression.place, part.scopes.at(mark.path))
    for start, end, words in _words(root):
        known = vocabulary.describe(words) if start <= expression.at <= end else None
        if known is not None:
            span = span_in(mark.node, expression.start + start, expression.start + end)
            shown = known.form if known.is_function else f"{known.name}: {known.form}"
            return Hover(f"`{shown}`\n\n{known.about}".rstrip(), span)
    return None


def _words(root: Node) -> Iterator[tuple[int, int, list[str]]]:
    """The words of an expression: where each stands, with those that it follows."""
    for node in walk(root):
        match node:
            case Name(name=name):
                yield node.start, node.end, [name]
            case Select() if words := chain(node):
                yield node.field_start, node.end, words
            case Call(target=target, name=name):
                before = (target is not None and chain(target)) or []
                yield node.name_start, node.name_start + len(name), [*before, name]


# --- what a word names ------------------------------------------------------------------------------------------------


def _reference(part: Part, mark: Mark) -> Hover | None:
    node, name = mark.node, plain(mark.node)
    if mark.annotation.get("kind") != "reference" or not isinstance(node, Scalar) or not isinstance(name, str):
        return None
    found: Target | Diagnostic | None
    match mark.annotation.get("to"):
        case "tool":
            offered = next((one for one in part.subject.offered if one.name == name), None)
            return None if offered is None else Hover("\n\n".join(_tool(part, offered)), node.span)
        case "preset":
            found = find_target(node, part.target, part.sheet.files)
        case "agent":
            found = find_called(name, part.target, part.sheet.files)
        case _:
            return None
    return Hover("\n\n".join(_document(found)), node.span) if isinstance(found, Target) else None


def _used(part: Part, offset: int) -> Hover | None:
    """What is known of what a word names, where it is declared; of a tool in a scenario what the spec has."""
    use = use_at(part, offset)
    if use is None:
        return None
    span = use.word or use.span
    for tried_part in tried(part) if part.composed.kind == "scenario" else ():
        offered = next((one for one in tried_part.subject.offered if one.name == span.text), None)
        if offered is not None:
            return Hover("\n\n".join(_tool(tried_part, offered)), span)
    sheet = sheet_of(file_of(use.target.source), part.sheet.files) if use.has_name else None
    declaring = None if sheet is None else sheet.part_at(use.target.start)
    if sheet is None or declaring is None:
        return None
    spot = spot_at(declaring.composed.document.root, sheet.source, use.target.start)
    found = _key(declaring, spot)
    return None if found is None else found._replace(span=span)


def _document(found: Target) -> Iterator[str]:
    yield f"`{name_of(found.document) or found.shown}`: {found.kind} of {file_name(found.parsed.source.name)}"
    description = found.root.get("description")
    if isinstance(description, Scalar):
        yield str(description.value)
    inputs = [f"`{one.name}: {spell(one.type)}`" for one in declared_inputs(found.root).values()]
    if inputs:
        yield f"Inputs: {', '.join(inputs)}"


def _tool(part: Part, offered: Offered) -> Iterator[str]:
    renamed = {part.subject.text(*offered.path, "names", each.name): each.name for each in _names(part, offered)}
    name = renamed.get(offered.name, offered.name)
    built = next((tool for tool in built_tools() if tool.schema.name == name), None)
    own = next((tool for tool in part.subject.tools if tool.path == offered.path), None)
    if own is not None:
        fields = read_parameters(plain(own.body.get("parameters") or Mapping(entries=[], span=own.key)))
        signature = ", ".join(f"{name}: {spell(form)}" for name, form in fields)
        yield f"`{offered.name}({signature})`"
        yield str(plain(description)) if (description := own.body.get("description")) is not None else ""
    elif built is not None:
        yield from _built(built)
    else:
        yield f"`{offered.name}`"
    yield f"from `{dotted(offered.path)}`" + (f", effect `{offered.effect}`" if offered.effect else "")


def _names(part: Part, offered: Offered) -> list[Entry]:
    """The names that the options of a toolkit give its tools."""
    return part.subject.entries(*offered.path, "names") if offered.path[:2] == ("capability", "toolkits") else []


def _built(tool: BuiltTool) -> Iterator[str]:
    given = list(parameters(tool.schema))
    yield f"`{tool.schema.name}({', '.join(one.name + ('' if one.is_required else '?') for one in given)})`"
    yield tool.schema.description
    yield "\n".join(f"- `{one.name}` ({one.takes}): {one.description}" for one in given)


# --- keys -------------------------------------------------------------------------------------------------------------


def _key(part: Part, spot: Spot) -> Hover | None:
    if not spot.path:
        return None
    lines = [*key_lines(spot.path, part.composed.kind), *_value(part, spot)]
    return Hover("\n\n".join(lines), spot.span) if lines else None


def _value(part: Part, spot: Spot) -> Iterator[str]:
    """What holds at a key in the end, and what each layer says of it, the last word first."""
    node = find(part.composed.tree, spot.path)
    if node is not None and not isinstance(node, Broken):
        yield f"Value: `{_json(plain(node))}`"
    words = history(spot.path, part.composed.layers) if all(isinstance(step, str) for step in spot.path) else []
    if len(words) > 1:
        yield "\n".join(f"- {_said(word)}" for word in reversed(words))
    closing = closed_by(spot.path, part.composed.layers)
    if closing is not None:
        yield f"Final: `{closing.layer}` lets no layer above it change this."


def _said(word: Word) -> str:
    origin = word.origin
    value = "" if word.does == "removes" else f" `{_json(origin.value)}`"
    layer = origin.layer.partition(":")[0] if origin.layer.startswith("file:") else origin.layer
    return f"{layer} {word.does}{value} ({file_name(origin.span.source.name)}:{origin.span.first.line})"


def _json(value: object) -> str:
    text = hide(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
