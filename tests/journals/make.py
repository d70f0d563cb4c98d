"""make: write the golden journals that `test_golden.py` replays for ever.

`python -m tests.journals.make NAME...` from the top of the project writes the named ones anew. A journal that is there
is never made again because it no longer replays: it shows that a run of an older version would decide otherwise now.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.api.assembly.blueprint import WRITTEN_BY
from agentspec.api.options import RunOptions
from agentspec.api.resume import reopen
from agentspec.api.run import start
from agentspec.api.running import Running
from agentspec.api.spec import load
from agentspec.api.workspace import workspace
from agentspec.errors import JournalError

HERE = Path(__file__).parent
PROJECT = "/project"  # stands for the folder that a run was made in
TOOLS = {
    "look": {"parameters": {"n": "integer"}, "expr": "args.n * 2"},
    "mark": {"parameters": {"n": "string"}, "run": ["sh", "-c", 'echo "$1" >> effects', "mark", "${args.n}"]},
    "put": {"parameters": {"n": "string"}, "run": ["true", "${args.n}"], "idempotent": True},
    "fail": {"parameters": {}, "run": ["sh", "-c", "echo why >&2; exit 3"]},
}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def turn(*calls: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"tool_calls": list(calls), **fields}


RUNS: dict[str, dict[str, Any]] = {
    "answer": {"turns": ["Hello."], "context": {"system": "You greet."}},
    "tools": {
        "turns": [
            turn(call("look", n=1), call("look", n=2)),
            turn(call("mark", n="a"), call("put", n="b")),
            turn(call("fail")),
            "It failed.",
        ]
    },
    "files": {
        "turns": [turn(call("list_directory", path=".")), turn(call("read_file", path="spec.json")), "Read."],
        "toolkits": ["files.read"],
    },
    "refusals": {
        "turns": [
            turn(call("lok", n=1), call("look", n="one"), call("look", n=1, m=2)),
            turn({"name": "look", "arguments": '{"n": 3'}),
            turn({"name": "look", "arguments": "[]"}),
            "Enough.",
        ]
    },
    "retries": {
        "turns": [
            {"error": {"status": 503, "message": "busy"}},
            {"error": {"status": 429, "message": "slow down", "retry_after": 0.01}},
            "At last.",
        ],
        "model": {"retry": {"base": "1ms"}},
    },
    "routed": {
        "turns": [
            turn(call("look", n=1)),
            turn(call("look", n=1)),
            {"error": {"status": 503, "message": "down"}},
            "It is 2.",
        ],
        "model": {
            "routes": [{"label": "strong", "model": "large", "when": "progress.repeats >= 1"}, {"model": "small"}],
            "fallback": ["script:other"],
            "shadow": {"model": "seen", "prices": {"input": 1, "output": 1}},
            "retry": False,
        },
        "execution": {"limits": {"cost_usd": 1, "on_unknown_price": {"input": 1, "output": 1}}},
    },
    "refused-by-the-provider": {"turns": [{"error": {"status": 401, "message": "no"}}]},
    "loop": {
        "turns": ["", turn(call("look", n=1)), "", "Done."],
        "execution": {"loop_until_done": True, "max_nudges": 2},
    },
    "out-of-turns": {"turns": [turn(call("look", n=n)) for n in range(4)], "execution": {"max_iterations": 3}},
    "out-of-calls": {
        "turns": [turn(*(call("look", n=n) for n in range(4))), "Never said."],
        "execution": {"limits": {"tool_calls": 2}},
    },
    "interrupted": {
        "turns": [turn(call("mark", n="a"), call("mark", n="b")), "After all."],
    },
    "crashed": {"turns": [turn(call("mark", n="a")), turn(call("mark", n="b")), "After all."]},
    "judged": {
        "turns": [
            "Done.",
            {"role": "judge", "text": '{"verdict": "continue", "detail": "Mark it.", "gaps": ["a mark"]}'},
            turn(call("mark", n="a")),
            "Marked.",
            {"role": "judge", "text": "Yes, done."},
            {"role": "judge", "text": '{"verdict": "done", "detail": "", "gaps": []}'},
        ],
        "execution": {
            "loop_until_done": True,
            "max_nudges": 0,
            "require_artifacts": ["spec.json"],
            "verify_completion": [{"when": "answer == ''", "veto": "Speak."}, {"command": ["true"]}],
            "verify_completion_judge": {"rubric": "A mark must have been made."},
        },
    },
    "ruled": {
        "turns": [turn(call("look", n=1)), turn(call("mark", n="a")), "Done.", "It is all done."],
        "execution": {
            "input_guardrail": {"when": "task == ''"},
            "post_turn": [
                {"when": "tool_results[1].ok", "stop": "never"},
                {"when": "turn.tool_names == ['look']", "message": "Mark it.", "claim_tool": "mark"},
            ],
            "terminal": [{"when": "text.size() < 10", "message": "Say more."}],
        },
    },
    "message": {"turns": [turn(call("mark", n="a")), "After all."]},
    "told-its-form": {
        "turns": [turn(call("look", n=1)), '{"n": 2}'],
        "model": {"tool_choice": "required"},
        "execution": {"output": {"schema": {"type": "object", "required": ["n"]}}},
    },
    "judge-asked-again": {
        "turns": [
            "Done.",
            {"role": "judge", "error": {"status": 503, "message": "busy"}},
            {"role": "judge", "text": '{"verdict": "done", "detail": "", "gaps": []}'},
        ],
        "model": {"retry": {"base": "1ms"}},
        "execution": {"loop_until_done": True, "max_nudges": 0, "verify_completion_judge": True},
    },
    "last-words-again": {
        "turns": [turn(call("look", n=1)), turn(call("look", n=2)), "Two."],
        "execution": {"max_iterations": 1},
    },
}


def spec_of(given: dict[str, Any]) -> dict[str, Any]:
    model = {"provider": "script", "options": {"turns": given["turns"]}, **given.get("model", {})}
    values = {"name": "golden", "task": "go", "model": model}
    values["capability"] = {"tools": TOOLS, "toolkits": given.get("toolkits", [])}
    return values | {key: given[key] for key in ("execution", "context") if key in given}


class Dies:
    """A journal that fails at an append, as if the process had died there."""

    def __init__(self, journal: Any, at: int) -> None:
        self.journal, self.at, self.run_id = journal, at, journal.run_id

    def append(self, records: Any, **options: Any) -> int:
        self.at -= 1
        if self.at == 0:
            raise JournalError("the process died")
        return int(self.journal.append(records, **options))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.journal, name)


async def drive(name: str, folder: Path) -> str:
    """One run from its start to its end; those that stop on the way are gone on with."""
    interrupts = {"interrupted": "tool_call", "message": "tool_call"}.get(name)
    running: list[Running] = []

    def hear(event: dict[str, Any]) -> None:
        if event["kind"] == interrupts:
            running[0].abort()

    async with workspace() as shared:
        first = await start(load(folder / "spec.json"), "go", RunOptions(on_event=hear), shared)
        running.append(first)
        if name == "crashed":
            first.ports.journal = Dies(first.ports.journal, 4)
        try:
            result = await first.go()
        except JournalError:
            result = None
        if result is None or result.status == "interrupted":
            message = "never mind" if name == "message" else None
            again = await reopen(first.run_id, folder, RunOptions(), shared, lambda _: "ask", message)
            await again.go()
        return first.run_id


def of_no_place(body: bytes, folder: str) -> bytes:
    """A record that names no folder of this machine, and a writer whose words need not be those of later versions."""
    return body.replace(folder.encode(), PROJECT.encode()).replace(WRITTEN_BY.encode(), f"{WRITTEN_BY} golden".encode())


def make(name: str) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "spec.json").write_text(json.dumps(spec_of(RUNS[name])))
        run_id = asyncio.run(drive(name, folder))
        store = SqliteStore(folder / ".agentspec" / "runs.db")
        line = {field: value for field, value in store.find_run(run_id).items() if field != "run_id"}
        journal = store.create_run(name, line)
        records = [(one.kind, one.at, of_no_place(one.body, made)) for one in store.read_run(run_id)]
        journal.append(records, barrier=True)
        journal.close()
        (HERE / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in store.export_run(name)))
        store.close()


if __name__ == "__main__":
    for chosen in sys.argv[1:]:
        make(chosen)
