"""A misspelt key in any of the repository's own specs gives exactly one finding, on the key, with the right word."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentspec.checker.check import check_paths
from agentspec.spec.describe import describe
from agentspec.syntax.read import parse_bytes, read_file
from agentspec.syntax.tree import Entry, Mapping, walk
from agentspec.text.diagnostic import Diagnostic

ROOT = Path(__file__).parents[2]
SPECS = sorted(
    path
    for folder in ("examples", "stdlib")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".yaml", ".agent") and "script" not in path.stem
)
HEADS = ("name", "preset", "library", "scenario")
OF_A_HEAD = ("extends", "inputs")  # the DSL reads them with a document's head, not as keys
SHORTEST = 5


def keys_of(path: Path) -> Iterator[Entry]:
    """The keys that the language names, not the author, and that stand in the text as they are read."""
    for document in read_file(path).documents:
        kind = next(
            (head for head in HEADS[1:] if isinstance(document.root, Mapping) and document.root.get(head)), "agent"
        )
        for place, node in walk(document.root):
            above = describe(place, kind)
            for entry in node.entries if isinstance(node, Mapping) and above is not None else ():
                is_named = entry.name in above.keys and entry.name not in HEADS and len(entry.name) >= SHORTEST
                if is_named and entry.key.span.text == entry.name:
                    yield entry


def findings(path: Path) -> list[Diagnostic]:
    found = check_paths([path]).diagnostics
    return [one for one in found if one.severity != "note" and one.code != "AS905"]


@pytest.mark.parametrize("path", SPECS, ids=[str(path.relative_to(ROOT)) for path in SPECS])
def test_a_misspelt_key_is_found_where_it_stands_and_nothing_else_is(tmp_path, path):
    text = read_file(path).source.text
    copy = tmp_path / path.name
    for script in path.parent.glob("script*.yaml"):
        (tmp_path / script.name).write_bytes(script.read_bytes())
    for entry in keys_of(path):
        span, wrong = entry.key.span, entry.name[:2] + entry.name[3:]
        if wrong == entry.name or (path.suffix == ".agent" and entry.name in OF_A_HEAD):
            continue
        copy.write_text(text[: span.start] + wrong + text[span.end :])

        found = findings(copy)

        told = [(one.code, one.span.text) for one in found]
        assert told == [("AS102", wrong)], f"{entry.name} at {span.first}: {told}"
        assert found[0].fix is not None
        assert found[0].fix.edits[0].text == entry.name


def test_there_are_keys_to_misspell():
    assert sum(len(list(keys_of(path))) for path in SPECS) > 150
    assert parse_bytes("a.yaml", b"name: a\n").documents
