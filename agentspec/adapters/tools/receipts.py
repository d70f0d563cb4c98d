"""receipts: the lines that a layer `audit_log` leaves in its file: one when a call begins and one when it has ended."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentspec.core.calls.canonical import call_key
from agentspec.core.calls.layers import Layer, index_of
from agentspec.core.facts import Facts
from agentspec.core.tools import ToolPlan

HIDDEN = "[redacted]"


def write_receipt(path: Path, line: Mapping[str, Any]) -> None:
    """One write of one line: lines of several runs don't mix. Raises `OSError`."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        os.write(descriptor, (json.dumps({"at": time.time(), **line}) + "\n").encode())
    finally:
        os.close(descriptor)


class Answered:
    """Writes the receipts of calls that a layer within an `audit_log` has answered: they were never carried out.

    Hears the event stream of a run.
    """

    def __init__(self, layers: Sequence[Layer], plans: Mapping[str, ToolPlan], project: Path, user: str) -> None:
        self._layers = [layer for layer in layers if layer.kind == "audit_log" and layer.says.get("path")]
        self._plans = plans
        self._project = project
        self._user = user

    def __bool__(self) -> bool:
        return bool(self._layers)

    def hear(self, event: Mapping[str, Any]) -> None:
        """Take in an event; only results that a layer gave are of any interest."""
        by = event.get("by") if event["kind"] == "tool_result" else None
        plan = self._plans.get(str(event.get("name")))
        for layer in self._layers if by and plan is not None else ():
            arguments = event.get("arguments") or {}
            if plan is None or index_of(str(by)) <= layer.nth or not layer.acts_on(plan, arguments, Facts())[0]:
                continue
            left_out = frozenset(layer.says.get("redact") or ())
            line = {
                "event": "answered",
                "run_id": event["run_id"],
                "call_id": event["call_id"],
                "tool": plan.name,
                "user": self._user,
                "hash": call_key(plan.name, arguments),
                "arguments": {name: HIDDEN if name in left_out else value for name, value in arguments.items()},
                "status": event["status"],
                "by": by,
            }
            write_receipt(self._project / str(layer.says["path"]), line)
