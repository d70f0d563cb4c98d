"""names: misspelt keys, words, references and names within expressions."""

from __future__ import annotations

import random
from collections.abc import Iterator

from agentspec.spec.structure.foreign_keys import foreign_keys
from agentspec.spec.structure.foreign_words import WORDS
from agentspec.syntax.tree import Mapping, Path, Scalar, Sequence, dotted, walk
from agentspec.text.source import Span
from tests.mutation.defect import Change, Kind, Make, at, nonsense, slip
from tests.mutation.sites import Key, Name, Reference, Sites, Value, names_of, words_of

SHORTEST = 4  # below, one letter is a quarter of the word
NAMESPACES = ("text", "json", "hash", "regex", "math", "list", "time")
OPEN = ("env", "row", "identity")  # records whose fields nothing declares
RESERVED = ("as", "in", "if", "for", "let", "var", "null", "true", "false")
REQUIRING = ("required", "properties")
MISSING = {"tool": ("AS601",), "provider": ("AS801",), "preset": ("AS401",), "agent": ("AS621", "AS108")}


def misspelt_key(edits: int) -> Make:
    def make(sites: Sites, chance: random.Random) -> Iterator[Change]:
        for key in sites.keys:
            wrong = slip(key.entry.name, edits, chance)
            if len(key.entry.name) >= SHORTEST and wrong not in key.known and not wrong.startswith("x-"):
                yield at(
                    sites.text,
                    key.entry.key.span,
                    wrong,
                    *_key_codes(sites, key),
                    word=key.entry.name,
                    mends=edits == 1 and key.entry.merged is None,
                )

    return make


def _key_codes(sites: Sites, key: Key) -> tuple[str, ...]:
    """The DSL has words of its own, which are no keys."""
    heads = ("agent", "preset", "library", "scenario") if len(key.path) == 1 else ()
    is_own = sites.parsed.spelling == "dsl" and key.entry.name in ("extends", "when", *heads)
    return ("AS050", "AS060", "AS102") if is_own else ("AS102",)


def nonsense_key(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for key in sites.keys:
        yield at(sites.text, key.entry.key.span, nonsense(chance), *_key_codes(sites, key), suggests=False)


def camel_key(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """The key as another language would write it: `maxIterations`, `max-iterations`."""
    for key in sites.keys:
        head, *rest = key.entry.name.split("_")
        for wrong in (head + "".join(word.capitalize() for word in rest), "-".join([head, *rest])):
            if rest:
                yield at(sites.text, key.entry.key.span, wrong, "AS102", word=key.entry.name)


def foreign_key(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """The key as another framework calls it."""
    for key in sites.keys:
        pattern = dotted(tuple("*" if step == "tools" else step for step in key.path))
        for wrong, places in foreign_keys().items():
            if pattern in places and wrong not in key.known and _key_codes(sites, key) == ("AS102",):
                yield at(sites.text, key.entry.key.span, wrong, "AS102", help=f"`{key.entry.name}`")


def _words(sites: Sites) -> Iterator[tuple[Value, tuple[str, ...]]]:
    for value in sites.values:
        known = words_of(value.wanted)
        if isinstance(value.node.value, str) and value.node.value in known:
            yield value, known


def inside(node: Scalar) -> Span:
    """The text of a scalar without its quotes."""
    text = node.span.text
    return node.span.part(1, len(text) - 1) if text[:1] in "\"'" and len(text) > 1 else node.span


def whole(change: Change, node: Scalar) -> Change:
    """The mistake with the finding on the scalar as it is written, quotes and all."""
    more = 1 if inside(node) != node.span else 0
    return change._replace(start=change.start - more, end=change.end + more)


def misspelt_word(edits: int) -> Make:
    def make(sites: Sites, chance: random.Random) -> Iterator[Change]:
        for value, known in _words(sites):
            right = str(value.node.value)
            wrong = slip(right, edits, chance)
            if len(right) >= SHORTEST and wrong not in known:
                yield whole(at(sites.text, inside(value.node), wrong, *_code(value), word=right), value.node)

    return make


def _last(path: Path) -> str:
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _code(value: Value) -> tuple[str, ...]:
    return ("AS801",) if value.path[-1] == "provider" else ("AS204",)


def wrong_case(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for value, _ in _words(sites):
        right = str(value.node.value)
        for wrong in {right.title(), right.upper()} - {right}:
            yield whole(at(sites.text, inside(value.node), wrong, *_code(value), word=right), value.node)


def nonsense_word(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for value, _ in _words(sites):
        yield whole(at(sites.text, inside(value.node), nonsense(chance), *_code(value), suggests=False), value.node)


def foreign_word(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A word of another framework."""
    for value, known in _words(sites):
        for wrong, right in WORDS.get(_last(value.path), {}).items():
            if right == value.node.value and wrong not in known:
                yield whole(at(sites.text, inside(value.node), wrong, *_code(value), word=right), value.node)


def misspelt_reference(edits: int) -> Make:
    """A tool, a provider, a preset, an agent that is not there."""

    def make(sites: Sites, chance: random.Random) -> Iterator[Change]:
        for reference in sites.references:
            right = str(reference.node.value)
            if _resolves(sites, reference) and right.replace("_", "a").replace("-", "a").isalpha():
                wrong = slip(right, edits, chance)
                change = at(sites.text, inside(reference.node), wrong, *MISSING[reference.to], word=right)
                yield whole(change, reference.node)

    return make


def _resolves(sites: Sites, reference: Reference) -> bool:
    """Whether the document itself must have what is named: not in a preset, nor in a list of a server's tools."""
    is_open = reference.path[:2] in (("capability", "ceiling"), ("capability", "mcp"))
    is_whole = reference.to != "tool" or (reference.kind == "agent" and not is_open)
    return reference.to in MISSING and is_whole and len(str(reference.node.value)) >= SHORTEST


def misspelt_name(edits: int) -> Make:
    """A name within an expression or a slot."""

    def make(sites: Sites, chance: random.Random) -> Iterator[Change]:
        for name in _names(sites):
            wrong = slip(name.text, edits, chance)
            if len(name.text) >= SHORTEST and wrong not in RESERVED:
                yield _with_namespace(at(sites.text, name.span, wrong, _name_code(name), word=name.text), name)

    return make


def nonsense_name(sites: Sites, chance: random.Random) -> Iterator[Change]:
    for name in _names(sites):
        yield _with_namespace(at(sites.text, name.span, nonsense(chance), _name_code(name), suggests=False), name)


def _with_namespace(change: Change, name: Name) -> Change:
    """The mistake with the finding on the whole name of a function: `list.smu`, not `smu`."""
    is_value = name.above == "text" and name.place in ("post_turn.when", "terminal.when")
    if not name.is_function or name.above not in NAMESPACES or is_value:
        return change
    word = None if change.word is None else f"{name.above}.{change.word}"
    return change._replace(start=change.start - len(name.above) - 1, word=word)


def _names(sites: Sites) -> Iterator[Name]:
    """The names whose misspelling can be seen: of a record whose fields are known, and not of a preset's inputs."""
    for expression in sites.expressions:
        for name in names_of(expression):
            is_open = name.above in OPEN or (name.above == "inputs" and expression.kind != "agent")
            is_free = "data" in name.above or name.above.startswith("args.")
            if not is_open and not is_free:
                yield name


def _name_code(name: Name) -> str:
    if name.is_function:
        return "AS304"
    return "AS303" if name.above else "AS302"


def misspelt_required(sites: Sites, chance: random.Random) -> Iterator[Change]:
    """A required property of a JSON Schema that is not among its properties."""
    for document in sites.parsed.documents:
        for path, node in walk(document.root):
            required, properties = (node.get(key) if isinstance(node, Mapping) else None for key in REQUIRING)
            if not isinstance(required, Sequence) or not isinstance(properties, Mapping):
                continue
            names = [item for item in required.items if isinstance(item, Scalar) and item.anchor is None]
            for item in names if not {"default", "examples"} & set(path) else ():
                right = str(item.value)
                wrong = slip(right, 1, chance)
                if len(right) >= SHORTEST and wrong not in properties.names():
                    yield whole(at(sites.text, inside(item), wrong, "AS217", word=right, mends=True), item)


NAMES = (
    Kind("key, one slip", "structure", misspelt_key(1)),
    Kind("key, two slips", "structure", misspelt_key(2)),
    Kind("key that means nothing", "structure", nonsense_key),
    Kind("key in another style", "structure", camel_key),
    Kind("key of another framework", "structure", foreign_key),
    Kind("word, one slip", "names", misspelt_word(1)),
    Kind("word, two slips", "names", misspelt_word(2)),
    Kind("word in the wrong case", "names", wrong_case),
    Kind("word that means nothing", "names", nonsense_word),
    Kind("word of another framework", "names", foreign_word),
    Kind("required property, one slip", "names", misspelt_required),
    Kind("reference, one slip", "names", misspelt_reference(1)),
    Kind("reference, two slips", "names", misspelt_reference(2)),
    Kind("name in an expression, one slip", "names", misspelt_name(1)),
    Kind("name in an expression, two slips", "names", misspelt_name(2)),
    Kind("name in an expression that means nothing", "names", nonsense_name),
)
