"""in_scenario: what the words of a scenario mean of the spec that it tries: inputs, tools, arguments, keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentspec.checker.questions.tried import named_in_scenario
from agentspec.compose.rights.called import find_called
from agentspec.lsp.sheet import Part, part_of
from agentspec.lsp.uses.declared import declared_at, declared_in, is_declaring
from agentspec.lsp.uses.of_tools import CALLS, call_uses, first_uses, parameters
from agentspec.lsp.uses.use import Use, matched, name_span
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Path, Scalar, find, walk

WORD = re.compile(r"[\w-]+")
EVENTS = "events"


def scenario_uses(part: Part, parts: list[Part]) -> Iterator[Use]:
    """What the words of a scenario mean; `parts` are the spec that it tries and those that this one calls."""
    root = part.composed.root
    yield from matched(find(root, ("inputs",)), declared_in(parts[0], ("inputs",)))
    for path, _ in named_in_scenario(part.subject):
        yield from _tool(part, parts, path)
    for path, _ in part.subject.items("expect", EVENTS):
        yield from _tool(part, parts, (*path, "name"))
    for _, result in part.subject.items("tool_results"):
        yield from matched(find(result, ("arguments",)), parameters(parts[0], _text(find(result, ("name",)))))
    for path, node in walk(root):
        if path[-1:] == (CALLS,):
            yield from call_uses(parts, node)
    for _, node in part.subject.items("set"):
        if isinstance(node, Scalar):
            yield from _set(parts[0], node)


def tried(part: Part) -> Iterator[Part]:
    """The spec that a scenario is for, and those that it calls."""
    agent = _called(part, part.subject.text("for"))
    if agent is not None:
        yield agent
        for tool in agent.subject.tools:
            called = _called(agent, agent.subject.text(*tool.path, "agent"))
            if called is not None:
                yield called


def _called(part: Part, reference: str | None) -> Part | None:
    found = None if reference is None else find_called(reference, part.target, part.sheet.files)
    return None if found is None else part_of(found, part.sheet.files)


def _tool(part: Part, parts: list[Part], path: Path) -> Iterator[Use]:
    node = part.subject.at(*path)
    if isinstance(node, Scalar):
        yield from first_uses(parts, str(node.value), node.span, name_span(node))


def _text(node: object) -> str:
    return str(node.value) if isinstance(node, Scalar) else ""


def _set(agent: Part, node: Scalar) -> Iterator[Use]:
    """The names in the path of `PATH=VALUE`."""
    path: Path = ()
    for word in WORD.finditer(str(node.value).partition("=")[0]):
        path = (*path, word[0])
        key = declared_at(agent, path) if is_declaring(path) else None
        if key is not None:
            span = span_in(node, word.start(), word.end())
            yield Use(span, name_span(key), span)
