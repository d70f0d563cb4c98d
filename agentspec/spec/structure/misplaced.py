"""misplaced: a value that is right a step away: a rule's reason beside its verb, a word in a list of rules.

It decides nothing about what is allowed: that the value doesn't fit was found by the walk.
"""

from __future__ import annotations

from typing import Final

from agentspec.spec.schema import Form, form
from agentspec.spec.schema import Node as Wanted
from agentspec.spec.structure import words
from agentspec.spec.structure.findings import error, replace
from agentspec.spec.structure.repair import is_dsl
from agentspec.spec.structure.unfit import ONE_LINE, words_of
from agentspec.syntax.tree import Entry, Mapping, Node, Path, Scalar, Sequence
from agentspec.text.diagnostic import Diagnostic, Fix

REASON: Final = "reason"
_WRONG: Final = ("AS201", "AS207")


def as_reason(found: Diagnostic, entry: Entry, value: Wanted, rule: Mapping) -> Diagnostic:
    """The finding, with the way out where words stand at a verb of a rule that takes `true`: `drop "why"`."""
    node, allowed = entry.value, form(value)
    takes_true = allowed.boolean is not None and allowed.boolean.get("const") is True and allowed.mapping is None
    if not takes_true or found.code not in _WRONG or found.fix is not None or rule.entry(REASON) is not None:
        return found
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or not any(map(str.isalpha, node.value)):
        return found
    fix = _beside(entry, node, rule) if node.style in ONE_LINE else None
    return found._replace(help="write `true` there; the words are its `reason`", fix=fix)


def _beside(entry: Entry, node: Scalar, rule: Mapping) -> Fix:
    """`true` in place of the words, and the words where the spelling has a place for a reason."""
    written, source = node.span.text, node.span.source
    before = source.text[: node.span.start].rstrip()
    if is_dsl(source) and not before.endswith(":"):
        text = f"true {written}"
    elif rule.flow or is_dsl(source):
        key = f'"{REASON}"' if source.name.endswith(".json") else REASON
        text = f"true, {key}: {written}"
    else:
        column = entry.key.span.start - (source.text.rfind("\n", 0, entry.key.span.start) + 1)
        text = f"true\n{' ' * column}{REASON}: {written}"
    return replace(node.span, text, "give the words as `reason`")


def word_in_list(node: Sequence, wanted: Wanted, allowed: Form, path: Path) -> Diagnostic | None:
    """Words that stand alone at a key whose lists hold something else: `projection: [clean_tool_repair]`."""
    if not allowed.texts or not node.items or allowed.sequence is None or form(allowed.sequence["items"]).texts:
        return None
    known = words_of(allowed)
    if not all(isinstance(item, Scalar) and item.value in known for item in node.items):
        return None
    message = f"expected {words.wanted(wanted)}, found a list of words"
    help_text = "write the value without a list" if len(node.items) == 1 else "write one of them, without a list"
    return error("AS201", message, node.span, path, help=help_text, fix=_alone(node, node.items[0]))


def _alone(node: Sequence, item: Node) -> Fix | None:
    if len(node.items) > 1 or not node.flow:
        return None
    return replace(node.span, item.span.text, f"write `{item.span.text}`")
