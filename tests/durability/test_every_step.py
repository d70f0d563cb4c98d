"""A run whose process died after any step, whatever it waited for then: it goes on, and ends as it would have."""

import json

import pytest

from agentspec import replay, resume, run
from agentspec.adapters.stores.export import lines_of
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.core.events import Event, ToolReturned
from agentspec.core.orders import CallTool
from agentspec.runtime.journal import decode
from tests.sample import fast_first

MARK = {"tool_calls": [{"name": "mark", "arguments": {}}]}
LOOK = {"tool_calls": [{"name": "look", "arguments": {}}]}
BUSY = {"status": 500, "message": "busy"}
TOOLS = {"mark": {"run": ["sh", "-c", "echo x >> marks"], "idempotent": True}, "look": {"expr": "'a book'"}}
RULES = """
def decide(state):
    return {"none": True}


def pass_on(state):
    return None


def sum_up(state):
    return {"summary": f"{len(state['messages'])} messages."}
"""


def judge(**fields):
    return {"role": "judge", "text": json.dumps(fields)}


SAFE = judge(tripwire=False, reason="", confidence=1)
DONE, MORE = (judge(verdict=word, detail="", gaps=[]) for word in ("done", "continue"))
LOOP = {"loop_until_done": True, "max_nudges": 0}
# What each waits for while it is worked on; turns of the worker stand before those of others, as in a list by role.
SPECS = {
    "the guard": (["Done.", SAFE], {"input_guardrail": {"judge": True}}),
    "the guard, again": (["Done.", {"role": "judge", "error": BUSY}, SAFE], {"input_guardrail": {"judge": True}}),
    "a look at steps": (
        [LOOK, MARK, "Done.", judge(verdict="revise", detail="No."), *[judge(verdict="pass", detail="")] * 2],
        {"step_judge": True},
    ),
    "judges": (
        ["Done.", MARK, "Done.", MORE, DONE, DONE],
        LOOP | {"verify_completion_judge": True, "turn_end_condition": True},
    ),
    "a stalled run": (
        [LOOK, LOOK, LOOK, DONE],
        LOOP | {"turn_end_condition": {"cadence": {"when": "stalled"}}},
    ),
    "files": (["Done.", MARK, "Done."], LOOP | {"require_artifacts": ["marks"]}),
    "a command": (["Done.", MARK, "Done."], LOOP | {"verify_completion": [{"command": ["test", "-f", "marks"]}]}),
    "the clock": ([{"error": BUSY}, MARK, {"error": BUSY}, "Done."], {}),
    "a repair": (
        ["three", {"role": "repair", "error": BUSY}, {"role": "repair", "text": '{"n": 3}'}],
        {"output": {"schema": {"type": "object", "required": ["n"]}}},
    ),
    "last words": ([MARK, "Enough."], {"max_iterations": 1}),
    "marks of files": ([MARK, LOOK, "Done."], {"stall": {"fingerprint": ["marks"]}}),
    "functions": (
        [MARK, "Done."],
        {
            "loop_control": [{"python": "rules_of_steps:decide"}],
            **{
                place: [{"python": "rules_of_steps:pass_on"}]
                for place in ("post_turn", "terminal", "verify_completion")
            },
            "input_guardrail": {"python": "rules_of_steps:pass_on"},
        },
    ),
    "a summary": (
        [MARK, LOOK, MARK, "Done.", {"role": "summary", "error": BUSY}, *[{"role": "summary", "text": "Marks."}] * 4],
        {},
    ),
    "notes of a function": ([MARK, LOOK, MARK, "Done."], {}),
}
SMALL = {"threshold": 60, "keep_last": 0}
CONTEXT = {
    "a summary": {"compaction": {"strategy": "hybrid", **SMALL}},
    "notes of a function": {"compaction": {"python": "rules_of_steps:sum_up", **SMALL}},
}


@pytest.mark.parametrize("kind", fast_first(SPECS, 5))
async def test_a_run_that_died_after_any_step_ends_as_it_would_have(tmp_path, monkeypatch, kind):
    turns, execution = SPECS[kind]
    (tmp_path / "rules_of_steps.py").write_text(RULES)
    monkeypatch.syspath_prepend(tmp_path)
    model = {"provider": "script", "options": {"turns": turns}, "retry": {"base": "1ms"}}
    spec = {"name": "s", "task": "go", "model": model, "execution": execution, "capability": {"tools": TOOLS}}
    (tmp_path / "s.json").write_text(json.dumps(spec | {"context": CONTEXT.get(kind, {})}))
    whole = await run(tmp_path / "s.json", allow_python=True)
    assert whole.status in ("done", "budget_exhausted"), whole.error
    assert bool(whole.compactions) == (kind in CONTEXT)
    run_id, records = whole.run_id, journal(tmp_path / ".agentspec", whole.run_id)
    steps = [at for at, record in enumerate(records) if at and isinstance(decode(record), Event)]

    for step in steps:
        kept = tmp_path / f"after-{step}"
        kept.mkdir()
        store = SqliteStore(kept / "runs.db")
        store.import_run(lines_of({"run_id": run_id, "spec": "s", "session_id": "x"}, records[:step]))
        store.close()
        leave_marks(tmp_path, records[:step])
        resumed = await resume(run_id, store=kept, project=tmp_path)
        assert ends(resumed) == ends(whole), f"after record {step}, a `{records[step - 1].kind}`"
        await replay(run_id, store=kept)  # raises where a decision differs


def journal(home, run_id):
    store = SqliteStore(home / "runs.db")
    records = list(store.read_run(run_id))
    store.close()
    return records


def leave_marks(folder, records):
    """The folder as the calls that were made had left it when the process died."""
    (folder / "marks").unlink(missing_ok=True)
    bodies = list(map(decode, records))
    made = {body.order for body in bodies if isinstance(body, ToolReturned)}
    for body in bodies:
        if isinstance(body, CallTool) and body.call.name == "mark" and body.id in made:
            with (folder / "marks").open("a") as marks:
                marks.write("x\n")


def ends(result):
    llm = result.llm
    counts = llm.iterations, llm.judge_calls
    return result.status, result.stop_reason, result.text, result.output, result.compactions, *counts
