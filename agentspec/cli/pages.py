"""pages: what `explain` tells of words that are no keys: tools, toolkits, presets, documents, values, ends of runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentspec.compose.files import Files, builtin_names
from agentspec.compose.toolkits import GIT_MUTATIONS, TOOLKITS
from agentspec.runtime.ends import STATUSES
from agentspec.runtime.reasons import REASONS
from agentspec.spec.describe import all_keys, describe
from agentspec.spec.in_effect import is_in_effect
from agentspec.spec.schema import ROOTS, root
from agentspec.syntax.tree import find, plain

MOST_KEYS = 8  # that one page names
EFFECTS = {
    "none": "it touches nothing",
    "read": "it only reads",
    "write": "it changes files",
    "process": "it starts programs",
    "network": "it uses the network",
}


def tool_names() -> dict[str, str]:
    """Every tool of every toolkit, with its toolkit."""
    found = {tool: family for family, tools in TOOLKITS.items() for tool in tools}
    return found | dict.fromkeys(GIT_MUTATIONS, "git")


def word_page(word: str) -> list[str]:
    """The page of a tool, a toolkit, a preset or a status; nothing where the word is none of these."""
    if word in tool_names():
        return list(_tool(word))
    if word in TOOLKITS:
        return list(_toolkit(word))
    if word in builtin_names("presets"):
        return list(_preset(word))
    if local := list(_local_presets(word)):
        return local
    if word in STATUSES:
        return [
            f"{word}: a status of a run",
            STATUSES[word],
            f"runs that have it: `agentspec runs list --status {word}`",
        ]
    return []


def document_page(word: str) -> Iterator[str]:
    """The page of a kind of document, by the head that it begins with."""
    if word not in ROOTS:
        return
    yield f"{word}: a document of its own. {root(word)['description']}"
    key = "name" if word == "agent" else word
    yield f"written: `{key}: …` at the top of a YAML document, `{word} … {{ … }}` in the DSL"
    yield "keys:"
    for name in root(word)["properties"]:
        doc = describe((name,), word)
        yield f"  {name}: {doc.doc if doc else ''}".rstrip(" :")


def reason_page(word: str) -> Iterator[str]:
    """What a reason for which runs end says."""
    reason = REASONS.get(word)
    if reason is not None:
        with_ = f" `{'`, `'.join(reason.statuses)}`" if reason.statuses else ""
        yield f"{word}: a reason with which runs end{with_}. {reason.says}"


def value_page(word: str) -> Iterator[str]:
    """The keys that take this word."""
    taking = [doc for doc in all_keys() if word in doc.words]
    if taking:
        yield f"{word}: a word that {'this key takes' if len(taking) == 1 else 'these keys take'}"
        yield from (f"  {doc.path} ({doc.type}): {doc.doc}" for doc in taking[:MOST_KEYS])
    if len(taking) > MOST_KEYS:
        yield f"  and {len(taking) - MOST_KEYS} more"


def _local_presets(name: str) -> Iterator[str]:
    """The presets of this name in the files of the project, and in the libraries that its specs use."""
    from agentspec.api.presets import describe_presets  # noqa: PLC0415 - reads the files of the project, for this page

    for preset in describe_presets(name, Path.cwd()):
        is_export = preset["source"] == "library"
        whose = "a library" if is_export else "this project"
        called = f", where `use` calls the library `{name.partition('.')[0]}`" if is_export else ""
        yield f"{name}: a preset of {whose}. {preset['description'] or ''}".rstrip()
        yield f"written: `extends: {preset['written']}`{called}; what it says holds where the spec says nothing else"
        yield f"what it says: `agentspec preset show {preset['written']}`"


def _tool(name: str) -> Iterator[str]:
    from agentspec.api.assembly.catalogue import built_tools, parameters  # noqa: PLC0415 - loads the adapters, for this page

    family = tool_names()[name]
    effect = {**TOOLKITS[family], **GIT_MUTATIONS}[name]
    yield f"{name}: a tool of the toolkit `{family}`; {EFFECTS[effect]}"
    built = next((tool for tool in built_tools() if tool.schema.name == name), None)
    if built is None:
        yield "note: accepted, but not yet in effect"
        return
    yield built.schema.description
    yield "parameters:"
    for each in parameters(built.schema):
        required = ", required" if each.is_required else ""
        yield f"  {each.name} ({each.takes}{required}): {each.description}"
    yield f"its options and the other tools: `agentspec explain {family}`"


def _toolkit(name: str) -> Iterator[str]:
    path = ("capability", "toolkits", 0, name)
    about = describe(path)
    yield f"{name}: a toolkit. {about.doc if about else ''}".rstrip()
    yield f"written: `capability.toolkits: [{name}]`, or with options `- {name}: {{OPTION: VALUE}}`"
    if TOOLKITS[name]:
        yield f"tools: {', '.join(TOOLKITS[name])}"
    if about is not None and about.keys:
        yield "options:"
        yield from (f"  {_option(key, (*path, key))}" for key in about.keys)
    if not is_in_effect(path):
        yield "note: accepted, but not yet in effect"


def _option(name: str, path: tuple[str | int, ...]) -> str:
    doc = describe(path)
    assert doc is not None
    default = f"; without it {doc.default}" if doc.default not in (None, "{}", "[]", "") else ""
    return f"{name} ({doc.type}{default}): {doc.doc}"


def _preset(name: str) -> Iterator[str]:
    parsed = Files().builtin("presets", name)
    assert parsed is not None
    about = find(parsed.documents[0].root, ("description",))
    yield f"{name}: a built-in preset. {plain(about) if about is not None else ''}".rstrip()
    yield f"written: `extends: {name}`; what it says holds where the spec says nothing else"
    yield "what comes of it: `agentspec show SPEC`"
