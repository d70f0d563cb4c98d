"""offers: what could be written at the cursor: keys, words, names of the spec, and what an expression may say."""

from __future__ import annotations

from agentspec.expressions.places import PLACES
from agentspec.lsp.completion.cursor import BEFORE, Cursor, begins_document
from agentspec.lsp.completion.expressions import expression_offers, setting_offers, slot_of
from agentspec.lsp.completion.keys import key_offers
from agentspec.lsp.completion.offer import Offer
from agentspec.lsp.completion.values import value_offers
from agentspec.lsp.vocabulary import Vocabulary

DOCUMENTS = {
    "agent": "agent $0 {\n}\n",
    "preset": "preset $0 {\n}\n",
    "library": 'library $0 "0.1.0" {\n}\n',
    "scenario": 'scenario "$0" for  {\n}\n',
}


def offers_at(cursor: Cursor) -> list[Offer]:
    """Everything that could stand where the cursor is."""
    if cursor.entry is not None:
        return list(key_offers(cursor))
    mark = next((one for one in cursor.part.marks if one.node.span == cursor.scalar.span), None)
    kind = mark.annotation.get("kind") if mark is not None else None
    if mark is not None and kind in ("expression", "template"):
        vocabulary = Vocabulary(PLACES[str(mark.annotation["place"])], cursor.part.scopes.at(mark.path))
        return list(expression_offers(cursor, vocabulary, is_template=kind == "template"))
    if slot_of(cursor.lead) is not None:
        return list(setting_offers(cursor))
    return list(value_offers(cursor, cursor.path))


def heads_at(path: str, text: str, offset: int) -> list[Offer]:
    """The words that begin a document of the DSL, where one could begin."""
    word = BEFORE.search(text, 0, offset)
    if word is None or not begins_document(path, text, offset):
        return []
    return [Offer(head, "key", text, word.start(), offset) for head, text in DOCUMENTS.items()]
