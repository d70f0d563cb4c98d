"""A text with too many values is refused before they are made, and no other text is."""

from pathlib import Path

import pytest

from agentspec.syntax.dsl.tally import place_of_too_many
from agentspec.syntax.limits import MAX_NODES
from agentspec.syntax.read import parse_bytes
from agentspec.syntax.tree import walk

ROOT = Path(__file__).parents[2]
MANY = MAX_NODES + 10
BOMBS = {
    "items": "agent a { x-a: [" + "1, " * MANY + "1] }\n",
    "lists": "agent a { x-a: [" + "[], " * MANY + "[]] }\n",
    "keys": "agent a { x-a {\n" + "".join(f"k{i}: 1\n" for i in range(MANY)) + "} }\n",
    "blocks": "agent a { x-a {\n" + "".join(f"k{i} {{}}\n" for i in range(MANY)) + "} }\n",
    "mappings": "agent a { x-a: [" + "{a: 1}, " * (MANY // 2) + "1] }\n",
    "expressions": "agent a { x-a {\n" + "".join(f"k{i} = 1\n" for i in range(MANY)) + "} }\n",
    "rules": "agent a { execution { loop_control {\n" + "when a => stop x\n" * (MANY // 3) + "} } }\n",
    "tools": "agent a { capability {\n" + "tool t() = 1\n" * MANY + "} }\n",
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_a_bomb_is_refused_by_its_signs(text):
    assert place_of_too_many(text) is not None
    parsed = parse_bytes("a.agent", text.encode())

    assert parsed.documents == []
    assert [(one.code, one.message) for one in parsed.diagnostics] == [
        ("AS004", f"the file has more than {MAX_NODES} values")
    ]


@pytest.mark.parametrize(
    "text",
    [
        'agent a { x-a: "' + "[1, 2]: {" * 90_000 + '" }\n',
        'agent a { context { system: """\n' + "a: [b, c], d\n" * 60_000 + '""" } }\n',
        "agent a { # " + "a: [b, c], d " * 60_000 + "\n}\n",
        "agent a { x-a = [" + "1, " * 150_000 + "1] }\n",
        "agent a { x-a: [" + "1,  " * (MAX_NODES - 10) + "1] }\n",
    ],
    ids=["string", "text", "comment", "expression", "just enough"],
)
def test_what_holds_few_values_is_not_refused_by_its_length(text):
    assert place_of_too_many(text) is None


def test_the_tally_is_never_above_the_number_of_nodes():
    for path in sorted((ROOT / "examples").glob("*/*.agent")):
        text = path.read_text()
        parsed = parse_bytes("a.agent", text.encode())
        nodes = sum(1 for document in parsed.documents for _ in walk(document.root))

        assert place_of_too_many(text, nodes) is None, path.name
