"""names: every word of the table leads to a key, and every foreign value to a word that is taken."""

from __future__ import annotations

import random
import string
import sys

import pytest

from agentspec.expressions.places import PLACES
from agentspec.spec.describe import all_keys, find
from agentspec.spec.schema import MARK, load
from agentspec.spec.structure.foreign_keys import foreign_keys
from agentspec.spec.structure.foreign_words import WORDS
from agentspec.spec.structure.meant import meant_key


def steps(place: str) -> tuple[str, ...]:
    return tuple(place.replace("[]", ".[]").split("."))


def test_every_place_of_the_table_is_a_key():
    missing = [
        place for places in foreign_keys().values() for place in places if find(steps(place), "agent")[0] is None
    ]

    assert missing == []


def test_every_foreign_value_leads_to_a_word_of_its_key():
    taken: dict[str, set[str]] = {}
    for kind in ("agent", "scenario"):
        for doc in all_keys(kind):
            taken.setdefault(steps(doc.path)[-1], set()).update(doc.words)

    wrong = [(key, word) for key, table in WORDS.items() for word in table.values() if word not in taken.get(key, ())]

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


def slips(word: str, count: int, chance: random.Random) -> str:
    """A word with so many random slips: a letter too many, too few, another one, or two swapped."""
    for _ in range(count):
        at, letter = chance.randrange(len(word) - 1), chance.choice(string.ascii_lowercase + "_")
        swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        word = chance.choice(
            (word[:at] + letter + word[at:], word[:at] + word[at + 1 :], word[:at] + letter + word[at + 1 :], swapped)
        )
    return word


@pytest.mark.slow
def test_a_slip_of_the_pen_is_understood_and_nonsense_is_not():
    chance = random.Random(7)
    # Records with the same keys, such as the toolkits, ask the same question: each is asked once.
    records = list({tuple(one["properties"]): one for one in load()["$defs"].values()}.values())
    nonsense = ["".join(chance.choices(string.ascii_lowercase, k=chance.randrange(4, 12))) for _ in range(40)]
    nonsense += [
        "banana",
        "trombone",
        "kettle",
        "giraffe",
        "umbrella",
        "plumber",
        "sunshine",
        "quartz",
        "zebra",
        "velvet",
    ]

    right, tried = 0, 0
    for record in records:
        for key in (key for key in record["properties"] if len(key) > 3):
            for word in {slips(key, count, chance) for count in (1, 1, 2, 2)} - {*record["properties"]}:
                tried += 1
                right += meant_key(word, record, [word], ("nowhere",), "agent").rename == key
    answers = [meant_key(word, record, [word], ("nowhere",), "agent").help for record in records for word in nonsense]
    offered = sum(not answer.startswith(("keys here are", "the only key", "no key")) for answer in answers)
    offers = offered / len(answers)

    sys.stdout.write(f"right suggestion first: {right / tried:.1%} of {tried}; nonsense that gets one: {offers:.2%}\n")
    assert right / tried >= 0.95
    assert offers <= 0.02
