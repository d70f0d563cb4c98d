"""expressions: what an expression, or a `${…}` in a text, may say where the cursor is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentspec.checker.questions.compared import LISTS, OF_RESULT
from agentspec.compose.inputs import declared_inputs
from agentspec.expressions.types import spell
from agentspec.lsp.completion.cursor import Cursor
from agentspec.lsp.completion.named import Place, called_tools
from agentspec.lsp.completion.offer import Offer, OfferKind
from agentspec.lsp.vocabulary import Known, Vocabulary

CHAIN = re.compile(r"((?:[A-Za-z_]\w*(?:\[[^\[\]]*\])*\.)*)\Z")
COMPARED = re.compile(r"([A-Za-z_][\w.\[\]]*)\s*[!=]=\s*[\"']\Z")
LISTED = re.compile(rf"\w*[\"']\s+in\s+[\w.]*\b(?:{'|'.join((*LISTS, *(f'tools.{each}' for each in OF_RESULT)))})\b")
IN_TEXT = re.compile(r"(?:[^\"']|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')*+[\"']")
TOOL_NAME = ("tool.name", "repeated_tool", "message.tool")
SLOT, INPUTS = "${", "inputs"
SETTING = re.compile(rf"\s*{INPUTS}\.\Z")


def expression_offers(cursor: Cursor, vocabulary: Vocabulary, *, is_template: bool) -> Iterator[Offer]:
    """What could be said at the cursor; in a quoted text only names of tools and the words of an enum."""
    text = slot_of(cursor.lead) if is_template else cursor.lead
    if text is None:
        return
    if IN_TEXT.match(text):
        yield from (_offer(cursor, Known(word, "", ""), "word") for word in _texts(cursor, vocabulary, text))
        return
    chain = CHAIN.search(text)
    before = chain[1].rstrip(".") if chain is not None else ""
    if before == INPUTS:
        yield from input_offers(cursor)
        return
    for known in vocabulary.after(before, text) if before else vocabulary.first():
        yield _offer(cursor, known, "function" if known.is_function else "field")


def setting_offers(cursor: Cursor) -> Iterator[Offer]:
    """What a `${…}` may say in a setting that is no text for a model: there only inputs are put in."""
    text = slot_of(cursor.lead) or ""
    if not text.strip():
        yield _offer(cursor, Known(INPUTS, "", ""), "field")
    elif SETTING.match(text):
        yield from input_offers(cursor)


def slot_of(lead: str) -> str | None:
    """What is typed of a `${…}` that is open; None where none is."""
    opened = lead.rfind(SLOT)
    return None if opened < 0 or "}" in lead[opened:] else lead[opened + len(SLOT) :]


def input_offers(cursor: Cursor) -> Iterator[Offer]:
    """What may stand behind `inputs.`, also in a preset, whose users may have more of them."""
    for one in declared_inputs(cursor.part.composed.tree).values():
        yield _offer(cursor, Known(one.name, spell(one.type), ""), "field")


def _texts(cursor: Cursor, vocabulary: Vocabulary, text: str) -> Iterator[str]:
    """What a quoted text may be that is compared with something."""
    compared = COMPARED.search(text)
    if LISTED.match(cursor.trail) or (compared is not None and compared[1].endswith(TOOL_NAME)):
        yield from called_tools(Place(cursor.part, cursor.path))
    elif compared is not None:
        yield from vocabulary.members(compared[1])


def _offer(cursor: Cursor, known: Known, kind: OfferKind) -> Offer:
    text = f"{known.name}($0)" if known.is_function else known.name
    return Offer(known.name, kind, text, cursor.start, cursor.end, known.form, known.about, int(known.is_function))
