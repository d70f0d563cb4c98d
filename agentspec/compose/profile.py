"""profile: the lowest layer of an agent, chosen by its `execution.profile`. The values are data in `stdlib`."""

from __future__ import annotations

from agentspec.compose.files import Files
from agentspec.compose.groups import alone
from agentspec.compose.origin import Layer
from agentspec.syntax.tree import Entry, Mapping, Scalar, find

DEFAULT_PROFILE = "tool_using"


def profile_layer(patch: Mapping, files: Files) -> Layer | None:
    """The layer that goes below the others, or None where the profile's name is no profile's.

    A profile fills in mappings that are written (`output: {schema: …}` gets its `repairs`) and brings none of its own.
    """
    chosen = find(patch, ("execution", "profile"))
    name = chosen.value if isinstance(chosen, Scalar) else DEFAULT_PROFILE
    parsed = files.builtin("profiles", name) if isinstance(name, str) else None
    section = find(parsed.documents[0].root, ("execution",)) if parsed is not None and parsed.documents else None
    if not isinstance(section, Mapping):
        return None
    entries = [entry for entry in section.entries if _is_wanted(entry, patch)]
    execution = Mapping(entries=entries, span=section.span)
    key = Scalar(value="execution", span=section.span)
    root = Mapping(entries=[Entry(key=key, value=execution)], span=section.span)
    return Layer(f"profile:{name}", alone(root))


def _is_wanted(entry: Entry, patch: Mapping) -> bool:
    return not isinstance(entry.value, Mapping) or isinstance(find(patch, ("execution", entry.name)), Mapping)
