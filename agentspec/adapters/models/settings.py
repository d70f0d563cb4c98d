"""settings: what a spec says about the model that answers, as the adapters need it.

No key stands in here: keys come from the environment when a model is made, and stay in its target.
"""

from __future__ import annotations

from typing import Any

from agentspec.adapters.models.pieces import MAX_ANSWER
from agentspec.core.record import Record


class ModelSettings(Record, frozen=True):
    """One route. Durations in seconds; `stream` None is the author's `auto`: streamed where somebody listens.

    `sampling` holds `temperature`, `top_p`, `seed`, `stop`, … exactly as they go out; `options` is passed through and
    wins over everything that is set here. `idle_timeout` is for streams, `first_byte_timeout` (None: only `timeout`
    counts) for the wait until the server begins to answer; an answer over `max_bytes` is refused.
    """

    provider: str = ""
    model: str = ""
    base_url: str | None = None
    api_key_env: str | None = None
    headers: dict[str, str] = {}
    options: dict[str, Any] = {}
    sampling: dict[str, Any] = {}
    reasoning: Any = None  # as a spec has it
    # Of the model, where its own provider serves it.
    is_known_to_think: bool = False
    longest_answer: int | None = None
    timeout: float = 120.0
    idle_timeout: float = 60.0
    connect_timeout: float = 10.0
    first_byte_timeout: float | None = None
    max_bytes: int = MAX_ANSWER
    context_window: int | None = None  # where the author says it: what a local model is loaded with
    stream: bool | None = None
    cache_ttl: str | None = "5m"  # how long a provider that is told so keeps a prompt; None: it is told nothing
