"""run: the command `agentspec run`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, BinaryIO

import click

from agentspec.api.assembly.opening import last_word
from agentspec.api.options import RunOptions
from agentspec.api.run import as_spec, start
from agentspec.api.spec import Spec
from agentspec.cli.running import finish, outputs
from agentspec.cli.terminal.approving import terminal_prompt, terminal_questions
from agentspec.cli.usage import Usage
from agentspec.syntax.absent import no_such_file
from agentspec.syntax.limits import MAX_BYTES
from agentspec.text.paths import is_file, is_folder

HELP = """Run a spec on a task.

TASK is the task itself, or `-` to read it from standard input; without one the spec's own `task:` is taken, else what
is piped in. The answer goes to standard output, everything else to standard error.

\b
examples:
  agentspec run triage.yaml "Sort the new reports"
  agentspec run triage.yaml --model openai:gpt-5.4-mini --input folder=inbox
  agentspec run triage.yaml --script turns.yaml --json

Exit 0: done. 1: ended otherwise. 2: the spec does not check, or bad usage. 3: suspended. 130: interrupted.
"""

NO_TASK = "no task: give TASK, `-` or `--task-file`, or write `task:` in the spec"


@click.command("run", help=HELP)
@click.argument("spec")
@click.argument("task", required=False)
@click.option("--task-file", metavar="FILE", help="Read the task from this file or pipe; `-` is standard input.")
@click.option("--input", "inputs", multiple=True, metavar="NAME=VALUE", help="Give an input of the spec; repeatable.")
@click.option("--model", metavar="PROVIDER:MODEL", help="Let this model answer instead of the spec's.")
@click.option("--set", "sets", multiple=True, metavar="PATH=VALUE", help="Set a key of the spec; repeatable.")
@click.option(
    "--script", metavar="FILE", help="Answer the model's calls, and its questions to you, from this file, offline."
)
@click.option("--image", "images", multiple=True, metavar="FILE", help="Show this image with the task; repeatable.")
@click.option("--session", metavar="ID", help="The session that the run belongs to.")
@click.option("--store", metavar="FOLDER", help="Where the run is kept, instead of `.agentspec` in the project.")
@click.option("--approve", type=click.Choice(["ask", "allow", "deny"]), default="ask", help="Answer approvals so.")
@click.option("--identity", metavar="user=…,roles=…", help="Who the run acts for.")
@click.option("--allow-python", is_flag=True, help="Let the spec's `python:` rules run.")
@click.option("--record", metavar="FILE", help="Write the run as a scenario to this file.")
@click.option("--dry-run", is_flag=True, help="Only pretend to run tools that may change something.")
@click.option("--json", "as_json", is_flag=True, help="Print the result object as JSON.")
@click.option("--events", metavar="FILE|-", help="Write the event stream as JSON lines.")
@click.option("--trace", is_flag=True, help="Put the trace of all turns into the result.")
@click.option("--quiet", is_flag=True, help="Say nothing on standard error while it runs.")
def command(spec: str, task: str | None, **given: Any) -> int:
    """Run a spec on a task."""
    with outputs(as_json=given["as_json"], events=given["events"], quiet=given["quiet"]) as out:
        options = RunOptions(
            inputs=given["inputs"],
            sets=given["sets"],
            model=given["model"],
            script=_existing(given["script"], "--script"),
            images=[path for path in map(_image, given["images"]) if path is not None],
            session=given["session"],
            store=given["store"],
            allow_python=given["allow_python"],
            approve=given["approve"],
            identity=_identity(given["identity"]),
            dry_run=given["dry_run"],
            on_approval=terminal_prompt(),
            on_question=terminal_questions(),
            record=Path(given["record"]) if given["record"] else None,
            trace=given["trace"],
            on_event=out.on_event,
            on_notice=out.notice,
        )
        loaded = as_spec(spec, options)
        loaded.require_agent()
        with out.signals.waiting():
            words = _task(loaded, task, given["task_file"])
        return finish(lambda shared: start(loaded, words, options, shared), out)


def _identity(text: str | None) -> dict[str, Any]:
    """Who the run acts for, of `user=ada,roles=admin+ops,tenant=t1`."""
    found: dict[str, Any] = {}
    for part in text.split(",") if text else ():
        name, equals, value = part.partition("=")
        if not equals or not value or name in found:
            raise Usage(f"`--identity {text}`: write it as `user=ada,roles=admin+ops,tenant=t1`")
        found[name] = value.split("+") if name == "roles" else value
    return found


def _image(path: str) -> Path | None:
    return _existing(path, "--image")


def _existing(path: str | None, option: str) -> Path | None:
    if path is None:
        return None
    if not is_file(path):
        what = f"`{path}` is a folder" if is_folder(path) else no_such_file(path)
        raise Usage(f"`{option}`: {what}")
    return Path(path)


def _task(spec: Spec, task: str | None, task_file: str | None) -> str | None:
    """The task: the argument, a file, or what is piped in; None where the spec's own is taken."""
    if task is not None and task_file is not None:
        raise click.UsageError("give TASK or `--task-file`, not both")
    own = spec.values.get("task")
    if task_file not in (None, "-"):
        task = _decoded(_bytes_of(str(task_file)), f"`{task_file}`")
    elif "-" in (task, task_file) or (
        task is None and own is None and sys.stdin is not None and not sys.stdin.isatty()
    ):
        task = _decoded(_bounded(sys.stdin.buffer, "standard input"), "standard input")
    if not (own or "" if task is None else task).strip() and last_word(spec.values) is None:
        raise Usage(NO_TASK, "usage: agentspec run SPEC [TASK]; see `agentspec run --help`")
    return task


def _is_piped() -> bool:
    return sys.stdin is not None and not sys.stdin.isatty()


def _bytes_of(path: str) -> bytes:
    """What a file holds, or a pipe brings (`--task-file <(git diff)`)."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - `Path` would make `.` of an empty name
            return _bounded(file, f"`{path}`")
    except FileNotFoundError:
        raise Usage(f"`--task-file`: {no_such_file(path)}") from None
    except IsADirectoryError:
        raise Usage(f"`--task-file`: `{path}` is a folder") from None
    except OSError as error:
        raise click.UsageError(f"`--task-file`: can't read `{path}`: {error.strerror}") from None


def _bounded(stream: BinaryIO, source: str) -> bytes:
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Usage(f"the task in {source} is larger than {MAX_BYTES // 1024**2} MiB", "let a tool read it instead")
    return data


def _decoded(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"the task in {source} is not UTF-8 text (byte {error.start + 1})") from None
