"""session: what the earlier runs of a session have used, for limits that hold for all of them. Reads only."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.core.events import RunStarted, ToolReturned
from agentspec.core.limits.price import prices_of
from agentspec.core.messages import Used
from agentspec.runtime.journal import AnyRecord, decode
from agentspec.runtime.tally import Tally
from agentspec.spec.settings import Settings


def used_before(store: SqliteStore, session_id: str) -> Used:
    """What every run of this session has used so far, also one that was interrupted or whose process died.

    Raises `JournalError` where a journal of the session can't be trusted: nobody knows then what is left.
    """
    found = Used()
    for line in store.list_runs(session_id=session_id):
        found = _together(found, _used_by(map(decode, store.read_run(line["run_id"]))))
    return found


def _used_by(records: Iterable[AnyRecord]) -> Used:
    tally = Tally(keeps_trace=False)
    tools = 0
    for record in records:
        if isinstance(record, RunStarted):
            tally.spending.prices = prices_of(Settings(record.plan.get("values", {})))
        if isinstance(record, ToolReturned):
            tools += 1 + (0 if record.result.used is None else record.result.used.tool_calls)
        tally.take(record)
    llm = tally.llm
    return Used(
        input_tokens=llm.input_tokens,
        output_tokens=llm.output_tokens,
        cost_usd=llm.cost_usd,
        provider_calls=llm.provider_calls,
        tool_calls=tools,
    )


def _together(one: Used, other: Used) -> Used:
    costs = [each.cost_usd for each in (one, other) if each.cost_usd is not None]
    return replace(
        one,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cost_usd=sum(costs) if costs else None,
        provider_calls=one.provider_calls + other.provider_calls,
        tool_calls=one.tool_calls + other.tool_calls,
    )
