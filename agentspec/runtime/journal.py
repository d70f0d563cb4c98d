"""journal: the records of a run as bytes, and back. The format is the records of `core` in JSON, nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import msgspec

from agentspec.core.events import AnyEvent, Event
from agentspec.core.orders import AnyOrder
from agentspec.errors import JournalError
from agentspec.ports import JournalRecord

AnyRecord: TypeAlias = AnyEvent | AnyOrder
FORMAT = 1  # raised when an older program could no longer read what is written

_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[AnyRecord] = msgspec.json.Decoder(AnyRecord)


def encode(record: AnyRecord, at: float) -> tuple[str, float, bytes]:
    """A record as the store takes it: kind, time, body."""
    kind = type(record).__struct_config__.tag
    assert isinstance(kind, str)
    return kind, at, _ENCODER.encode(record)


def decode(record: JournalRecord) -> AnyRecord:
    """A stored record read back. Raises `JournalError` with its number where it is no record of ours."""
    try:
        return _DECODER.decode(record.body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise JournalError(f"record {record.seq} of the journal can't be read: {error}") from error


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
