"""Comments of a YAML file: found all, kept all, each with what it speaks of."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from agentspec.syntax.tree import Broken, Comments, Mapping, Node, Parsed, Sequence
from agentspec.syntax.yaml import parse
from agentspec.syntax.yaml.comments import attach, find
from agentspec.text.source import Source


def said(comments: Comments | None) -> dict[str, object]:
    if comments is None:
        return {}
    parts = {"before": comments.before, "inline": comments.inline, "after": comments.after}
    return {name: part for name, part in parts.items() if part}


def placed(parsed: Parsed) -> dict[str, dict[str, object]]:
    """What is said at each entry, item and block, by path."""
    found: dict[str, dict[str, object]] = {}

    def visit(node: Node, path: str) -> None:
        if said(node.comments):
            found[path or "."] = said(node.comments)
        if isinstance(node, Mapping):
            for entry in node.entries:
                if said(entry.comments):
                    found[f"{path}.{entry.name}="] = said(entry.comments)
                visit(entry.value, f"{path}.{entry.name}")
        if isinstance(node, Sequence):
            for at, item in enumerate(node.items):
                visit(item, f"{path}[{at}]")

    for number, document in enumerate(parsed.documents):
        visit(document.root, f"{number}:" if number else "")
        if document.tail_comments:
            found[f"{number}:tail"] = {"tail": document.tail_comments}
    return found


def comments_of(text: str) -> dict[str, dict[str, object]]:
    parsed = parse(Source("x.yaml", text))
    attach(parsed)
    return placed(parsed)


def test_a_comment_stands_above_on_or_behind() -> None:
    text = "# top\na: 1  # one\n# two\n\n# three\nb:  # below\n  - x  # item\n  # inner\n  - y\n  # tail of b\n# end\n"

    assert comments_of(text) == {
        ".a=": {"before": ["# top"], "inline": "# one"},
        ".b=": {"before": ["# two", "# three"], "inline": "# below"},
        ".b[0]": {"inline": "# item"},
        ".b[1]": {"before": ["# inner"]},
        ".b": {"after": ["# tail of b"]},
        "0:tail": {"tail": ["# end"]},
    }


def test_the_column_decides_which_block_a_comment_ends() -> None:
    text = "a:\n  b:\n    c: 1\n    # ends b\n  # ends a\nd: 1\n"

    assert comments_of(text) == {".a.b": {"after": ["# ends b"]}, ".a": {"after": ["# ends a"]}}


def test_a_comment_in_the_column_of_what_follows_belongs_to_it() -> None:
    assert comments_of("a:\n  b: 1\n  # of c\n  c: 2\n# of d\nd: 1\n") == {
        ".a.c=": {"before": ["# of c"]},
        ".d=": {"before": ["# of d"]},
    }


def test_a_comment_beside_a_mapping_item_goes_above_it() -> None:
    assert comments_of("a:\n  - b: 1  # first\n    c: 2  # second\n  - [1]  # third\n") == {
        ".a[0]": {"before": ["# first"]},
        ".a[0].c=": {"inline": "# second"},
        ".a[1]": {"before": ["# third"]},
    }


def test_comments_inside_brackets_stay_inside() -> None:
    text = "a: [  # open\n  1,  # one\n  # two\n  2,\n  # end\n]  # closed\nb: {\n  c: 1  # c\n  # none left\n}\n"

    assert comments_of(text) == {
        ".a=": {"inline": "# open", "before": ["# closed"]},
        ".a[0]": {"inline": "# one"},
        ".a[1]": {"before": ["# two"]},
        ".a": {"after": ["# end"]},
        ".b.c=": {"inline": "# c"},
        ".b": {"after": ["# none left"]},
    }


def test_a_comment_before_the_mark_belongs_to_the_document_above() -> None:
    assert comments_of("a: 1\n# of the first\n---\n# of the second\nb: 2\n") == {
        "0:tail": {"tail": ["# of the first"]},
        "1:.b=": {"before": ["# of the second"]},
    }


def test_a_sign_inside_a_value_is_no_comment() -> None:
    text = "a: 'x # y'\nb: |  # header\n  # text\n  more # text\n# real\nc: x#y\nd: \"# z\"\n'e # f': 1\n"

    assert [span.text for span in find(parse(Source("x.yaml", text)))] == ["# header", "# real"]
    assert comments_of(text) == {".b=": {"inline": "# header"}, ".c=": {"before": ["# real"]}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# only\n", {}),
        ("x  # scalar\n", {"0:tail": {"tail": ["# scalar"]}}),
        ("--- # mark\na: 1\n", {".a=": {"before": ["# mark"]}}),
        ("a: &x # anchor\n  b: 1\nc: *x # alias\n", {".a=": {"inline": "# anchor"}, ".c=": {"inline": "# alias"}}),
        ("- a\n# between\n- &b-c d\n", {"[1]": {"before": ["# between"]}}),
        ("- - a # x\n  - b\n", {"[0]": {"before": ["# x"]}}),
        ("a: 1 # trailing blanks  \r\n", {".a=": {"inline": "# trailing blanks"}}),
    ],
)
def test_odd_places_have_their_comments_too(text: str, expected: dict[str, dict[str, object]]) -> None:
    assert comments_of(text) == expected


def all_said(node: Node) -> Iterator[str]:
    parts: list[Comments | None] = [node.comments]
    if isinstance(node, Mapping):
        parts += [entry.comments for entry in node.entries]
    for part in parts:
        if part is not None:
            yield from [*part.before, *([part.inline] if part.inline else []), *part.after]
    match node:
        case Mapping(anchor=None):
            for entry in node.entries:
                if entry.merged is None:
                    yield from all_said(entry.value)
        case Sequence(anchor=None):
            for item in node.items:
                yield from all_said(item)


LINES = [
    *(
        "a{n}: 1",
        "b{n}:",
        "  - x",
        "  - k{n}: 1",
        "    l{n}: [1,",
        "      2]",
        "  c{n}: {{d: 1}}",
        "  t{n}: |",
        "    text # t",
    ),
    *(
        "# c{n}",
        "  # c{n}",
        "    # c{n}",
        "      # c{n}",
        "a{n}: 1  # c{n}",
        "  - x  # c{n}",
        "b{n}:  # c{n}",
        "---",
        "",
    ),
]


def test_no_comment_is_lost_or_doubled() -> None:
    chance = random.Random(7)
    seen = 0
    for _ in range(1500):
        text = "".join(chance.choice(LINES).format(n=n) + "\n" for n in range(chance.randrange(1, 14)))
        parsed = parse(Source("x.yaml", text))
        if not parsed.documents or parsed.diagnostics:
            continue

        attach(parsed)

        kept = [each for document in parsed.documents for each in [*all_said(document.root), *document.tail_comments]]
        assert Counter(kept) == Counter(span.text for span in find(parsed)), text
        seen += len(kept)
    assert seen > 500


def test_what_is_broken_holds_no_comments() -> None:
    parsed = parse(Source("x.yaml", "a: [1 # in\nb: 2 # two\n"))

    assert isinstance(parsed.documents[0].root, Mapping)
    assert isinstance(parsed.documents[0].root.get("a"), Broken)
    assert [span.text for span in find(parsed)] == ["# two"]
