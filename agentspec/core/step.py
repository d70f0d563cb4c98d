"""step: fold one event into the state and say what to do next. Pure and total.

No clock, random number, file or network: time and ids come in events. The core never catches; what it cannot do
by its own laws is an `InternalError`. Policies decide; this file only keeps the order of things:

1. absorb the fact, and let the policies observe it;
2. ask what the run wants (`wants`), let the policies rule on it, act on the ruling; again, until it waits or ends.

The second part ends: each round makes an order, settles a call, grows the transcript, or uses up a counted refusal.
"""

from __future__ import annotations

from typing import assert_never

from msgspec import to_builtins
from msgspec.structs import replace

from agentspec.core.calls import after_turn, refused
from agentspec.core.events import (
    AbortRequested,
    Answered,
    AnyEvent,
    DeadlineReached,
    Event,
    ModelFailed,
    ModelReplied,
    Resumed,
    RunStarted,
    ToolReturned,
    UserSaid,
)
from agentspec.core.facts import CompletionFacts, TurnFacts
from agentspec.core.feedback import compose
from agentspec.core.messages import AssistantMessage, ToolMessage, ToolResult, UserMessage
from agentspec.core.orders import AnyOrder, Ask, CallModel, CallTool, Cancel, Finish, Note, Outcome
from agentspec.core.plan import Plan
from agentspec.core.policy import Notice, Ruled, TurnEnded, TurnStarted
from agentspec.core.proposals import Act, End, Proposal, Take, Think
from agentspec.core.replies import was_cut
from agentspec.core.rulings import Hold, Pass, Refuse, Rewrite, Ruling, Stop, Tell
from agentspec.core.state import Slot, State
from agentspec.core.wants import running, wants
from agentspec.errors import InternalError

ROUNDS = 1_000  # more rounds than a step can need beside those of its calls; then a policy goes in circles: a bug
ROUNDS_OF_A_CALL = 8  # refusals, questions and candidates that one call may lead to


def initial(plan: Plan) -> State:
    """The state before the first event."""
    state = State([policy.start() for policy in plan.policies])
    for index, policy in enumerate(plan.policies):
        if policy.publishes is not None:
            state.facts = replace(state.facts, **{policy.publishes: policy.publish(state.memory[index])})
    return state


def step(plan: Plan, state: State, event: AnyEvent) -> tuple[State, tuple[AnyOrder, ...]]:
    """The next state, and the orders that it takes. The given state stays as it was.

    Raises `InternalError` where a policy goes in circles or an event answers no order.
    """
    if state.outcome is not None and not isinstance(event, Resumed):
        return state, ()  # after the end, nothing: late answers of cancelled orders change nothing
    stepping = _Step(plan, state.copy())
    stepping.absorb(event)
    stepping.advance()
    return stepping.state, tuple(stepping.orders)


class _Step:
    """One step: the copy of the state that is changed, and the orders made so far."""

    def __init__(self, plan: Plan, state: State) -> None:
        self.plan = plan
        self.state = state
        self.orders: list[AnyOrder] = []

    # --- facts ---

    def absorb(self, event: AnyEvent) -> None:
        state = self.state
        state.facts = replace(state.facts, now=event.at)
        match event:
            case RunStarted():
                state.facts = replace(state.facts, run_id=event.run_id, started=event.at)
                for message in event.opening:
                    state.transcript = state.transcript.append(message)
            case ModelReplied():
                self._answered(event.order)
                state.reply = event.reply
            case ModelFailed():
                self._answered(event.order)
                state.failure = event.failure
            case ToolReturned():
                self._settle_order(event.order, event.result)
            case Answered():
                self._answered(event.order)
            case UserSaid():
                state.queue = (*state.queue, event.text)
            case DeadlineReached():
                self._cancel_all(f"stopped: the limit `{event.limit}` was reached", event.not_started)
                if state.is_turn_open and not state.batch:
                    state.is_turn_open = False
            case AbortRequested():
                self._cancel_all("interrupted", event.not_started)
                state.abort = event.by
            case Resumed():
                state.outcome = None
                state.abort = None
                if event.message is not None:
                    self._hear_first(event.message)
            case _:
                assert_never(event)
        self.tell_policies(event)
        self._close_batch()

    def tell_policies(self, heard: Event | Notice) -> None:
        """Let every policy that hears this observe it, and take in what it publishes."""
        state = self.state
        for index in self.plan.hearing(type(heard)):
            policy = self.plan.policies[index]
            memory = policy.observe(state.memory[index], heard, state.facts)
            if memory is state.memory[index]:
                continue
            state.memory[index] = memory
            if policy.publishes is not None:
                state.facts = replace(state.facts, **{policy.publishes: policy.publish(memory)})

    def _answered(self, order: int) -> CallModel | CallTool | Ask:
        found = self.state.pending.pop(order, None)
        if found is None:
            raise InternalError(f"an event answers order {order}, which is not pending")
        return found

    def _settle_order(self, order: int, result: ToolResult) -> None:
        answered = self._answered(order)
        if not isinstance(answered, CallTool):
            raise InternalError(f"a tool result answers order {order}, which belongs to no call")
        self._settle(answered.index, result)

    def _settle(self, index: int, result: ToolResult) -> None:
        self._set(index, replace(self.state.batch[index], result=result))

    def _set(self, index: int, slot: Slot) -> None:
        """Change a slot of the batch; calls are decided in their order, so that the next one is where this one was."""
        self.state.batch[index] = slot
        self.state.decided = max(self.state.decided, index + 1)

    def _answer(self, index: int, refusal: Refuse) -> None:
        """Settle a call that is not run; no event of the world tells of it, so the stream hears it from here."""
        result = refused(self.state.batch[index], refusal)
        self._settle(index, result)
        self.orders.append(Note(event="tool_result", fields=to_builtins(result)))

    def _hear_first(self, message: str) -> None:
        """A message that comes with the resume goes into the next request: one that nobody answered is not repeated."""
        state = self.state
        for order in [order for order in state.pending.values() if isinstance(order, CallModel)]:
            del state.pending[order.id]
            self.orders.append(Cancel(order=order.id))
        state.queue = (*state.queue, message)

    def _cancel_all(self, why: str, not_started: tuple[int, ...] = ()) -> None:
        state = self.state
        for order in state.pending:
            self.orders.append(Cancel(order=order))
        state.pending.clear()
        for index, slot in enumerate(state.batch):
            if slot.result is None:
                is_untouched = slot.order is None or slot.order in not_started
                text = f"{why} before it started" if is_untouched else f"{why} while it ran; it may have acted"
                self._answer(index, Refuse(text, status="cancelled"))

    # --- turns ---

    def _close_batch(self) -> None:
        """When the last call of a batch has its result, all results enter the transcript in emitted order."""
        state = self.state
        if not state.batch or state.decided < len(state.batch) or running(state):
            return
        for slot in state.batch:
            assert slot.result is not None
            message = ToolMessage(call_id=slot.call.id, name=slot.call.name, text=slot.result.text)
            state.transcript = state.transcript.append(message)
        self._end_turn()
        state.batch = []
        state.decided = 0

    def _end_turn(self) -> None:
        state = self.state
        state.is_turn_open = False
        state.attempts = 0
        state.facts = after_turn(state.facts, [slot.result for slot in state.batch if slot.result is not None])
        self.tell_policies(TurnEnded(turn=state.facts.iteration))

    # --- proposals and rulings ---

    def advance(self) -> None:
        rounds = most = 0
        while (proposal := wants(self.plan, self.state)) is not None:
            rounds += 1
            most = max(most, ROUNDS + ROUNDS_OF_A_CALL * len(self.state.batch))
            if rounds > most:
                raise InternalError(f"no decision after {most} rounds; the last proposal was {proposal!r}")
            self._decide(proposal)

    def _decide(self, proposal: Proposal) -> None:
        for index in self.plan.reviewing(type(proposal)):
            policy = self.plan.policies[index]
            ruling = policy.review(self.state.memory[index], proposal, self.state.facts)
            match ruling:
                case Pass():
                    continue
                case Rewrite():
                    proposal = ruling.proposal
                    continue
                case _:
                    self._obey(proposal, ruling, self.plan.names[index])
                    return
        self._carry_out(proposal)

    def _obey(self, proposal: Proposal, ruling: Ruling, policy: str) -> None:
        state = self.state
        match ruling:
            case Tell():
                state.told = (*state.told, ruling.feedback)
            case Hold():
                order = Ask(id=self._number(), who=ruling.who, question=ruling.question)
                state.pending[order.id] = order
                self.orders.append(order)
            case Stop():
                self._stop(ruling.outcome, policy)
            case Refuse():
                self._refuse(proposal, ruling)
            case Pass() | Rewrite():
                raise InternalError("a ruling that passes was handed on as one that does not")
            case _:
                assert_never(ruling)
        self.tell_policies(Ruled(policy=policy, proposal=proposal, ruling=ruling))
        self._close_batch()

    def _refuse(self, proposal: Proposal, refusal: Refuse) -> None:
        state = self.state
        if refusal.tell is not None:
            state.told = (*state.told, refusal.tell)
        match proposal:
            case Act():
                self._answer(proposal.index, refusal)
            case Take():
                state.reply = None
                if refusal.keep:
                    self._keep(proposal.reply.text)
            case End():
                vetoed = state.ending is not None
                state.failure = None
                state.ending = None
                if vetoed:
                    state.facts = replace(
                        state.facts, completion=CompletionFacts(proposed=True, vetoed=True, feedback=refusal.reason)
                    )
                    self._end_turn()
            case Think():
                raise InternalError("a policy refused to think; it must stop the run instead")
            case _:
                assert_never(proposal)

    def _keep(self, text: str) -> None:
        """A reply that is no answer and has no calls: its text stays in the transcript, and the turn is over."""
        state = self.state
        if text:
            state.transcript = state.transcript.append(AssistantMessage(text=text))
        state.facts = replace(state.facts, turn=TurnFacts(text_chars=len(text)))
        self._end_turn()

    def _carry_out(self, proposal: Proposal) -> None:
        match proposal:
            case Think():
                self._think(proposal)
            case Take():
                self._take(proposal)
            case Act():
                self._act(proposal)
            case End():
                self._finish(proposal.outcome)
            case _:
                assert_never(proposal)

    def _think(self, think: Think) -> None:
        state = self.state
        if not state.is_turn_open:
            self._start_turn(think.turn)
        for text in state.queue:
            state.transcript = state.transcript.append(UserMessage(text=text))
        state.queue = ()
        state.attempts += 1
        order = CallModel(
            id=self._number(),
            turn=think.turn,
            attempt=state.attempts,
            length=len(state.transcript),
            harness=state.harness,
            tools=think.tools,
            max_output_tokens=think.max_output_tokens,
            tool_choice=think.tool_choice,
        )
        state.pending[order.id] = order
        self.orders.append(order)

    def _start_turn(self, turn: int) -> None:
        state = self.state
        state.is_turn_open = True
        state.attempts = 0
        state.facts = replace(state.facts, iteration=turn, completion=CompletionFacts())
        self.orders.append(Note(event="turn_started", fields={"turn": turn}))
        state.harness = self._compose()
        self.tell_policies(TurnStarted(turn=turn))

    def _compose(self) -> str | None:
        """What the harness says in the turn that begins, out of the candidates so far."""
        told, self.state.told = self.state.told, ()
        kept = compose(told)
        if not kept:
            return None
        fields = {"kinds": [feedback.kind for feedback in kept], "suppressed": len(told) - len(kept)}
        self.orders.append(Note(event="feedback_composed", fields=fields))
        return "\n\n".join(feedback.content for feedback in kept)

    def _take(self, take: Take) -> None:
        state = self.state
        reply = take.reply
        state.reply = None
        state.was_cut = was_cut(reply)
        state.transcript = state.transcript.append(
            AssistantMessage(
                text=reply.text, calls=reply.calls, reasoning=reply.reasoning, extra=reply.extra, origin=reply.origin
            )
        )
        state.facts = replace(state.facts, turn=TurnFacts(text_chars=len(reply.text)))
        state.batch = [Slot(call=call) for call in reply.calls]
        state.decided = 0
        if reply.calls:
            return
        state.ending = Outcome("done", "natural" if self.plan.loop_until_done else "completed")
        state.facts = replace(state.facts, completion=CompletionFacts(proposed=True))

    def _act(self, act: Act) -> None:
        state = self.state
        tool = self.plan.tools.get(act.call.name)
        if tool is None or act.arguments is None:
            raise InternalError(f"a call of `{act.call.name}` passed without its tool or arguments being looked at")
        order = CallTool(
            id=self._number(),
            turn=state.facts.iteration,
            index=act.index,
            call=act.call,
            arguments=act.arguments,
            effect=tool.effect,
            repeat=tool.repeat,
            repaired=act.repaired,
        )
        state.pending[order.id] = order
        self._set(act.index, replace(state.batch[act.index], order=order.id))
        session = replace(state.facts.session, calls=state.facts.session.calls + 1)
        state.facts = replace(state.facts, session=session)
        self.orders.append(order)

    def _stop(self, outcome: Outcome, policy: str) -> None:
        if outcome.status == "budget_exhausted":
            fields = {"limit": outcome.reason, "place": outcome.place, "policy": policy}
            self.orders.append(Note(event="limit_reached", fields=fields))
        self._finish(outcome)

    def _finish(self, outcome: Outcome) -> None:
        """End: what is in flight is cancelled, open calls are answered as not run."""
        self._cancel_all(f"not run: the run ended ({outcome.reason})")
        self._close_batch()
        self.state.outcome = outcome
        self.orders.append(Finish(outcome=outcome))

    def _number(self) -> int:
        self.state.orders_made += 1
        return self.state.orders_made
