"""rewrite: a file's documents in another form: its own, made canonical, or the other spelling.

What was written is read back and compared, comments and their places too. Where it isn't the same, nothing is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from agentspec.errors import SpecInvalid
from agentspec.syntax import dsl, yaml
from agentspec.syntax.format.as_dsl import dsl_text
from agentspec.syntax.format.as_json import json_text
from agentspec.syntax.format.as_yaml import yaml_text
from agentspec.syntax.format.settle import Settled, settle
from agentspec.syntax.tree import Comments, Document, Entry, Mapping, Node, Parsed, Sequence, dotted, same
from agentspec.syntax.tree import Path as KeyPath
from agentspec.syntax.yaml.comments import attach
from agentspec.text.source import LINE_END, Source

Form: TypeAlias = Literal["dsl", "yaml", "json"]
SUFFIXES: dict[Form, str] = {"dsl": ".agent", "yaml": ".yaml", "json": ".json"}
NAMES: dict[Form, str] = {"dsl": "the DSL", "yaml": "YAML", "json": "JSON"}


def form_of(parsed: Parsed) -> Form:
    """The form that a file is in."""
    if parsed.spelling == "dsl":
        return "dsl"
    return "json" if Path(parsed.source.name).suffix.lower() == ".json" else "yaml"


def format_text(parsed: Parsed) -> str:
    """The file in canonical form. Raises `SpecInvalid` where a part of it could not be read.

    >>> from agentspec.text.source import Source
    >>> from agentspec.syntax import yaml
    >>> format_text(yaml.parse(Source("x.yaml", "execution: { max_nudges:  3}\\nname: x")))
    'name: x\\n\\nexecution:\\n  max_nudges: 3\\n'
    """
    return convert(parsed, form_of(parsed))


def convert(parsed: Parsed, to: Form, *, drops_comments: bool = False) -> str:
    """The file in a form. Raises `SpecInvalid` for what could not be read, or cannot be said there.

    Comments are kept; `drops_comments` allows JSON to go without.
    """
    _require_whole(parsed)
    parsed = _with_one_line_end(parsed)
    is_same = to == form_of(parsed)
    found = [settle(each, keeps_aliases=is_same and to == "yaml") for each in _commented(parsed)]
    text = written(found, to)
    said = [settle(each, keeps_aliases=False) for each in parsed.documents] if to == "yaml" else found
    _require_same(said, text, to, drops_comments=drops_comments)
    return text


def _with_one_line_end(parsed: Parsed) -> Parsed:
    """The file read with `\\n` for each of its line ends, so that its form does not depend on them."""
    given = parsed.source
    if "\r" not in given.text:
        return parsed
    source = Source(given.name, LINE_END.sub("\n", given.text))
    return dsl.parse(source) if parsed.spelling == "dsl" else yaml.parse(source)


def has_comments(parsed: Parsed) -> bool:
    """Whether a file has any, which JSON cannot keep."""
    return any(_said(settle(each, keeps_aliases=False)) != [[]] for each in _commented(parsed))


def _require_whole(parsed: Parsed) -> None:
    errors = [found for found in parsed.diagnostics if found.severity == "error"]
    name = parsed.source.name
    if errors or any(each.has_broken for each in parsed.documents):
        raise SpecInvalid(f"`{name}` can't be read whole; nothing was changed", errors)
    if not parsed.documents:
        raise SpecInvalid(f"`{name}` holds no document; nothing was changed", parsed.diagnostics)


def _commented(parsed: Parsed) -> list[Document]:
    if parsed.spelling == "yaml":
        attach(parsed)
    return parsed.documents


def written(documents: list[Settled], to: Form) -> str:
    """The text of settled documents. Raises `SpecInvalid` for what has no such form."""
    match to:
        case "dsl":
            return dsl_text(documents)
        case "yaml":
            return yaml_text(documents)
        case "json" if len(documents) > 1:
            raise SpecInvalid(f"JSON has no form for {len(documents)} documents in one file; convert it to YAML")
        case "json":
            return json_text(documents[0])


def _require_same(documents: list[Settled], text: str, to: Form, *, drops_comments: bool) -> None:
    source = Source("written" + SUFFIXES[to], text)
    parsed = dsl.parse(source) if to == "dsl" else yaml.parse(source)
    again = [settle(each, keeps_aliases=False) for each in _commented(parsed)]
    if len(again) != len(documents) or any(found.severity == "error" for found in parsed.diagnostics):
        raise SpecInvalid(f"the file has no form in {NAMES[to]} that can be read")
    for one, other in zip(documents, again, strict=True):
        if not same(one.root, other.root):
            where = _difference(one.root, other.root, ())
            raise SpecInvalid(f"`{dotted(where)}` has no form in {NAMES[to]} that reads back the same")
        if not drops_comments and _said(one) != _said(other):
            raise SpecInvalid(f"{NAMES[to]} has no place for the comments of the file; make it YAML, or leave them out")


def _difference(one: Node, other: Node, path: KeyPath) -> KeyPath:
    """The path of the innermost part that differs."""
    match one, other:
        case Mapping(), Mapping() if one.names() == other.names():
            pairs: list[tuple[str | int, Node, Node]] = [
                (a.name, a.value, b.value) for a, b in zip(one.entries, other.entries, strict=True)
            ]
        case Sequence(), Sequence() if len(one.items) == len(other.items):
            pairs = [(index, a, b) for index, (a, b) in enumerate(zip(one.items, other.items, strict=True))]
        case _:
            return path
    return next((_difference(a, b, (*path, step)) for step, a, b in pairs if not same(a, b)), path)


def _said(settled: Settled) -> list[object]:
    """Every comment with its place."""
    return [*_comments(settled.root, ()), settled.document.tail_comments]


def _comments(keeper: Entry | Node, path: KeyPath) -> Iterator[object]:
    said = keeper.comments or Comments()
    if said.before or said.inline or said.after:
        yield path, said.before, said.inline, said.after
    match keeper:
        case Entry():
            yield from _comments(keeper.value, (*path, keeper.name, 0))
        case Mapping():
            for entry in keeper.entries:
                yield from _comments(entry, (*path, entry.name))
        case Sequence():
            for index, item in enumerate(keeper.items):
                yield from _comments(item, (*path, index))
