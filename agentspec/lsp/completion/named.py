"""named: the names that a value or a key may have, by where it stands and by what the schema says that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from agentspec.checker.questions.tried import EXPECTED
from agentspec.checker.tool_names import RUNTIME_TOOLS
from agentspec.compose.files import builtin_names
from agentspec.compose.inputs import declared_inputs
from agentspec.compose.libraries.opened import libraries_of
from agentspec.compose.model_names import BUILT_IN_PROVIDERS
from agentspec.compose.reference import PRESETS, Target, find_target
from agentspec.compose.rights.called import find_called
from agentspec.compose.tool_parameters import parameters_of
from agentspec.compose.toolkits import toolkit_tools
from agentspec.lsp.completion.beside import (
    callable_agents,
    exportable,
    exports,
    files_for,
    other_documents,
    own_documents,
    skills_for,
    sources,
)
from agentspec.lsp.completion.cursor import MARK
from agentspec.lsp.sheet import Part
from agentspec.lsp.uses.declared import ANY, fits
from agentspec.lsp.uses.in_scenario import tried
from agentspec.lsp.uses.of_tools import CALLS, parameters
from agentspec.spec.catalogue import ladders
from agentspec.spec.event_kinds import EVENT_KINDS, RESULT_STATUSES
from agentspec.spec.prompts import prompt_ids
from agentspec.spec.statuses import RUN_STATUSES, STOP_REASONS
from agentspec.syntax.tree import Mapping, Path, Scalar, Sequence, find, plain
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.installed import PROVIDERS, offers


class Place(NamedTuple):
    """Where a name could stand: the document, the path, and what is typed of the value already."""

    part: Part
    path: Path
    lead: str = ""

    def text(self, *path: str | int) -> str:
        """The text at a path of the document; an empty one where none is."""
        node = find(self.part.composed.root, path)
        return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else ""


Names = Callable[[Place], Iterator[str]]


def names_at(place: Place, to: str | None) -> Iterator[str]:
    """The names that a value may have: by its place, else by what it names according to the schema."""
    own = next((names for kind, pattern, names in VALUES if _is_at(place, kind, pattern)), None)
    names = own or (NAMES.get(to) if to is not None else None)
    beside = find(place.part.composed.document.root, place.path[:-1])
    said = {plain(item) for item in beside.items if isinstance(item, Scalar)} if isinstance(beside, Sequence) else set()
    yield from (name for name in names(place) if name not in said) if names is not None else ()


def keys_at(place: Place) -> Iterator[str]:
    """The names that a key may have, beside those that the schema knows."""
    own = next((names for kind, pattern, names in KEYS if _is_at(place, kind, pattern)), None)
    yield from own(place) if own is not None else ()


def _is_at(place: Place, kind: str, pattern: Path) -> bool:
    """Whether a place is at a pattern, or, where that begins with `…`, ends like it."""
    if kind not in ("", place.part.composed.kind):
        return False
    if pattern[0] == ENDING:
        return fits(place.path[-len(pattern) + 1 :], pattern[1:])
    return fits(place.path, pattern)


# --- by what a value names --------------------------------------------------------------------------------------------


def _tools(place: Place) -> Iterator[str]:
    yield from dict.fromkeys(one.name for one in place.part.subject.offered if MARK not in one.name)
    yield from sorted(RUNTIME_TOOLS)


def _presets(place: Place) -> Iterator[str]:
    kinds, part = ("preset", "agent"), place.part
    yield from (*own_documents(part, kinds), *exports(part, "presets", "tools"), *builtin_names(PRESETS))
    yield from other_documents(part, kinds)


def _agents(place: Place) -> Iterator[str]:
    if place.part.composed.kind == "scenario":
        yield from (*own_documents(place.part, ("agent",)), *other_documents(place.part, ("agent",)))
    else:
        yield from callable_agents(place.part)


def _labels(place: Place) -> Iterator[str]:
    for path, _ in place.part.subject.items("model", "routes"):
        yield from filter(None, [place.part.subject.text(*path, "label")])


def _server_tools(place: Place) -> Iterator[str]:
    for server in place.part.subject.servers:
        accepted = place.part.subject.accepted.get(server)
        yield from [f"{server}/"] if accepted is None else (f"{server}/{tool}" for tool in accepted)


NAMES: dict[str, Names] = {
    "tool": _tools,
    "preset": _presets,
    "agent": _agents,
    "provider": lambda _: iter((*BUILT_IN_PROVIDERS, *(one.name for one in offers(PROVIDERS)))),
    "ladder": lambda _: iter(ladders()),
    "route": _labels,
    "mcp_server": lambda place: iter(place.part.subject.servers),
    "mcp_tool": _server_tools,
    "prompt": lambda _: iter(prompt_ids()),
    "path": lambda place: files_for(place.part, _key(place.path), place.lead),
}
"""By what a reference is to, as the schema says it; and the files of paths."""


def _key(path: Path) -> str:
    """The last name of a path."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


# --- by where it stands -----------------------------------------------------------------------------------------------


def _of_server(place: Place) -> Iterator[str]:
    yield from place.part.subject.accepted.get(str(place.path[2]), ())


def _of_toolkit(place: Place) -> Iterator[str]:
    yield from toolkit_tools(str(place.path[3]), has_mutations=True)


def _skills(place: Place) -> Iterator[str]:
    yield from (*exports(place.part, "skills"), *skills_for(place.part, place.lead))


def _prompt_files(place: Place) -> Iterator[str]:
    yield from (*exports(place.part, "prompts"), *files_for(place.part, "file", place.lead))


def _aliases(place: Place) -> Iterator[str]:
    yield from (entry.name for entry in place.part.subject.entries("use"))


def _versions(place: Place) -> Iterator[str]:
    entry = place.part.subject.entry("use", place.path[1])
    used = None if entry is None else libraries_of(place.part.sheet.files).used(entry, place.part.target.folder)
    if used is not None and used.library is not None:
        version = used.library.manifest.version
        yield f"^{version.major}.{version.minor}"


def _components(place: Place) -> Iterator[str]:
    yield from (f"#/components/{entry.name}" for entry in place.part.subject.entries("capability", "components"))


def called_tools(place: Place) -> Iterator[str]:
    """The tools that can be called: of a scenario those of what it tries."""
    parts = _called_by(place)
    yield from dict.fromkeys(one.name for part in parts for one in part.subject.offered if MARK not in one.name)
    yield from sorted(RUNTIME_TOOLS)


def _called_by(place: Place) -> list[Part]:
    """The specs whose tools are called: of a scenario those that it tries."""
    return [*tried(place.part)] if place.part.composed.kind == "scenario" else [place.part]


def _statuses(place: Place) -> Iterator[str]:
    marks = [mark for part in tried(place.part) for mark in part.subject.marks]
    own = (plain(mark.node) for mark in marks if mark.annotation.get("kind") == "status")
    yield from dict.fromkeys((*RUN_STATUSES, *map(str, own)))


ENDING = "…"
VALUES: tuple[tuple[str, Path, Names], ...] = (
    ("", (ENDING, CALLS, ANY, "name"), called_tools),
    ("", (ENDING, "$ref"), _components),
    ("", ("capability", "mcp", ANY, "allow", ANY), _of_server),
    ("", ("capability", "mcp", ANY, "deny", ANY), _of_server),
    ("", ("capability", "toolkits", ANY, ANY, "enabled", ANY), _of_toolkit),
    ("", ("capability", "toolkits", ANY, ANY, "disabled", ANY), _of_toolkit),
    ("", ("capability", "skills", ANY), _skills),
    ("", ("capability", "skills", ANY, "folder"), _skills),
    ("", ("context", "system", "file"), _prompt_files),
    ("", ("context", "prompts", ANY, "file"), _prompt_files),
    ("", ("use", ANY, "source"), lambda place: sources(place.part)),
    ("", ("use", ANY, "version"), _versions),
    ("", ("trust", ANY), _aliases),
    ("library", ("exports", ANY, ANY), lambda place: exportable(place.part, str(place.path[1]))),
    ("library", ("requires", "libraries", ANY, "source"), lambda place: sources(place.part)),
    ("scenario", ("tool_results", ANY, "name"), called_tools),
    ("scenario", ("approve", ANY, "tool"), called_tools),
    ("scenario", ("expect", "events", ANY, "name"), called_tools),
    *(("scenario", ("expect", "tools", key, ANY), called_tools) for key in EXPECTED),
    ("scenario", ("expect", "events", ANY, "kind"), lambda _: iter(EVENT_KINDS)),
    ("scenario", ("expect", "events", ANY, "status"), lambda _: iter(RESULT_STATUSES)),
    ("scenario", ("expect", "status"), _statuses),
    ("scenario", ("expect", "status", ANY), _statuses),
    ("scenario", ("expect", "stop_reason"), lambda _: iter(STOP_REASONS)),
    ("scenario", ("expect", "stop_reason", ANY), lambda _: iter(STOP_REASONS)),
)
"""By the kind of document, or any, and the path of the value."""


# --- keys -------------------------------------------------------------------------------------------------------------


def _inputs(place: Place) -> Iterator[str]:
    """The inputs of what an item of `extends` names, or of the agent that a scenario is for."""
    above, part = place.path[:-2], place.part
    item = find(part.composed.document.root, above)
    is_given = place.path[-2] == "with"
    reference = item.get("use" if is_given else "for") if isinstance(item, Mapping) else None
    if isinstance(reference, Scalar):
        found: Target | Diagnostic | None = find_called(str(reference.value), part.target, part.sheet.files)
        found = find_target(reference, part.target, part.sheet.files) if is_given else found
        yield from declared_inputs(found.root) if isinstance(found, Target) else ()


def _arguments_of_call(place: Place) -> Iterator[str]:
    yield from _arguments(_called_by(place), place.text(*place.path[:-2], "name"))


def _arguments_of_rule(place: Place) -> Iterator[str]:
    yield from _arguments([place.part], place.text(*place.path[:-2], "tool"))


def _arguments_of_example(place: Place) -> Iterator[str]:
    yield from _arguments([place.part], str(place.path[2]))


def _arguments(parts: list[Part], tool: str) -> Iterator[str]:
    own = (list(parameters(part, tool)) for part in parts)
    yield from next(filter(None, own), None) or parameters_of(tool) or ()


KEYS: tuple[tuple[str, Path, Names], ...] = (
    ("", (ENDING, CALLS, ANY, "arguments", ANY), _arguments_of_call),
    ("scenario", ("tool_results", ANY, "arguments", ANY), _arguments_of_call),
    ("", ("capability", "tools", ANY, "examples", ANY, "args", ANY), _arguments_of_example),
    ("", (ENDING, "args", ANY), _arguments_of_rule),
    ("", ("capability", "toolkits", ANY, ANY, "names", ANY), _of_toolkit),
    ("", ("capability", "toolkits", ANY, ANY, "descriptions", ANY), _of_toolkit),
    ("", (ENDING, "with", ANY), _inputs),
    ("scenario", ("inputs", ANY), _inputs),
)
"""By the kind of document, or any, and the path of the key."""
