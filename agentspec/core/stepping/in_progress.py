"""in_progress: one step in progress: the copy of the state that is changed, and the orders made so far.

Only the hand movements stand here: settle a call, close a batch, tell the policies. What is decided stands in `step`.
"""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from agentspec.core.calls.settle import after_turn, refused
from agentspec.core.context.view import View, project
from agentspec.core.events import Event
from agentspec.core.messages import ToolCall, ToolMessage, ToolResult, UserMessage
from agentspec.core.orders import AnyOrder, CallModel, CallTool, Cancel, Note, Pending
from agentspec.core.plan import Plan
from agentspec.core.policy import Admitted, Notice, TurnEnded, TurnSettled
from agentspec.core.proposals import Act, Admit
from agentspec.core.rulings import Refuse, Supply
from agentspec.core.state import Slot, State
from agentspec.core.stepping.wants import act_of
from agentspec.core.transcript import Transcript
from agentspec.errors import InternalError


class Stepping:
    """A step that is being made."""

    def __init__(self, plan: Plan, state: State) -> None:
        self.plan = plan
        self.state = state
        self.orders: list[AnyOrder] = []

    def tell_policies(self, heard: Event | Notice) -> None:
        """Let every policy that hears this observe it, and take in what it publishes and announces."""
        state, memories = self.state, self.state.memory
        for number, observe, publish, notes in self.plan.hearing[type(heard)]:
            before = memories[number]
            memory = observe(before, heard, state.facts)
            if memory is before:
                continue
            memories[number] = memory
            if publish is not None:
                state.facts = publish(memory, state.facts)
            if notes is not None:
                self.orders += notes(before, memory)

    def set_facts(self, **changed: Any) -> None:
        self.state.facts = replace(self.state.facts, **changed)

    def number(self) -> int:
        """The number of the next order."""
        self.state.orders_made += 1
        return self.state.orders_made

    def note(self, event: str, **fields: Any) -> None:
        self.orders.append(Note(event=event, fields=fields))

    def cancel(self, order: int) -> None:
        del self.state.pending[order]
        self.orders.append(Cancel(order=order))

    def answered(self, order: int) -> Pending:
        """An event answers this order. Raises `InternalError` where nobody waits for it."""
        found = self.state.pending.pop(order, None)
        if found is None:
            raise InternalError(f"an event answers order {order}, which is not pending")
        return found

    # --- calls ---

    def settle_order(self, order: int, result: ToolResult) -> None:
        answered = self.answered(order)
        if not isinstance(answered, CallTool):
            raise InternalError(f"a tool result answers order {order}, which belongs to no call")
        self.settle(answered.index, result)

    def settle(self, index: int, result: ToolResult) -> None:
        self.set_slot(index, replace(self.state.batch[index], result=result))

    def set_slot(self, index: int, slot: Slot) -> None:
        """Change a slot of the batch, and look again for the first that is open."""
        state, batch = self.state, self.state.batch
        batch[index] = slot
        decided = min(state.decided, index)
        while decided < len(batch) and not batch[decided].is_open:
            decided += 1
        state.decided = decided

    def admit(self, admit: Admit) -> None:
        """This call may be run, with these arguments."""
        state = self.state
        state.batch[admit.index] = replace(state.batch[admit.index], arguments=admit.arguments, repaired=admit.repaired)
        self._looked_at(admit.index)

    def _looked_at(self, index: int) -> None:
        """When all calls were looked at, the policies hear which are left."""
        state = self.state
        if state.admitted > index:
            return
        state.admitted = index + 1
        if state.admitted == len(state.batch):
            left = tuple(act_of(slot, at) for at, slot in enumerate(state.batch) if slot.result is None)
            if left:
                self.tell_policies(Admitted(calls=left))

    def wait_for_answer(self, index: int, order: int | None) -> None:
        """The call waits for the answer to this order; with None it has come."""
        self.set_slot(index, replace(self.state.batch[index], question=order))

    def take_calls(self, calls: tuple[ToolCall, ...]) -> None:
        """These calls are to be decided now."""
        self.state.batch = [Slot(call=call) for call in calls]
        self.state.admitted = self.state.decided = 0

    def refuse_call(self, index: int, refusal: Refuse) -> None:
        """Settle a call that is not run; no event of the world tells of it, so the stream hears it from here."""
        result = refused(self.state.batch[index], refusal)
        self.settle(index, result)
        self.orders.append(Note(event="tool_result", fields=to_builtins(result)))
        self._looked_at(index)

    def supply_call(self, act: Act, supply: Supply) -> None:
        """Settle a call with an answer that is there without running it; the stream hears it from here as well."""
        result = ToolResult(
            name=act.call.name,
            call_id=act.call.id,
            text=supply.text,
            arguments=act.arguments,
            data=supply.data,
            effect=self.plan.tools[act.call.name].effect,
            artifact=supply.artifact,
        )
        self.settle(act.index, result)
        fields = to_builtins(result) | {"status": result.status} | ({"by": supply.by} if supply.by else {})
        self.orders.append(Note(event="tool_result", fields=fields))

    def cancel_all(self, why: str, not_started: tuple[int, ...] = ()) -> None:
        """Call back every order, and answer every call that is still open."""
        state = self.state
        for order in tuple(state.pending):
            self.cancel(order)
        for index, slot in enumerate(state.batch):
            if slot.result is None:
                is_untouched = slot.order is None or slot.order in not_started
                text = f"{why} before it started" if is_untouched else f"{why} while it ran; it may have acted"
                self.refuse_call(index, Refuse(text, status="cancelled"))

    def cancel_model_calls(self) -> None:
        for order in [order for order in self.state.pending.values() if isinstance(order, CallModel)]:
            self.cancel(order.id)

    # --- turns ---

    def take_in(self) -> bool:
        """What people have said and what compaction has decided since the last request; whether there was any of it."""
        state, cut = self.state, self.state.facts.cut
        if not state.queue and cut is state.view.cut:
            return False
        for text in state.queue:
            state.transcript = state.transcript.append(UserMessage(text=text))
        state.queue = ()
        if cut is not state.view.cut:  # what is new since the last request is shaped with the next one
            self.show(state.transcript.until(state.shown.position), state.view.with_cut(cut))
        return True

    def show(self, recorded: Transcript, view: View) -> None:
        """So much of the transcript is shown in this view."""
        state = self.state
        if view is state.view and view.is_plain:
            state.shown = recorded
            return
        shown = project(recorded, view, state.view, state.shown)
        state.view, state.shown = view, shown.transcript
        state.reshaped = (*state.reshaped, *(name for name in shown.changed_by if name not in state.reshaped))

    def close_batch(self) -> None:
        """When the last call of a batch has its result, all results enter the transcript in emitted order."""
        state = self.state
        results = [slot.result for slot in state.batch if slot.result is not None] if state.batch else []
        if not results or len(results) < len(state.batch):
            return
        if state.is_own:  # nobody asked for it: it is no part of the conversation, nor of a turn
            state.is_own = False
            self.take_calls(())
            return
        for result in results:
            message = ToolMessage(
                call_id=result.call_id,
                name=result.name,
                text=result.text,
                status=result.status,
                pictures=result.pictures,
            )
            state.transcript = state.transcript.append(message)
        self.take_calls(())
        self.settle_turn(results)

    def settle_turn(self, results: list[ToolResult]) -> None:
        """All that the turn asked for is there; what becomes of it is asked next."""
        state = self.state
        state.is_settled = state.is_turn_open
        state.attempts = 0
        state.facts = after_turn(state.facts, results, self.plan.required_tools)
        self.tell_settled()

    def tell_settled(self) -> None:
        if self.state.is_settled:
            self.tell_policies(TurnSettled(turn=self.state.facts.iteration))

    def close_turn(self) -> None:
        """The turn is over, and the run goes on."""
        state = self.state
        state.is_turn_open = False
        state.is_settled = False
        self.tell_policies(TurnEnded(turn=state.facts.iteration))

    def leave_turn(self) -> None:
        """The turn is given up without its end: nothing of it is asked any more."""
        self.state.is_turn_open = False
        self.state.is_settled = False
