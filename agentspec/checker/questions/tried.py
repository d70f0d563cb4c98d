"""tried: the agent that a scenario tries, composed and checked. It looks into files; rules say what is wrong there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from agentspec.checker.questions.called import called_agent
from agentspec.checker.subject import Subject
from agentspec.compose.load import Composed
from agentspec.spec.routes import routes_of
from agentspec.syntax.tree import Path, dotted, plain
from agentspec.text.diagnostic import Diagnostic

OFFLINE = ("script", "process", "local")  # providers that need no network
KEPT = "tried"
SET = "--set "  # begins the name of what stands in the place of a file
EXPECTED = ("calls", "successful", "rejected", "not_called")  # lists of tools below `expect.tools`


class Tried(NamedTuple):
    """What a scenario is for, as rules see it, and the errors of its own check."""

    composed: Composed
    subject: Subject
    errors: list[Diagnostic]

    @property
    def is_sound(self) -> bool:
        """Whether something can be derived from it."""
        return self.composed.kind == "agent" and not self.errors and not self.composed.has_broken


def tried_by(subject: Subject) -> Tried | None:
    """The agent that a scenario is for; None where there is no such file, or the document is no scenario."""
    reference = subject.text("for") if subject.kind == "scenario" else None
    if reference is None or "${" in reference:
        return None
    return agent_at(subject, reference, subject.words("set"))


def agent_at(subject: Subject, reference: str, sets: tuple[str, ...] = ()) -> Tried | None:
    """The agent that a word of a scenario means; found out once, however many rules ask."""
    kept = subject.kept.setdefault(KEPT, {})
    if (reference, sets) not in kept:
        composed = called_agent(subject, reference, sets)
        kept[reference, sets] = None if composed is None else _checked(composed)
    found: Tried | None = kept[reference, sets]
    return found


def set_in_vain(subject: Subject, tried: Tried) -> Iterator[Diagnostic]:
    """The errors of what a scenario sets, at the places where it does."""
    texts = {subject.text(*path): path for path, _ in subject.items("set")}
    for found in tried.errors:
        path = texts.get(found.span.source.text)
        if path is not None and found.span.source.name.startswith(SET):
            yield found._replace(span=subject.span(*path), path=dotted(path), fix=None)


def sound(subject: Subject) -> Subject | None:
    """The agent that a scenario is for, where something can be derived from it."""
    tried = tried_by(subject)
    return tried.subject if tried is not None and tried.is_sound else None


def asks_a_provider(model: Mapping[str, Any] | None) -> bool:
    """Whether some way to an answer of the section `model` needs a network, or an author leaves it open.

    >>> asks_a_provider({"provider": "script"}), asks_a_provider({"routes": [{"provider": "openai"}]})
    (False, True)
    """
    return any(route.model.get("provider") not in OFFLINE for route in routes_of(model))


def tools_of_called(agent: Subject) -> Iterator[str]:
    """The names of the tools of the agents that an agent calls: what they brought can be recorded as well."""
    for tool in agent.tools:
        name = agent.text(*tool.path, "agent")
        called = None if name is None else agent_at(agent, name)
        yield from () if called is None else called.subject.tool_names


def called_by_script(subject: Subject) -> set[str]:
    """The names that the turns of a scenario call."""
    calls = (path for turn, _ in subject.items("model") for path, _ in subject.items(*turn, "tool_calls"))
    return {name for path in calls if (name := subject.text(*path, "name")) is not None}


def named_in_scenario(subject: Subject) -> Iterator[tuple[Path, str]]:
    """The places of a scenario that name a tool, beside its turns."""
    places = [(*path, "name") for path, _ in subject.items("tool_results")]
    places += [(*path, "tool") for path, _ in subject.items("approve")]
    places += [path for key in EXPECTED for path, _ in subject.items("expect", "tools", key)]
    for path in places:
        name = subject.text(*path)
        if name is not None:
            yield path, name


def section(subject: Subject, name: str) -> Mapping[str, Any]:
    """A section of a spec as plain values."""
    value = plain(node) if (node := subject.at(name)) is not None else None
    return value if isinstance(value, Mapping) else {}


def _checked(composed: Composed) -> Tried:
    from agentspec.checker.check import agents_in, surveyed  # noqa: PLC0415 - it loads the rules, which ask for this

    reading = [found for found in composed.parsed.diagnostics if found.severity == "error"]
    if composed.kind != "agent":  # what is no agent is tried by nothing: a scenario that is for itself would never end
        source = composed.document.span.source
        return Tried(composed, Subject(composed.tree, composed.kind, composed.project, source), reading)
    agent, found = surveyed(composed, agents_in(composed.parsed))
    return Tried(composed, agent, [*reading, *(one for one in found if one.severity == "error")])
