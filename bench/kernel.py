"""kernel: events that the kernel alone folds in a second, with all policies of the `repair` preset, and no I/O.

`python bench/kernel.py [--turns 10000] [--rounds 5]`. A turn is two events: a reply that asks for a tool, and its
result. The last tenth of the turns must cost what the first does. CPU time, medians of the rounds.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from statistics import median

from agentspec import load
from agentspec.core.events import Consulted, ModelReplied, RunStarted, ToolReturned
from agentspec.core.messages import Reply, ToolCall, ToolResult, Usage, UserMessage
from agentspec.core.orders import CallModel, CallTool, Consult, Pending
from agentspec.core.plan import Plan
from agentspec.core.step import initial, step
from agentspec.link import link
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import tool

SPEC = """\
name: bench
extends: repair
task: Mend it.
model: {{provider: openai, model: gpt-5.4-mini}}
execution: {{iteration_budget: {{max: {turns}, initial: {turns}}}, limits: {{cost_usd: 1000000}}}}
"""
PARTS = 10
BYTES = 4  # of a token


def plan_of(turns: int) -> Plan:
    """The preset's plan, with turns enough for the bench."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.yaml"
        path.write_text(SPEC.format(turns=turns + 1), encoding="utf-8")
        spec = load(path)
        return link(Settings(spec.effective), [tool("lookup")], name=spec.name, spec_hash=spec.hash)


def folded(plan: Plan, turns: int) -> list[float]:
    """CPU seconds of each tenth of the turns."""
    opening = (UserMessage(text="go"),)
    started = RunStarted(at=0.0, run_id="r", session_id="s", opening=opening, spec_name="bench", spec_hash="0")
    state, _ = step(plan, initial(plan), started)
    spent = []
    for part in range(PARTS):
        before = time.process_time()
        for turn in range(part * turns // PARTS, (part + 1) * turns // PARTS):
            while order := next(iter(state.pending.values()), None):
                state, _ = step(plan, state, answer_of(order, turn, state.facts.request_bytes // BYTES))
                if isinstance(order, CallTool):
                    break
        spent.append(time.process_time() - before)
    if state.is_over:
        raise SystemExit(f"the run ended: {state.outcome}")
    return spent


def answer_of(order: Pending, turn: int, tokens: int) -> ModelReplied | ToolReturned | Consulted:
    """A call with arguments of its own to a request of so many tokens, or its result; or what a compaction asks for."""
    if isinstance(order, CallModel):
        call = ToolCall(id=f"c{turn}", name="lookup", arguments=f'{{"key": "item-{turn}"}}')
        reply = Reply(text="", calls=(call,), usage=Usage(input_tokens=tokens, output_tokens=5))
        return ModelReplied(at=float(turn), order=order.id, reply=reply)
    if isinstance(order, Consult):
        notes = Reply(text="- Items were looked up, one at a time.", usage=Usage(input_tokens=tokens, output_tokens=9))
        return Consulted(at=float(turn), order=order.id, asker=order.asker, role=order.consultation.role, reply=notes)
    assert isinstance(order, CallTool)
    result = ToolResult(
        name="lookup",
        call_id=order.call.id,
        text=f"the value of item {turn} is 40 bytes long.",
        arguments=order.arguments,
        effect="read",
        digest=f"{turn:016x}",
    )
    return ToolReturned(at=float(turn), order=order.id, call=order.call, result=result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    plan = plan_of(options.turns)
    folded(plan, min(200, options.turns))
    rounds = [folded(plan, options.turns) for _ in range(options.rounds)]
    figures = {
        "events_per_s": median(2 * options.turns / sum(spent) for spent in rounds),
        "last_tenth_to_first": median(spent[-1] / spent[0] for spent in rounds),
        "policies": len(plan.policies),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
