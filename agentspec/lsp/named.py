"""named: the names that a reference of each kind may have, where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agentspec.checker.tool_names import RUNTIME_TOOLS
from agentspec.compose.documents import FILE_ENDINGS, kind_of, name_of
from agentspec.compose.files import builtin_names
from agentspec.compose.inputs import declared_inputs
from agentspec.compose.libraries.opened import exported, libraries_of
from agentspec.compose.model_names import BUILT_IN_PROVIDERS
from agentspec.compose.reference import PRESETS, Target, find_target
from agentspec.compose.rights.called import find_called
from agentspec.lsp.cursor import MARK
from agentspec.lsp.sheet import Part
from agentspec.spec.catalogue import ladders
from agentspec.spec.prompts import prompt_ids
from agentspec.syntax.tree import Mapping, Path, Scalar, find
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.installed import PROVIDERS, offers
from agentspec.text.paths import files_in


def inputs_of(part: Part, above: Path) -> list[str]:
    """The inputs of what an item of `extends` names, or of the agent that a scenario is for."""
    item = find(part.composed.document.root, above[:-1])
    reference = item.get("use" if above[-1] == "with" else "for") if isinstance(item, Mapping) else None
    if not isinstance(reference, Scalar):
        return []
    found: Target | Diagnostic | None = find_called(str(reference.value), part.target, part.sheet.files)
    if above[-1] == "with":
        found = find_target(reference, part.target, part.sheet.files)
    return list(declared_inputs(found.root)) if isinstance(found, Target) else []


def _tools(part: Part) -> Iterator[str]:
    yield from dict.fromkeys(one.name for one in part.subject.offered if MARK not in one.name)
    yield from sorted(RUNTIME_TOOLS)


def _documents(part: Part, kinds: tuple[str, ...]) -> Iterator[str]:
    for document in part.composed.parsed.documents:
        name = name_of(document)
        if name and document is not part.composed.document and kind_of(document) in kinds:
            yield name


def _files(part: Part) -> Iterator[str]:
    yield from (f"./{name}" for name in files_in(part.target.folder) if name.endswith(FILE_ENDINGS))


def _presets(part: Part) -> Iterator[str]:
    yield from (*_documents(part, ("preset", "agent")), *_exports(part), *builtin_names(PRESETS), *_files(part))


def _exports(part: Part) -> Iterator[str]:
    """What the libraries of `use` export, as `alias.name`."""
    libraries = libraries_of(part.sheet.files)
    for entry in part.subject.entries("use"):
        used = libraries.used(entry, part.target.folder)
        if used is not None and used.library is not None:
            yield from (f"{entry.name}.{name}" for name in exported(used.library))


def _agents(part: Part) -> Iterator[str]:
    yield from (*_documents(part, ("agent",)), *_files(part))


def _providers(part: Part) -> Iterator[str]:
    del part
    yield from (*BUILT_IN_PROVIDERS, *(one.name for one in offers(PROVIDERS)))


def _servers(part: Part) -> Iterator[str]:
    yield from part.subject.servers


def _labels(part: Part) -> Iterator[str]:
    for path, _ in part.subject.items("model", "routes"):
        yield from filter(None, [part.subject.text(*path, "label")])


NAMES: dict[str, Callable[[Part], Iterator[str]]] = {
    "tool": _tools,
    "preset": _presets,
    "agent": _agents,
    "provider": _providers,
    "ladder": lambda _: iter(ladders()),
    "route": _labels,
    "mcp_server": _servers,
    "mcp_tool": lambda part: (f"{name}/" for name in _servers(part)),
    "prompt": lambda _: iter(prompt_ids()),
}
"""By what a reference is to, as the schema says it."""
