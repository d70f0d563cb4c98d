"""export: a run as JSON lines, each with a checksum, and back into a store.

What comes back is what went out, byte for byte, or nothing: a line that was cut, changed, moved or lost is named.
Artifacts stay where they are; their ids are in the records.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from agentspec.adapters.stores.chain import START, link
from agentspec.adapters.stores.database import FORMAT
from agentspec.errors import JournalError
from agentspec.ports import JournalRecord

_SUM = re.compile(r',"sha256":"([0-9a-f]{64})"\}\Z')


class _Line(msgspec.Struct):
    """One exported record; `body` keeps its bytes."""

    seq: int
    kind: str
    at: float
    prev: str
    body: msgspec.Raw


_LINES = msgspec.json.Decoder(_Line)


def lines_of(run: dict[str, Any], records: Iterable[JournalRecord]) -> Iterator[str]:
    """The lines of a run: what is known about it, its records, and an end that says how many there were."""
    yield _summed({"agentspec": "run", "format": FORMAT, "run": run})
    count, head = 0, START
    for record in records:
        start = json.dumps({"seq": record.seq, "kind": record.kind, "at": record.at, "prev": head.hex()})
        yield _with_sum(f'{start[:-1]}, "body": {record.body.decode()}}}')
        count, head = record.seq, link(run["run_id"], head, record.seq, record.kind, repr(record.at), record.body)
    yield _summed({"end": count, "head": head.hex()})


def read_lines(lines: Iterable[str]) -> tuple[dict[str, Any], list[JournalRecord]]:
    """What was exported. Raises `JournalError` naming the first line that can't be trusted."""
    run: dict[str, Any] = {}
    records: list[JournalRecord] = []
    head = START
    number = 0
    for number, line in enumerate(lines, 1):
        text = _checked(line, number)
        if number == 1:
            run = _header(text)
        elif text.startswith('{"end": '):
            end = _object(text, number)
            if (end.get("end"), end.get("head")) != (len(records), head.hex()):
                raise JournalError(f"line {number} of the export: records are missing before it")
            return run, records
        else:
            record, prev = _record(text, number)
            if record.seq != len(records) + 1 or prev != head.hex():
                raise JournalError(f"line {number} of the export: record {len(records) + 1} is missing before it")
            records.append(record)
            head = link(run["run_id"], head, record.seq, record.kind, repr(record.at), record.body)
    raise JournalError(f"the export is cut off after line {number}" if number else "the export is empty")


def _summed(values: dict[str, Any]) -> str:
    return _with_sum(json.dumps(values, ensure_ascii=False))


def _with_sum(text: str) -> str:
    return f'{text[:-1]},"sha256":"{hashlib.sha256(text.encode()).hexdigest()}"}}'


def _checked(line: str, number: int) -> str:
    """A line without its checksum, which fits."""
    line = line.rstrip("\r\n")
    found = _SUM.search(line)
    if found is None:
        raise JournalError(f"line {number} of the export is cut or is no line of one")
    text = line[: found.start()] + "}"
    if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != found[1]:
        raise JournalError(f"line {number} of the export was changed")
    return text


def _object(text: str, number: int) -> dict[str, Any]:
    """What a line says whose checksum fits: somebody may have written both."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise JournalError(f"line {number} of the export is no line of one")
    return found


def _header(text: str) -> dict[str, Any]:
    header = _object(text, 1)
    format_, run = header.get("format"), header.get("run")
    if header.get("agentspec") != "run" or not isinstance(format_, int) or not isinstance(run, dict):
        raise JournalError("this is no export of a run")
    if format_ > FORMAT:
        raise JournalError(
            f"the export was written by a newer version: its format is {format_}, "
            f"this version reads up to {FORMAT}; upgrade agentspec"
        )
    if not isinstance(run.get("run_id"), str):
        raise JournalError("the export does not say which run it is of")
    odd = next((name for name, value in run.items() if not _can_be_kept(value)), None)
    if odd is not None:
        raise JournalError(f"what the export says of its run under `{odd}` can't be kept")
    return run


def _can_be_kept(value: object) -> bool:
    """Whether a database takes a value: no half characters, no number of more than 64 bits."""
    match value:
        case str():
            return value.encode(errors="replace").decode() == value
        case int():
            return -(2**63) <= value < 2**63
        case _:
            return True


def _record(text: str, number: int) -> tuple[JournalRecord, str]:
    try:
        line = _LINES.decode(text)
    except msgspec.DecodeError as error:
        raise JournalError(f"line {number} of the export is no record: {error}") from error
    return JournalRecord(seq=line.seq, kind=line.kind, at=line.at, body=bytes(line.body)), line.prev
