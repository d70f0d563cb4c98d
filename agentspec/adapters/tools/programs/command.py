"""command: the toolkit that runs programs and shows what they print, also of those that go on behind.

Nothing lives on when the run ends. What may run is decided in `allowed`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from agentspec.adapters.tools.files.beneath import Beneath
from agentspec.adapters.tools.files.secret_files import SecretFiles
from agentspec.adapters.tools.files.tool import folder_of, require_folder
from agentspec.adapters.tools.kit import KitTool, Offered, Setting, offer
from agentspec.adapters.tools.programs.allowed import Allowed
from agentspec.adapters.tools.programs.command_tools import (
    MOST_SECONDS,
    CommandTool,
    Do,
    Progress,
    World,
    cancel_command,
    read_command_output,
    read_command_output_tail,
    run_command,
)
from agentspec.adapters.tools.programs.environment import child_environment
from agentspec.adapters.tools.programs.job_report import Shown
from agentspec.adapters.tools.programs.jobs import Jobs
from agentspec.adapters.tools.quantities import bytes_of, seconds_of
from agentspec.adapters.tools.sandbox.wall import with_root
from agentspec.core.commands.allow_list import prefixes_of
from agentspec.core.orders import Effect, RepeatClass

_NOTES = 1024  # bytes of an answer that are left for what is said about it
_INLINE = "48KiB"
_PROGRESS = 1024  # bytes of a command's newest output that a report shows
_OFTEN = 0.05  # seconds: reports that come closer tell nothing new
_STOPPING = 5.0  # seconds that the system may take to end a program which was killed
# Programs that would wait for a person, or page what nobody reads.
_QUIET = {"PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "EDITOR": "true"}


class _Kind(NamedTuple):
    """One tool as the language fixes it."""

    description: str
    parameters: Mapping[str, Any]
    do: Do
    effect: Effect
    repeat: RepeatClass


def _text(description: str, kind: str = "string", **more: Any) -> dict[str, Any]:
    return {"type": kind, "description": description, **more}


_ARGV = {
    "items": "string",
    "minItems": 1,
    "description": "The program and its arguments, each one element; no shell reads them.",
}
_LINE = _text("A line for the shell `/bin/sh`, in the place of `argv`.", "string?", minLength=1)
_ID = _text("The id of the command, as `run_command` told it.")
_STREAM = {"enum": ["stdout", "stderr"], "optional": True, "description": "`stdout` if not given."}
_STREAM_OF_LINE = {
    "enum": ["stdout", "stderr", "unfiltered"],
    "optional": True,
    "description": "`stdout` if not given; `unfiltered` is what the filters at the end of a line have read.",
}
_RUN = {
    "cwd": _text("Folder to run in; the project folder if not given.", "string?"),
    "stdin": _text("What the program reads; nothing if not given.", "string?"),
    "timeout": _text("Seconds after which it is stopped.", "number?", exclusiveMinimum=0, maximum=MOST_SECONDS),
    "background": _text("Whether it goes on while you work; it is stopped when the run ends.", "boolean?"),
}


def _kinds(*, has_shell: bool) -> dict[str, _Kind]:
    argv = {"argv": {**_ARGV, "optional": True}, "line": _LINE} if has_shell else {"argv": _ARGV}
    stream = _STREAM_OF_LINE if has_shell else _STREAM
    return {
        "run_command": _Kind("Run a program to its end.", {**argv, **_RUN}, run_command, "process", "once"),
        "read_command_output": _Kind(
            "Read a stretch of what a command has printed, also while it runs.",
            {
                "id": _ID,
                "stream": stream,
                "offset": _text("The first byte to show, from 0.", "integer?", minimum=0),
                "length": _text("The most bytes to show.", "integer?", minimum=1),
            },
            read_command_output,
            "read",
            "read",
        ),
        "read_command_output_tail": _Kind(
            "Read the end of what a command has printed, also while it runs.",
            {"id": _ID, "stream": stream, "bytes": _text("The most bytes to show.", "integer?", minimum=1)},
            read_command_output_tail,
            "read",
            "read",
        ),
        "cancel_command": _Kind(
            "Stop a command that runs in the background.", {"id": _ID}, cancel_command, "process", "idempotent"
        ),
    }


def toolkit(options: Mapping[str, Any], setting: Setting) -> Offered:
    """The tools of `command`. Nothing is started and nothing is looked up."""
    world = _world(options, setting)
    limit = max(setting.timeout, world.background_after or 0.0) + setting.grace + _STOPPING
    tools = [
        KitTool(
            name,
            kind.description,
            kind.parameters,
            CommandTool(kind.do, world),
            effect=kind.effect,
            repeat=kind.repeat,
            touches=world.allowed.touches if name == "run_command" else None,
            timeout=limit,  # a command's own limit comes first: it alone can show what was printed until then
        )
        for name, kind in _kinds(has_shell=bool(options.get("shell"))).items()
    ]
    return offer("command", tools, options, setting)


def require(options: Mapping[str, Any], setting: Setting) -> None:
    """Raise `Unavailable` where the folder that commands start in isn't there."""
    require_folder("command", options, setting)


def _world(options: Mapping[str, Any], setting: Setting) -> World:
    root, allow, after = folder_of(options, setting).absolute(), options.get("allow"), options.get("background_after")
    env = {**_QUIET, **child_environment(os.environ, names=options.get("env") or ()), **setting.environment}
    most = min(bytes_of("max_inline", options.get("max_inline") or _INLINE), max(setting.result_max - _NOTES, 1024))
    return World(
        beneath=Beneath(root, SecretFiles(setting.secrets)),
        allowed=Allowed(
            root=root,
            folder=str(options.get("root") or "."),
            path=env["PATH"],
            prefixes=prefixes_of(allow) if allow is not None else None,
            asks=options.get("allow_else") == "ask",
        ),
        jobs=Jobs(),
        shown=Shown(most, _called("read_command_output", options), _called("cancel_command", options)),
        env=env,
        timeout=setting.timeout,
        grace=setting.grace,
        wall=with_root(setting.wall, root),
        background_after=seconds_of("background_after", after) if after else None,
        keeps_unfiltered=options.get("preserve_filtered_output") is not False,
        progress=_progress(options, setting, most),
    )


def _progress(options: Mapping[str, Any], setting: Setting, most: int) -> Progress | None:
    """How running commands are told of, where somebody watches and the spec asks for it."""
    every = options.get("progress_interval")
    if every is None or setting.tell is None:
        return None
    given = options.get("progress_max_inline")
    inline = min(_PROGRESS if given is None else bytes_of("progress_max_inline", given), most)
    return Progress(max(seconds_of("progress_interval", every), _OFTEN), inline, setting.tell)


def _called(name: str, options: Mapping[str, Any]) -> str:
    """What the model calls a tool, or nothing where it is left out."""
    enabled = options.get("enabled")
    if name in (options.get("disabled") or ()) or (enabled is not None and name not in enabled):
        return ""
    called: str = (options.get("names") or {}).get(name, name)
    return called
