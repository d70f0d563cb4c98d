"""world: scripted ports: a model that answers from a list, tools that are functions, a clock that jumps, a journal in
memory. For tests of the shell without a process, a file or a network.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentspec.core.events import RunStarted
from agentspec.core.messages import Failure, Reply, ToolError, UserMessage
from agentspec.core.plan import Plan
from agentspec.errors import JournalError
from agentspec.ports import Delta, Invocation, JournalRecord, ModelRequest, Output
from agentspec.runtime.drive import Driver
from agentspec.runtime.masking.mask import Mask
from agentspec.runtime.perform import Performer
from agentspec.runtime.ports import Ports
from agentspec.runtime.result import Result
from agentspec.runtime.stream import Stream
from agentspec.runtime.tally import Tally


class ListModel:
    """Answers with the given replies in order; a coroutine function among them is awaited with the request.

    >>> from agentspec.core.messages import Reply
    >>> from agentspec.core.transcript import Transcript
    >>> asyncio.run(ListModel(Reply(text="hi")).answer(ModelRequest(transcript=Transcript()), None)).text
    'hi'
    """

    provider = "list"
    name = "list"

    def __init__(self, *answers: Reply | Failure | Callable[[ModelRequest], Awaitable[Reply | Failure]]) -> None:
        self.answers = list(answers)
        self.requests: list[ModelRequest] = []
        self.is_closed = False

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        self.requests.append(request)
        given = self.answers.pop(0)
        answer: Reply | Failure = await given(request) if callable(given) else given
        if listen is not None and isinstance(answer, Reply) and answer.text:
            listen(Delta(kind="text_delta", text=answer.text))
        return answer

    async def close(self) -> None:
        self.is_closed = True


class FunctionTool:
    """A tool that is a function of its arguments, async or not; what it raises is the tool's failure.

    >>> double = FunctionTool(lambda x: 2 * x)
    >>> asyncio.run(double.call(Invocation(name="double", call_id="c1", arguments={"x": 4}, key="k"))).data
    8
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.calls: list[Invocation] = []

    async def call(self, invocation: Invocation) -> Output:
        self.calls.append(invocation)
        result = self.function(**invocation.arguments)
        if asyncio.iscoroutine(result):
            result = await result
        return result if isinstance(result, Output) else Output(text=str(result), data=result)

    async def close(self) -> None: ...


class JumpingClock:
    """Time that passes only by sleeping, at once.

    >>> clock = JumpingClock(now=0.0)
    >>> asyncio.run(clock.sleep(30))
    >>> clock.now(), clock.slept
    (30.0, [30])
    """

    def __init__(self, now: float = 1000.0) -> None:
        self.time = now
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def elapsed(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)


class MemoryJournal:
    """A journal that a test can look into; with `fail_at` that append, from 0, and all later ones fail.

    >>> journal = MemoryJournal()
    >>> journal.append([("note", 1.0, b"{}")], barrier=False)
    1
    >>> [record.kind for record in journal.records]
    ['note']
    """

    def __init__(self, run_id: str = "r", records: Sequence[JournalRecord] = (), fail_at: int | None = None) -> None:
        self.run_id = run_id
        self.records = list(records)
        self.appends: list[tuple[int, bool]] = []
        self.flushed: list[int] = []  # the records that were there at each flush
        self.fields: dict[str, Any] = {}
        self.fail_at = fail_at

    def append(
        self,
        records: Sequence[tuple[str, float, bytes]],
        *,
        barrier: bool,
        line: Mapping[str, Any] | None = None,
    ) -> int:
        if self.fail_at is not None and len(self.appends) >= self.fail_at:
            raise JournalError("the disk is full")
        self.appends.append((len(records), barrier))
        for kind, at, body in records:
            self.records.append(JournalRecord(seq=len(self.records) + 1, kind=kind, at=at, body=body))
        self.fields |= line or {}
        return len(self.records)

    async def flush(self, *, durable: bool) -> None:
        if durable:
            self.flushed.append(len(self.records))

    def check_lease(self) -> None: ...

    def read(self) -> list[JournalRecord]:
        return list(self.records)

    def describe(self, fields: Mapping[str, Any]) -> None:
        self.fields |= fields

    def close(self) -> None: ...


class MemoryArtifacts:
    """Artifacts in a mapping.

    >>> artifacts = MemoryArtifacts()
    >>> artifacts.read(artifacts.put(b"a long output"), 2, 4)
    b'long'
    """

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def put(self, data: bytes | Path) -> str:
        content = data.read_bytes() if isinstance(data, Path) else data
        name = hashlib.sha256(content).hexdigest()
        self.kept[name] = content
        return name

    def read(self, artifact: str, offset: int, length: int) -> bytes:
        return self.kept[artifact][offset : offset + length]

    def size(self, artifact: str) -> int:
        return len(self.kept[artifact])


class World:
    """Everything that a run needs, scripted, and a driver on it. One world is one run.

    >>> from agentspec.core.messages import Reply
    >>> from agentspec.testing.kernel import call, plan_for, tool
    >>> model = ListModel(Reply(calls=(call("look"),)), Reply(text="A book."))
    >>> world = World(plan_for({}, tool("look")), model, {"look": lambda: "a book"})
    >>> result = asyncio.run(world.run("What is there?"))
    >>> result.status, result.text, result.tools.calls
    ('done', 'A book.', ['look'])
    """

    def __init__(
        self,
        plan: Plan,
        model: ListModel,
        tools: Mapping[str, Callable[..., Any]] | None = None,
        *,
        journal: MemoryJournal | None = None,
        result_max: int = 4096,
        mask: Mask | None = None,
    ) -> None:
        self.events: list[dict[str, Any]] = []
        self.model = model
        self.tools = {name: FunctionTool(function) for name, function in (tools or {}).items()}
        self.clock = JumpingClock()
        self.journal = journal or MemoryJournal()
        self.artifacts = MemoryArtifacts()
        self.stream = Stream(self.journal.run_id, (self.events.append,))
        self.tally = Tally()
        ports = Ports(model=model, tools=self.tools, clock=self.clock, journal=self.journal, artifacts=self.artifacts)
        performer = Performer(plan, ports, result_max, lambda delta: self.stream.live(delta, self.clock.now()), mask)
        self.driver = Driver(plan, ports, performer, self.stream, self.tally)

    async def run(self, task: str) -> Result:
        """Drive the run to its end; its result has the trace."""
        opening = (UserMessage(text=task),)
        name, spec_hash = self.driver.plan.name, self.driver.plan.spec_hash
        started = RunStarted(
            at=self.clock.now(),
            run_id=self.journal.run_id,
            session_id=self.journal.run_id,
            opening=opening,
            spec_name=name,
            spec_hash=spec_hash,
        )
        state = await self.driver.drive(self.driver.state, [started])
        return self.tally.result(state, wants_trace=True)

    def kinds(self) -> list[str]:
        """The kinds of the events that went by, in order."""
        return [event["kind"] for event in self.events]


def failed(message: str, category: str = "failed") -> Output:
    """What a tool gives that failed.

    >>> failed("no such page").status
    'error'
    """
    return Output(error=ToolError(category=category, message=message), status="error")
