"""resume: the command `agentspec resume`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from agentspec.api.answers import answered
from agentspec.api.options import RunOptions, ToolOutcome
from agentspec.api.resume import reopen
from agentspec.api.running import Running
from agentspec.api.workspace import Workspace
from agentspec.cli.answering import read_answers
from agentspec.cli.running import finish, outputs
from agentspec.cli.terminal.approving import terminal_prompt, terminal_questions
from agentspec.core.orders import CallTool
from agentspec.text.visible import visible

HELP = """Go on with an interrupted or crashed run.

Calls that have finished are never made again. A call that was in flight when the process died is made again only where
it can do no harm; else `--tool-outcome` says what to take it for.

\b
examples:
  agentspec resume 20260131-101500-1f0c9a2b
  agentspec resume 20260131-101500-1f0c9a2b --approve call_7=allow
  agentspec resume 20260131-101500-1f0c9a2b --answer call_8="The second one"
  agentspec resume 20260131-101500-1f0c9a2b --message "Now do the same for the other folder"

Exit codes are those of `run`; 2 also where another process drives the run, or where it has ended.
"""


@click.command("resume", help=HELP)
@click.argument("run")
@click.option(
    "--tool-outcome",
    type=click.Choice(["ask", "assume_failed", "rerun"]),
    default="ask",
    help="What becomes of a call whose outcome nobody knows (default: ask on a terminal, else tell the model).",
)
@click.option(
    "--message", metavar="TEXT", help="Say this to the model; if the run has ended, in a new run of its session."
)
@click.option(
    "--approve",
    "answers",
    multiple=True,
    metavar="[ID=]WORD",
    help="Answer a call that waits for approval, with allow or deny, or with session where permissions refuse it; "
    "without ID= all of them, with allow, deny or ask; repeatable.",
)
@click.option(
    "--answer",
    "replies",
    multiple=True,
    metavar="ID=TEXT",
    help="Answer a question of the model, also one that waits for another; without ID= the only one; repeatable.",
)
@click.option(
    "--tool-result",
    "results",
    multiple=True,
    metavar="ID=JSON",
    help="The result of a call of an external tool; repeatable.",
)
@click.option("--store", metavar="FOLDER", help="Where the run is kept.")
@click.option("--record", metavar="FILE", help="Write the run, from its beginning, as a scenario to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print the result object as JSON.")
@click.option("--events", metavar="FILE|-", help="Write the event stream as JSON lines; a file is added to.")
@click.option("--trace", is_flag=True, help="Put the trace of all turns into the result.")
@click.option("--quiet", is_flag=True, help="Say nothing on standard error while it runs.")
def command(run: str, tool_outcome: ToolOutcome, message: str | None, **given: Any) -> int:
    """Go on with an interrupted or crashed run."""
    with outputs(as_json=given["as_json"], events=given["events"], quiet=given["quiet"], goes_on=True) as out:
        options = RunOptions(
            store=given["store"],
            record=Path(given["record"]) if given["record"] else None,
            trace=given["trace"],
            on_event=out.on_event,
            on_notice=out.notice,
            on_approval=terminal_prompt(),
            on_question=terminal_questions(),
        )
        options, said = answered(options, *read_answers(given["answers"], given["replies"], given["results"]))

        asked: list[CallTool] = []

        def ask(order: CallTool) -> ToolOutcome:
            asked.append(order)
            if tool_outcome != "ask" or not sys.stdin.isatty():
                return tool_outcome
            with out.signals.waiting():
                return ask_person(order)

        async def prepare(shared: Workspace) -> Running:
            running = await reopen(run, Path.cwd(), options, shared, ask, message, said)
            if tool_outcome != "ask" and not asked:
                out.notice(f"`--tool-outcome {tool_outcome}` had nothing to act on: no call has an unknown outcome")
            return running

        return finish(prepare, out)


def ask_person(order: CallTool) -> ToolOutcome:
    """Ask on the terminal what became of a call."""
    given = ", ".join(f"`{name}` = {json.dumps(value, ensure_ascii=False)}" for name, value in order.arguments.items())
    line = f"`{order.call.name}` was in flight when the run stopped, with {given or 'no arguments'}."
    click.echo(visible(line), err=True)
    answer: str = click.prompt(
        "It may have acted. Run it again, take it as failed, or tell the model that nobody knows?",
        type=click.Choice(["rerun", "assume_failed", "tell"]),
        default="tell",
        err=True,
    )
    return "rerun" if answer == "rerun" else "assume_failed" if answer == "assume_failed" else "ask"
