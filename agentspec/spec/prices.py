"""prices: the keys that say what a model costs; the same beside the worker's model and a judge's."""

from __future__ import annotations

from agentspec.spec.base import Maybe, Record, key
from agentspec.spec.kinds import Price


class Prices(Record):
    """What a model costs, in US dollars; the token prices are for a million tokens."""

    input: Maybe[Price] = key("A million input tokens.", None)
    output: Maybe[Price] = key("A million output tokens.", None)
    cached_input: Maybe[Price] = key("A million input tokens that came from the provider's cache.", None)
    cache_write: Maybe[Price] = key("A million input tokens that were written to the provider's cache.", None)
    per_call: Maybe[Price] = key("One call, whatever its size.", None)
    search: Maybe[Price] = key("One search of the web that the provider makes itself.", None)
    searched: Maybe[Price] = key("One answer for which the provider has searched, however often.", None)
    per_second: Maybe[Price] = key("One second of a call, for hardware that is paid by time.", None)
