"""approving: ask the person at the terminal: about a call, or what the model asks. Nothing can draw over the question.

It waits without a thread, so that a signal ends the question like everything else that the run waits for.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from agentspec.adapters.people.person import OnQuestion, Prompt
from agentspec.text.visible import one_line, visible

LONGEST = 400  # characters of an argument; the journal has the whole
WORDS = {"y": "allow", "yes": "allow", "n": "deny", "no": "deny", "s": "session", "session": "session"}
HELP = {"allow": "y: this once", "session": "s: for the whole run", "deny": "n: no"}


def terminal_prompt() -> Prompt | None:
    """The prompt of a terminal, or None where nobody sits at one."""
    return ask if _is_terminal() else None


def terminal_questions() -> OnQuestion | None:
    """Who answers the questions of the model: the person at a terminal, or None where nobody sits at one."""
    return reply if _is_terminal() else None


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


async def ask(question: Mapping[str, Any]) -> str | None:
    """Show the call and read lines until one is an answer; None where the input has ended."""
    for line in lines_of(question):
        print(visible(line), file=sys.stderr)
    answers: list[str] = question["answers"]
    while True:
        print(f"allow it? ({', '.join(HELP[answer] for answer in answers)}) ", end="", file=sys.stderr, flush=True)
        line = await _line()
        if not line:
            return None
        decision = WORDS.get(line.strip().casefold())
        if decision in answers:
            return decision


async def reply(question: Mapping[str, Any]) -> str | None:
    """Show what the model asks and read one line, or the number of one of its options; None where the input has ended.

    An empty line is no answer, and is asked again.
    """
    asked = question["arguments"]
    options = [str(option) for option in asked.get("options") or ()]
    whose = f"the agent `{question['agent']}`" if question.get("agent") else "the model"
    print(one_line(f"{whose} asks:"), file=sys.stderr)
    for line in str(asked.get("question", "")).splitlines():
        print(f"  {one_line(line)}", file=sys.stderr)
    for number, option in enumerate(options, 1):
        print(f"  {number}: {one_line(option)}", file=sys.stderr)
    while True:
        print("answer: ", end="", file=sys.stderr, flush=True)
        line = await _line()
        if not line:
            return None
        said = line.strip()
        if said:
            is_number = said.isdecimal() and 0 < int(said) <= len(options)
            return options[int(said) - 1] if is_number else said


def lines_of(question: Mapping[str, Any]) -> Iterator[str]:
    """The call in lines, each argument on one line of its own, with every control character escaped.

    >>> list(lines_of({"name": "rm", "hash": "ab12cd34", "arguments": {"path": "a\\nb"}, "rule": "r", "reason": ""}))
    ['`rm` asks for approval (#ab12cd34), by `r`', '  path = "a\\\\nb"']
    """
    reason = f": {one_line(question['reason'])}" if question["reason"] else ""
    whose = f" of the agent `{question['agent']}`" if question.get("agent") else ""
    about = f"(#{question['hash'][:8]}), by `{question['rule']}`{reason}"
    yield one_line(f"`{question['name']}`{whose} asks for approval {about}")
    for name, value in question["arguments"].items():
        text = json.dumps(value, ensure_ascii=True)
        more = f"… ({len(text)} characters)" if len(text) > LONGEST else ""
        yield one_line(f"  {name} = {text[:LONGEST]}{more}")


async def _line() -> str:
    """The next line of standard input; empty at its end."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    descriptor = sys.stdin.fileno()
    loop.add_reader(descriptor, lambda: None if ready.done() else ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)
    return os.read(descriptor, 4096).decode("utf-8", "replace")
