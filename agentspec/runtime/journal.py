"""journal: the records of a run as bytes, and back. The format is the records of `core` in JSON, nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import msgspec

from agentspec.core.events import Answered, AnyEvent, Event, Resumed, ToolReturned
from agentspec.core.orders import AnyOrder, Ask, CallTool, Finish, Pending
from agentspec.errors import JournalError
from agentspec.ports import JournalRecord

AnyRecord: TypeAlias = AnyEvent | AnyOrder
DECIDING = ("person", "command", "python")  # who is asked may act, or decides what is acted on
LASTING = frozenset((Finish, CallTool, ToolReturned, Ask, Answered))  # records that may have to outlive the machine
TURNING = frozenset((Resumed, Finish))  # records with which a run goes on or ends; that it runs is known from its start
FORMAT = 1  # raised when an older program could no longer read what is written

_ENCODER = msgspec.json.Encoder()


def encode(record: AnyRecord, at: float) -> tuple[str, float, bytes]:
    """A record as the store takes it: kind, time, body."""
    return _kind_of(type(record)), at, _ENCODER.encode(record)


@cache
def _kind_of(record: type[AnyRecord]) -> str:
    return str(record.__struct_config__.tag)


class _Header(msgspec.Struct):
    """What every format of a journal says in its first record."""

    plan: dict[str, Any] = {}


def require_format(first: JournalRecord) -> None:
    """Raise `JournalError` unless this version reads the format that a journal's first record names."""
    try:
        plan = msgspec.json.decode(first.body, type=_Header).plan
    except msgspec.DecodeError:
        plan = {}
    found, writer = plan.get("format"), plan.get("written_by", "an unknown version")
    if not isinstance(found, int) or found < 1:
        raise JournalError("the journal's first record names no format: this version can't read it")
    if found > FORMAT:
        raise JournalError(
            f"the journal was written by `{writer}` in format {found}, this version reads up to {FORMAT}: "
            "use that version or a newer one"
        )


@cache
def _decoder() -> msgspec.json.Decoder[AnyRecord]:
    return msgspec.json.Decoder(AnyRecord)  # of all records there are: a run that begins anew reads none


def decode(record: JournalRecord) -> AnyRecord:
    """A stored record read back. Raises `JournalError` with its number where it is no record of ours."""
    try:
        return _decoder().decode(record.body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise JournalError(f"record {record.seq} of the journal can't be read: {error}") from error


def needs_barrier(record: AnyRecord, pending: Mapping[int, Pending]) -> bool:
    """Whether a record has to outlive the machine before the run goes on; the rest only outlives the process.

    That is the intent and the result of a call that may change something, what a person decided, and the end.
    `pending` holds the orders that are not answered yet.
    """
    if type(record) not in LASTING:
        return False
    match record:
        case CallTool():
            return record.repeat != "read"
        case ToolReturned():
            order = pending.get(record.order)
            return isinstance(order, CallTool) and order.repeat != "read"
        case Ask() | Answered():
            return record.who in DECIDING
        case _:
            return True


def line_of(records: Sequence[tuple[AnyRecord, float]]) -> dict[str, Any] | None:
    """What these records change in the line about their run; None where they change nothing."""
    line: dict[str, Any] | None = None
    for record, at in records:
        if type(record) not in TURNING:
            continue
        if isinstance(record, Finish):
            line = {"status": record.outcome.status, "stop_reason": record.outcome.reason, "finished_at": at}
        else:
            line = {"status": "running", "stop_reason": None, "finished_at": None}
    return line


def steps(records: Iterable[JournalRecord]) -> Iterator[tuple[AnyEvent, tuple[AnyOrder, ...]]]:
    """The events of a journal, each with the orders that it led to."""
    event: AnyEvent | None = None
    orders: list[AnyOrder] = []
    for stored in records:
        record = decode(stored)
        if not isinstance(record, Event):
            orders.append(record)
            continue
        if event is not None:
            yield event, tuple(orders)
        event, orders = record, []
    if event is not None:
        yield event, tuple(orders)
