"""names: every word of the table leads to a key, and every foreign value to a word that is taken."""

from __future__ import annotations

from agentspec.expressions.places import PLACES
from agentspec.spec import names
from agentspec.spec.describe import all_keys, find
from agentspec.spec.schema import MARK, load


def steps(place: str) -> tuple[str, ...]:
    return tuple(place.replace("[]", ".[]").split("."))


def test_every_place_of_the_table_is_a_key():
    missing = [place for places in names.KEYS.values() for place in places if find(steps(place), "agent")[0] is None]

    assert missing == []


def test_every_foreign_value_leads_to_a_word_of_its_key():
    taken: dict[str, set[str]] = {}
    for kind in ("agent", "scenario"):
        for doc in all_keys(kind):
            taken.setdefault(steps(doc.path)[-1], set()).update(doc.words)

    wrong = [
        (key, word) for key, table in names.WORDS.items() for word in table.values() if word not in taken.get(key, ())
    ]

    assert wrong == []


def test_every_place_of_an_expression_or_template_is_known_to_the_expressions():
    def places(node: object) -> set[str]:
        if isinstance(node, list):
            return {place for item in node for place in places(item)}
        if not isinstance(node, dict):
            return set()
        own = {node[MARK]["place"]} if "place" in node.get(MARK, {}) else set()
        return own | {place for item in node.values() for place in places(item)}

    assert places(load()) - set(PLACES) == set()
