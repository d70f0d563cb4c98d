"""ask_user: the toolkit with which a model asks the person that it works for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentspec.adapters.tools.kit import KitTool, Offered, Setting, offer
from agentspec.adapters.tools.offered.asked import FOREVER, AskedTool

DESCRIPTION = (
    "Asks the person you work for, and gives their answer. Use it when you can't go on without what only they know or "
    "decide; ask one clear question. They may take long."
)
PARAMETERS: dict[str, Any] = {
    "question": {"type": "string", "minLength": 1, "description": "The question, in whole sentences."},
    "options": {
        "items": {"type": "string", "minLength": 1},
        "maxItems": 20,
        "optional": True,
        "description": "Answers to choose from, where there are a few. The person may answer otherwise.",
    },
}


def toolkit(options: Mapping[str, Any], setting: Setting) -> Offered:
    """The one tool of the toolkit."""
    timeout = options.get("timeout")
    tool = AskedTool("question", setting.person, FOREVER if timeout is None else float(timeout), setting.tell)
    # The same question may be asked again when a run goes on; it ends the turn, since everything may hang on it.
    asks = KitTool(
        "ask_user", DESCRIPTION, PARAMETERS, tool, effect="terminal", repeat="idempotent", timeout=FOREVER, work="other"
    )
    return offer("ask_user", [asks], options, setting)
