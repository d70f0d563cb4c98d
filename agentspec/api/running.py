"""running: one run that is ready to go or going on, with everything that it needs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.adapters.clock import QuickClock, SystemClock
from agentspec.adapters.mcp.servers import Difference, Servers
from agentspec.adapters.outside import Outside
from agentspec.adapters.people.person import NO_ANSWERS, Answers, Person
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.adapters.tools.offered.agent_tool import Call
from agentspec.adapters.tools.receipts import Answered
from agentspec.adapters.tools.web.pools import Pools
from agentspec.api.assembly.assemble import Names, filled_tools
from agentspec.api.assembly.blueprint import Blueprint
from agentspec.api.assembly.bounded import bounded
from agentspec.api.assembly.equip import Known, Reach, equip, leaves_running, with_recorded, wrapped
from agentspec.api.assembly.guards import require_allowed
from agentspec.api.assembly.journaled import with_blanked_words
from agentspec.api.assembly.layers import Layers
from agentspec.api.assembly.models import Models
from agentspec.api.assembly.own_tools import result_max
from agentspec.api.assembly.respondents import Respondents
from agentspec.api.assembly.servers import catalogue_from
from agentspec.api.assembly.sinks import sinks_of, write_transcript
from agentspec.api.assembly.worker import draw_on, worker_of
from agentspec.api.options import RunOptions
from agentspec.api.scenarios.record import journals_of, shared_agents, told_to, write_scenario
from agentspec.core.calls.layers import layers_of
from agentspec.core.events import AnyEvent, ToolReturned, ToolsChanged, UserSaid
from agentspec.core.messages import Reply
from agentspec.core.orders import Pending
from agentspec.core.tools import ToolPlan
from agentspec.errors import JournalError
from agentspec.ports import Journal, JournalRecord, Respondent, Tool
from agentspec.runtime.answered import answered
from agentspec.runtime.drive import Driver
from agentspec.runtime.journal import decode
from agentspec.runtime.offers import is_restorable
from agentspec.runtime.perform import Performer
from agentspec.runtime.ports import Ports
from agentspec.runtime.pots import Branch, Pots
from agentspec.runtime.result import Result
from agentspec.runtime.resume import fold
from agentspec.runtime.stream import Stream
from agentspec.runtime.tally import Tally

NAMED = 100  # tools that an event names of those that a server has changed


class Part(NamedTuple):
    """What part a run has in a tree of runs: its own name and its parent's, who is outside, how it calls agents, and
    the servers of its parent, and the connections that it shares, and what a script may do to it.
    """

    run_id: str | None = None
    parent: str | None = None
    person: Respondent | None = None
    call: Call | None = None
    lender: Servers | None = None
    pools: Pools | None = None
    outside: Outside | None = None


ALONE = Part()


class Running:
    """A run that is going on: it can be told to stop, and waited for."""

    def __init__(
        self,
        blueprint: Blueprint,
        names: Names,
        options: RunOptions,
        journal: Journal,
        models: Models,
        store: SqliteStore,
        servers: Servers | None = None,
        part: Part = ALONE,
    ) -> None:
        self.mask = blueprint.mask(os.environ)
        blueprint.values = with_blanked_words(blueprint.values, self.mask)
        self.blueprint = blueprint
        self.options = options
        self.journal = journal
        self.store = store
        self.kept_in = store.path.parent
        self.run_id = journal.run_id
        self.models = models  # as they are: `asked` are the same with what the spec puts around them
        self.servers = servers
        clock = QuickClock() if options.skip_waits and not leaves_running(blueprint.settings) else SystemClock()
        self._meet(part, clock.sleep)
        plans, tools = self._equip(part, names)
        self.plan = blueprint.plan(plans)
        self.asked = Layers(blueprint.settings, store.answers, self._kept, clock).around(models)
        self.ports = Ports(
            model=worker_of(blueprint.settings, self.asked.routes, self.asked.shadow),
            judges=self.asked.judges,
            tools=tools,
            clock=clock,
            journal=journal,
            artifacts=store.artifacts,
            people=Respondents(blueprint.settings, blueprint.folder, names, self.person),
            names=names,
        )
        self._tell_of(names)
        self.driver = Driver(self.plan, self.ports, self._performer(names), self.stream, self.tally)
        if isinstance(clock, QuickClock):
            clock.timetable = self.driver
        if servers is not None:
            servers.on_change = self._hear_of_tools
        self.state = self.driver.state
        self.first: list[AnyEvent] = []  # the events that set the run going
        self.branch: Branch | None = None  # of pots that it shares
        self.again: list[Pending] = []  # orders that an earlier process left without an answer

    def _meet(self, part: Part, sleep: Callable[[float], Awaitable[None]]) -> None:
        """Who is there: the world outside, and the person."""
        self.outside = part.outside or Outside(sleep, partial(self.abort, "signal"), self._say)
        self.models.play_in(self.outside)
        self.person = part.person or person_of(self.options, self.models)
        if isinstance(self.person, Person):
            self.person.outside = self.outside

    def _equip(self, part: Part, names: Names) -> tuple[list[ToolPlan], Mapping[str, Tool]]:
        """The tools: what the kernel knows of each, and what carries it out, with all that stands around it."""
        blueprint, artifacts = self.blueprint, self.store.artifacts
        reach = Reach(
            self.servers,
            opens_tables=True,
            person=self.person,
            artifacts=artifacts,
            call=part.call,
            tell=self._tell,
            pools=part.pools,
        )
        settings = blueprint.settings if blueprint.ceiling is None else blueprint.allowed
        built = equip(settings, blueprint.folder, names, known_of(blueprint), reach)
        equipment = with_recorded(built, self.models.results, self.outside, is_offline=self.options.offline)
        require_allowed(blueprint)
        # Layers around a tool remember nothing: it is the tool itself that hears of its calls.
        self.remembering = {name: tool for name, tool in equipment.tools.items() if is_restorable(tool)}
        around = wrapped(equipment, blueprint.settings, blueprint.folder, artifacts)
        return equipment.plans, bounded(around, equipment.plans, blueprint)

    def _tell_of(self, names: Names) -> None:
        """Who hears of the run, and what is counted of it."""
        settings, project = self.blueprint.settings, self.blueprint.folder
        self.listeners = (self.options.on_event,) if self.options.on_event is not None else ()
        user = str(names.get("identity", {}).get("user") or "")
        receipts = Answered(layers_of(settings, "audit_log"), self.plan.tools, project, user)
        sinks = sinks_of(settings, project, self.options.notice)
        self.hearing = (*((receipts.hear,) if receipts else ()), *sinks, *self.listeners)
        self.stream = Stream(self.run_id, self.hearing, prices=self.plan.prices, labels=self.plan.labels)
        self.tally = Tally(
            prices=self.plan.prices,
            places=self.blueprint.places,
            labels=self.plan.labels,
            keeps_decisions=settings.get("observability.decisions") is True,
        )

    def _performer(self, names: Names) -> Performer:
        listen = (lambda delta: self.stream.live(delta, self.ports.clock.now())) if self.listeners else None
        performer = Performer(self.plan, self.ports, result_max(self.blueprint.settings), listen, self.mask)
        performer.models.provider_tools = filled_tools(self.plan.provider_tools, names)
        return performer

    def _kept(self, reply: Reply) -> Reply:
        """What may be kept of an answer for other runs."""
        masked = self.mask.answer(reply)
        return masked if isinstance(masked, Reply) else reply

    def share(self, pots: Pots) -> None:
        """Draw on these pots together with other runs, such as a parent and its other children; said before `go`.

        The door for whoever starts runs that belong together. Its own limits hold beside them. Nothing is mirrored: no
        pot has room for two.
        """
        self.branch = pots.join()
        draw_on(self.branch, self.ports, self.blueprint.settings, self.plan, self.asked.routes)

    def fold(self, records: list[JournalRecord]) -> None:
        """Stand where the journal stands. Nobody hears of it: what is in the journal was heard when it happened."""
        self.stream.is_silent = True
        self.state = fold(self.plan, records, self.tally, self.stream)
        self.stream.is_silent = False
        if self.models.are_scripted:
            self.models.skip(answered(map(decode, records), self.state.transcript, self.state.view))
        self._restore(records)

    def _restore(self, records: list[JournalRecord]) -> None:
        """Let tools that remember their calls hear of those that an earlier process made."""
        for record in records if self.remembering else ():
            body = decode(record)
            if isinstance(body, ToolReturned) and body.result.name in self.remembering:
                self.remembering[body.result.name].restore(body.result)

    def _tell(self, kind: str, fields: Mapping[str, Any]) -> None:
        """Something that goes on, for those who watch: live only, so without a number."""
        event = {
            "run_id": self.run_id,
            "seq": None,
            "ts": self.ports.clock.now(),
            "kind": kind,
            **self.mask.told(dict(fields)),
        }
        for listener in self.listeners:
            listener(event)

    def _say(self, text: str) -> None:
        """A person says something while the run goes on."""
        self.driver.hear(UserSaid(at=self.ports.clock.now(), text=self.mask.text(text)))

    def _hear_of_tools(self, server: str, found: Difference) -> None:
        added, changed, removed = (names[:NAMED] for names in found)
        at = self.ports.clock.now()
        self.driver.hear(ToolsChanged(at=at, server=server, added=added, changed=changed, removed=removed))

    def _record(self, path: Path, result: Result) -> None:
        try:
            shared = shared_agents(self.blueprint.agents)
            journals = journals_of(self.store, self.journal.read(), set(shared.values()))
            source = str(self.blueprint.folder / self.blueprint.source)
            before = told_to(self.blueprint, self.store.artifacts.put)
            places = write_scenario(path, source, journals, result, before, shared)
        except OSError as error:
            self.options.notice(f"the run was not recorded: can't write `{path}`: {error.strerror}")
            return
        counted = "1 place" if places == 1 else f"{places} places"
        self.options.notice(f"`{path}`: redacted in {counted}; read it before others do")

    def abort(self, by: str = "signal") -> None:
        """Stop now: running tools are stopped, the journal is closed whole; `signal` leaves a run to be resumed."""
        self.driver.abort(by)

    async def go(self) -> Result:
        """Drive the run to its end. Raises `JournalError` where the store fails; the run can then be resumed."""
        settings, project = self.blueprint.settings, self.blueprint.folder
        wanted = settings.get("observability.trace") or "on_failure"
        try:
            self.state = await self.driver.drive(self.state, self.first, self.again)
            result = self.tally.result(self.state, wants_trace=self.options.trace)
            if result.status != "done" or wanted == "always":
                result.trace = self.tally.trace if self.options.trace or wanted != "never" else None
            seen = self.state.view.seen_once(self.state.transcript)
            write_transcript(settings, project, self.run_id, seen, self.options.notice)
            with contextlib.suppress(JournalError):  # the run is over and whole; this line can be derived again
                self.journal.describe({"llm": result.as_json()["llm"]})
            for call_id in self.person.unasked if isinstance(self.person, Person) else ():
                self.options.notice(
                    f"`{call_id}` was not asked: its answer was not used, give it again when the run waits for it"
                )
            if self.options.record_path is not None:
                self._record(self.options.record_path, result)
            return result
        finally:
            await self._close()

    async def _close(self) -> None:
        """Give back all that the run holds, the journal last, whatever fails on the way."""
        if self.branch is not None:
            self.branch.leave()
        async with contextlib.AsyncExitStack() as held:
            held.push_async_callback(self._close_journal)
            if self.servers is not None:
                held.push_async_callback(self.servers.close)
            for tool in self.ports.tools.values():
                held.push_async_callback(tool.close)
            await self.models.close()

    async def _close_journal(self) -> None:
        self.journal.close()
        with contextlib.suppress(JournalError):  # whose lease that was is told by the lock as well
            await self.journal.flush(durable=False)


def known_of(blueprint: Blueprint) -> Known:
    """What a run knows of its world."""
    return Known(catalogue_from(blueprint.catalogue), blueprint.tables, blueprint.agents, blueprint.computing)


def person_of(options: RunOptions, models: Models, given: Answers = NO_ANSWERS) -> Person:
    """Who answers what only people may, or the caller; `given` was answered before."""
    return Person(
        options.approve,
        given,
        models.replies,
        prompt=options.on_approval,
        on_question=options.on_question,
        on_tool=options.on_tool,
        consents=models.consents,
    )
