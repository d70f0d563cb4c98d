"""step: fold one event into the state and say what to do next. Pure and total.

No clock, random number, file or network: time and ids come in events. The core never catches; what it cannot do
by its own laws is an `InternalError`. Policies decide; this file only keeps the order of things:

1. absorb the fact, and let the policies observe it;
2. ask what the run wants (`wants`), let the policies rule on it, act on the ruling; again, until it waits or ends.

The second part ends: each round makes an order, settles a call, grows the transcript, or uses up a counted refusal.
"""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from agentspec.core.calls.settle import with_required
from agentspec.core.events import AnyEvent, Resumed
from agentspec.core.facts import CompletionFacts
from agentspec.core.orders import PERSON, AnyOrder, Ask, Consult, Consultation
from agentspec.core.plan import Plan
from agentspec.core.policy import Ruled
from agentspec.core.proposals import Act, Admit, Close, End, Proposal, Take, Think
from agentspec.core.rulings import PASS, Feedback, Grant, Hold, Make, Pass, Refuse, Rewrite, Ruling, Stop, Supply, Tell
from agentspec.core.state import State
from agentspec.core.stepping.absorb import absorb
from agentspec.core.stepping.carry_out import carry_out, keep
from agentspec.core.stepping.in_progress import Stepping
from agentspec.core.stepping.wants import wants
from agentspec.errors import InternalError

ROUNDS = 1_000  # more rounds than a step can need beside those of its calls; then a policy goes in circles: a bug
ROUNDS_OF_A_CALL = 8  # refusals, questions and candidates that one call may lead to


def initial(plan: Plan) -> State:
    """The state before the first event: the very same for every run of a plan, since no step changes it."""
    if plan.initial is None:
        plan.initial = _initial(plan)
    return plan.initial


def _initial(plan: Plan) -> State:
    state = State([policy.start() for policy in plan.policies])
    if plan.required_tools:
        state.facts = replace(state.facts, session=with_required(state.facts.session, plan.required_tools))
    for memory, publish in zip(state.memory, plan.publishers, strict=True):
        state.facts = state.facts if publish is None else publish(memory, state.facts)
    return state


def step(plan: Plan, state: State, event: AnyEvent) -> tuple[State, tuple[AnyOrder, ...]]:
    """The next state, and the orders that it takes. The given state stays as it was.

    Raises `InternalError` where a policy goes in circles or an event answers no order.
    """
    if state.outcome is not None and not isinstance(event, Resumed):
        return state, ()  # after the end, nothing: late answers of cancelled orders change nothing
    stepping = Stepping(plan, state.copy())
    absorb(stepping, event)
    _advance(stepping)
    return stepping.state, tuple(stepping.orders)


def _advance(stepping: Stepping) -> None:
    rounds = most = 0
    while (proposal := wants(stepping.plan, stepping.state)) is not None:
        rounds += 1
        if rounds > ROUNDS:
            most = max(most, ROUNDS + ROUNDS_OF_A_CALL * len(stepping.state.batch))
            if rounds > most:
                raise InternalError(f"no decision after {most} rounds; the last proposal was {proposal!r}")
        if isinstance(proposal, Think) and stepping.take_in():
            continue
        _decide(stepping, proposal)


def _decide(stepping: Stepping, proposal: Proposal) -> None:
    """Ask the policies in their order; the first that does more than rewrite is obeyed."""
    plan, state = stepping.plan, stepping.state
    for number, review in plan.reviewing[type(proposal)]:
        ruling = review(state.memory[number], proposal, state.facts)
        if ruling is PASS:  # what most rulings are
            continue
        match ruling:
            case Rewrite():
                proposal = ruling.proposal
            case Pass():
                continue
            case _ if state.closing is not None and isinstance(proposal, Take):
                continue  # last words are judged by nobody
            case _:
                _obey(stepping, proposal, ruling, plan.names[number])
                return
    carry_out(stepping, proposal)


def _obey(stepping: Stepping, proposal: Proposal, ruling: Ruling, policy: str) -> None:
    state = stepping.state
    match ruling:
        case Tell():
            state.told = (*state.told, ruling.feedback)
        case Hold():
            _hold(stepping, proposal, ruling, policy)
        case Stop():
            _stop(stepping, proposal, ruling, policy)
        case Refuse():
            _refuse(stepping, proposal, ruling)
        case Supply():
            _supply(stepping, proposal, ruling)
        case Grant():
            _grant(stepping, proposal, ruling)
        case Make():
            _make(stepping, proposal, ruling)
        case Pass() | Rewrite():
            raise InternalError("a ruling that passes was handed on as one that does not")
        case _:
            assert_never(ruling)
    stepping.tell_policies(Ruled(policy=policy, proposal=proposal, ruling=ruling))
    stepping.close_batch()


def _hold(stepping: Stepping, proposal: Proposal, hold: Hold, policy: str) -> None:
    number = stepping.number()
    order: Ask | Consult
    if isinstance(hold.question, Consultation):
        order = Consult(id=number, asker=policy, consultation=hold.question)
    elif isinstance(proposal, Act) and hold.who == PERSON:
        order = Ask(id=number, who=PERSON, question=hold.question, asker=policy, index=proposal.index)
        stepping.wait_for_answer(proposal.index, number)
    else:
        order = Ask(id=number, who=hold.who, question=hold.question, asker=policy)
    stepping.state.pending[number] = order
    stepping.orders.append(order)


def _stop(stepping: Stepping, proposal: Proposal, stop: Stop, policy: str) -> None:
    """Propose this end instead; what the turn still had in hand is answered first. Last words change no end."""
    state = stepping.state
    outcome = stop.outcome if state.closing is None else state.closing
    if outcome.status == "budget_exhausted" and state.closing is None:
        stepping.note("limit_reached", limit=outcome.reason, place=outcome.place, policy=policy)
    if isinstance(proposal, Take):
        keep(stepping, proposal.reply, f"the run ended ({outcome.reason})")
    state.failure = None
    stepping.cancel_all(f"not run: the run ended ({outcome.reason})")
    stepping.close_batch()
    state.ending = End(outcome, answer=state.facts.text, is_gated=stop.is_gated)
    if stop.is_gated:
        stepping.set_facts(completion=CompletionFacts(proposed=True))


def _refuse(stepping: Stepping, proposal: Proposal, refusal: Refuse) -> None:
    state = stepping.state
    if refusal.tell is not None:
        state.told = (*state.told, refusal.tell)
    match proposal:
        case Admit() | Act():
            stepping.refuse_call(proposal.index, refusal)
        case Take():
            _refuse_reply(stepping, proposal, refusal)
        case End():
            state.failure = None
            state.ending = None
            if proposal.is_gated:
                _veto(stepping, refusal)
        case Think() | Close():
            raise InternalError(f"a policy refused to {type(proposal).__name__.lower()}; it must stop the run instead")
        case _:
            assert_never(proposal)


def _supply(stepping: Stepping, proposal: Proposal, supply: Supply) -> None:
    if not isinstance(proposal, Act):
        raise InternalError(f"a policy supplied the answer to a {type(proposal).__name__.lower()}, which is no call")
    stepping.supply_call(proposal, supply)


def _make(stepping: Stepping, proposal: Proposal, make: Make) -> None:
    if not isinstance(proposal, Think):
        raise InternalError(f"a policy made a call before a {type(proposal).__name__.lower()}; only a request waits")
    stepping.state.is_own, stepping.state.was_cut = True, False
    stepping.take_calls((make.call,))


def _refuse_reply(stepping: Stepping, take: Take, refusal: Refuse) -> None:
    stepping.state.reply = None
    match refusal.reply:
        case "again":
            pass
        case "drop":
            stepping.settle_turn([])
        case "keep":
            keep(stepping, take.reply, refusal.reason)
        case _:
            assert_never(refusal.reply)


def _veto(stepping: Stepping, refusal: Refuse) -> None:
    """The run is not done: its words are no answer, and the turn is over."""
    state = stepping.state
    words = refusal.tell.content if refusal.tell is not None else refusal.reason
    completion = CompletionFacts(proposed=True, vetoed=True, verdict=refusal.verdict, feedback=words)
    stepping.set_facts(completion=completion, vetoes=state.facts.vetoes + 1)
    state.is_settled = state.is_turn_open
    stepping.tell_settled()


def _grant(stepping: Stepping, proposal: Proposal, grant: Grant) -> None:
    """The end stands; before it, one last turn is made."""
    if not isinstance(proposal, End):
        raise InternalError("last words were granted before an end was proposed")
    state = stepping.state
    state.closing = proposal.outcome
    state.ending = None
    state.failure = None
    state.told = (*state.told, Feedback("wrap_up", grant.words, action="stop", source="wrap_up"))
    stepping.leave_turn()
