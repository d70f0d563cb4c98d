"""jobs: the commands of one run, in the foreground or behind, with what they have printed. None outlives its run."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence

from agentspec.adapters.tools.programs.capture import Capture
from agentspec.adapters.tools.programs.process import Command, Finished, Watch, run_process
from agentspec.adapters.tools.programs.starting import StartFailed

MOST_RUNNING = 16
SELDOM = 30.0  # seconds between two reports of a command that runs for long
MOST_KEPT = 64  # of those that have ended, the latest
_NAME = 6  # characters of a key that tell a run's calls apart


class TooMany(Exception):
    """More commands at once than a run may have."""


class Job:
    """One command. `outcome` is there when it has ended, `problem` where it could not be started."""

    def __init__(self, name: str, command: Command) -> None:
        self.name, self.command = name, command
        self.stdout = Capture(command.keep, command.spill_max)
        self.stderr = Capture(command.keep, command.spill_max)
        self.unfiltered = Capture(command.keep, command.spill_max) if command.tap else None
        self.outcome: Finished | None = None
        self.problem = ""
        self.is_cancelled = False
        self._started = asyncio.Event()
        self._began = time.monotonic()
        self._ended: float | None = None
        self._task = asyncio.create_task(self._run(), name=f"job {name}")

    @property
    def is_running(self) -> bool:
        return not self._task.done()

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return (time.monotonic() if self._ended is None else self._ended) - self._began

    def stream(self, name: str) -> Capture:
        if name == "unfiltered":
            return self.unfiltered or self.stdout  # without a filter it is the same
        return self.stderr if name == "stderr" else self.stdout

    async def wait(self, seconds: float | None) -> bool:
        """Whether it has ended within that time. Whoever is cancelled while waiting takes the command with him."""
        try:
            await asyncio.wait((self._task,), timeout=seconds)
        except asyncio.CancelledError:
            await self.cancel()
            raise
        return not self.is_running

    def report(self, every: float, tell: Callable[[Job], None]) -> None:
        """Tell how it stands while it runs, after `every` seconds and then ever less often."""
        reporting = asyncio.create_task(self._report(every, tell), name=f"report {self.name}")
        self._task.add_done_callback(lambda _: reporting.cancel())

    async def _report(self, every: float, tell: Callable[[Job], None]) -> None:
        while True:
            await asyncio.sleep(every)
            tell(self)
            every = max(every, min(2 * every, SELDOM))

    async def started(self) -> None:
        """Come back when it runs, or has ended, or could not be started."""
        await self._started.wait()

    async def cancel(self) -> None:
        """Stop it and whatever it started, and come back when nothing is left."""
        if self.is_running:
            self.is_cancelled = True
            self._task.cancel()
            while self.is_running:
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait((self._task,))

    def forget(self) -> None:
        """Give back what its output takes on the disk."""
        for capture in filter(None, (self.stdout, self.stderr, self.unfiltered)):
            capture.discard()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()

        def tell() -> None:
            loop.call_soon_threadsafe(self._started.set)

        watch = Watch(self.stdout, self.stderr, tell, self.unfiltered)
        try:
            self.outcome = await run_process(self.command, watch)
        except StartFailed as failure:
            self.problem = str(failure)
        finally:
            self._ended = time.monotonic()
            self._started.set()


class Jobs:
    """Those of one run in this process."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}

    def start(self, command: Command, key: str) -> Job:
        """Start a command for the call with this idempotency key. Raises `TooMany`.

        Its name comes from the key, so that after a resume no name means another command than before.
        """
        if sum(job.is_running for job in self._jobs.values()) >= MOST_RUNNING:
            raise TooMany
        name = f"c{key[:_NAME]}"
        while name in self._jobs:  # the same call once more
            name += "+"
        job = Job(name, command)
        self._jobs[job.name] = job
        ended = [job for job in self._jobs.values() if not job.is_running]
        for old in ended[:-MOST_KEPT]:
            old.forget()
            del self._jobs[old.name]
        return job

    def find(self, name: str) -> Job | None:
        return self._jobs.get(name)

    @property
    def names(self) -> Sequence[str]:
        return tuple(self._jobs)

    async def close(self) -> None:
        """Stop all that runs, and give back what all took on the disk."""
        jobs = list(self._jobs.values())
        await asyncio.gather(*(job.cancel() for job in jobs))
        for job in jobs:
            job.forget()
