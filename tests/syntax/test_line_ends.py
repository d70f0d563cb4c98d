"""Whatever the line ends of a file are, its values are the same, and so are the places in lines and columns."""

from pathlib import Path

import pytest

from agentspec.syntax.read import parse
from agentspec.syntax.tree import Scalar, plain, walk
from agentspec.text.source import Source

ROOT = Path(__file__).parents[2]
OWN = """agent a {
  execution {
    loop_control {
      when iteration > 3 &&  # why
        turn.text_chars < 2 => stop x
    }
  }
  capability { tool t(a: number) -> number "d" = (args.a +
    args.a) }
  context { system: \"\"\"
    one
    two
    \"\"\" }
}
"""
SPECS = [
    *(ROOT / "examples").rglob("*.agent"),
    *(ROOT / "examples").rglob("*.yaml"),
    *(ROOT / "stdlib").rglob("*.agent"),
]


def said(text: str, name: str) -> list[tuple[object, ...]]:
    documents = parse(Source(name, text)).documents
    nodes = [node for document in documents for _, node in walk(document.root)]
    return [(node.span.first, node.span.last, plain(node)) for node in nodes if isinstance(node, Scalar)]


@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=["CRLF", "CR"])
@pytest.mark.parametrize("path", [None, *SPECS], ids=lambda path: path.name if path else "own")
def test_line_ends_change_no_value_and_no_place(path: Path | None, end: str) -> None:
    text = OWN if path is None else path.read_text()
    name = "own.agent" if path is None else path.name

    assert said(text.replace("\n", end), name) == said(text, name)
