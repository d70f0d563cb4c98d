"""Whatever a text looks like while somebody types, every question has an answer."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from agentspec.lsp.completion.offers import offers_at
from agentspec.lsp.desk import Desk
from agentspec.lsp.hover import hover
from agentspec.lsp.references import declaration_at, definitions
from agentspec.lsp.symbols import symbols

ROOT = Path(__file__).parents[2]
SPECS = sorted(
    path
    for folder in ("examples", "stdlib/presets")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".yaml", ".agent")
)
TYPED = ("{", "[", '"', "'", "${", "when ", ": ", "- ", "=> ", "\n", "😀", "!", "&a ", "*a ", "inputs.", "# ")


def asked(path: Path, text: str, offset: int) -> None:
    """Every question about a place in a text."""
    desk, name = Desk(), str(path)
    desk.put(name, text)
    part = desk.sheet(name).part_at(offset)
    if part is not None:
        found = hover(part, offset)
        assert found is None or 0 <= found.span.start <= found.span.end <= len(text)
        definitions(part, offset)
        declaration_at(part, offset)
    symbols(desk.sheet(name).parsed)
    cursor = desk.cursor(name, offset)
    for offer in offers_at(cursor) if cursor is not None else ():
        assert 0 <= offer.start <= offset <= offer.end <= len(text)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_every_question_has_an_answer_while_somebody_types(seed: int) -> None:
    chance = random.Random(seed)

    for path in chance.choices(SPECS, k=60):
        text = path.read_text("utf-8")
        at = chance.randrange(len(text) + 1)
        for typed in (text, text[:at], text[:at] + chance.choice(TYPED) + text[at:], text[:at] + text[at + 30 :]):
            asked(path, typed, min(at, len(typed)))


@pytest.mark.parametrize("text", ["", "\n", "# a comment", "[a, b]", "agent", "a: &x\n  b: *x\n", "\ufeffname: a\n"])
@pytest.mark.parametrize("name", ["a.yaml", "a.agent"])
def test_a_text_that_is_hardly_one_has_answers(name: str, text: str) -> None:
    for offset in (0, len(text)):
        asked(ROOT / name, text, offset)
