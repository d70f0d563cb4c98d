"""served: what a provider charges for tools that it ran itself while it answered, as far as anybody knows. Pure.

Providers charge for searches by the number, and for containers by the hour or the session: that nobody can tell from an
answer, so it is said to be unknown, and never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentspec.core.messages import ProviderCall, Reply
from agentspec.core.offer.native import SEARCH

SEARCHES = ("web_search", "google_search")
# What costs nothing beside the tokens that it brings.
FREE = (SEARCH, "web_fetch", "url_context", "mcp")
FREE_AT = {"google": ("code_execution",)}


def charge_of(reply: Reply, search: float | None, searched: float | None) -> float:
    """The dollars for the searches of a reply; a search that failed or is not over costs nothing.

    >>> from agentspec.core.messages import ProviderCall, Reply
    >>> charge_of(Reply(provider_calls=(ProviderCall("web_search"), ProviderCall("mcp"))), 0.01, None)
    0.01
    """
    count = sum(_searches(reply))
    if search is not None:
        return count * search
    return (searched or 0.0) if count else 0.0


def unpriced(reply: Reply, search: float | None, searched: float | None) -> list[str]:
    """The tools of a reply of which nobody knows what the provider charges for them.

    >>> from agentspec.core.messages import ProviderCall, Reply
    >>> unpriced(Reply(provider_calls=(ProviderCall("code_interpreter"), ProviderCall("web_search"))), 0.01, None)
    ['code_interpreter']
    """
    is_known = search is not None or searched is not None
    free = (*FREE, *FREE_AT.get(reply.provider, ()), *(SEARCHES if is_known else ()))
    return list(dict.fromkeys(call.name for call in reply.provider_calls if call.name not in free))


def _searches(reply: Reply) -> Iterator[int]:
    return (_times(call) for call in reply.provider_calls if call.name in SEARCHES and call.status == "ok")


def _times(call: ProviderCall) -> int:
    """How often one call has searched: opening a page is none, and several queries may come as one."""
    asked = call.arguments if isinstance(call.arguments, dict) else {}
    action = asked.get("action")
    if isinstance(action, dict):
        return int(action.get("type", "search") == "search")
    queries = asked.get("queries")
    return len(queries) if isinstance(queries, list) and queries else 1
