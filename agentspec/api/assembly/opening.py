"""opening: the conversation that a run begins with: the system text, what it is told of the project, seeded turns, the
task.

What stands in files is read here, once: the journal of the run holds it, and a resume needs none of them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from agentspec.adapters.tools.files.beneath import Beneath
from agentspec.adapters.tools.files.secret_files import SecretFiles
from agentspec.adapters.tools.files.walk import Walk
from agentspec.api.assembly.assemble import Names, system_prompt
from agentspec.api.assembly.blueprint import Blueprint
from agentspec.api.assembly.pictures import Keep, pictures_of
from agentspec.api.assembly.texts import filled_texts
from agentspec.core.calls.matching import is_path
from agentspec.core.messages import (
    AssistantMessage,
    Message,
    Picture,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agentspec.errors import NotFound, Unavailable
from agentspec.spec.instructions import MOST, files_meant, too_long
from agentspec.spec.prompts import fill, wording
from agentspec.spec.settings import Settings
from agentspec.syntax.read import read_text
from agentspec.syntax.within import within

INSTRUCTIONS = "context.instructions_files"
FILES = "context.working_files"
MOST_FILES = 200


def opening_of(
    blueprint: Blueprint,
    names: Names,
    keep: Keep,
    notice: Callable[[str], None],
    *,
    images: Iterable[Path] = (),
    has_task: bool = True,
) -> tuple[Message, ...]:
    """What the first request of a run shows; from then on the texts of its blueprint are those that are said.

    Without a task the run takes up the last word of a person in its history. `images` are shown with what is asked;
    `keep` keeps them, and `notice` hears of patterns that mean no file. Raises `NotFound`, `NotAllowed` or
    `Unavailable` where a file can't be used.
    """
    asked_with = pictures_of(images, keep, "`images`")
    blueprint.values = filled_texts(blueprint.values, names)
    system = system_prompt(blueprint.settings, names, blueprint.folder)
    said = [] if system is None else [SystemMessage(text=system)]
    told = told_before(blueprint, keep, notice)
    if has_task:
        told.append(UserMessage(text=names["run"]["task"]))
    return (*said, *_shown_with(told, asked_with))


def told_before(blueprint: Blueprint, keep: Keep, notice: Callable[[str], None]) -> list[Message]:
    """What stands between the system text and the task. Raises as `opening_of` does."""
    return [*told_beside(blueprint, notice), *_history(blueprint.settings, blueprint.folder, keep)]


def told_beside(blueprint: Blueprint, notice: Callable[[str], None]) -> list[Message]:
    """What of that is about the project, and no part of a conversation. Raises as `opening_of` does."""
    project = blueprint.folder
    return [*_instructions(blueprint.settings, project), *_working_files(blueprint, project, notice)]


def _shown_with(messages: list[Message], pictures: tuple[Picture, ...]) -> list[Message]:
    """The messages with these images beside the last word of a person."""
    for place, message in reversed(list(enumerate(messages))):
        if pictures and isinstance(message, UserMessage):
            shown = replace(message, pictures=(*message.pictures, *pictures))
            return [*messages[:place], shown, *messages[place + 1 :]]
    return messages


def last_word(values: Mapping[str, Any]) -> str | None:
    """What a person says last in a seeded history.

    >>> last_word({"context": {"history": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "?"}]}})
    'Hi.'
    """
    turns = (values.get("context") or {}).get("history") or ()
    said = [str(turn.get("content") or "") for turn in turns if turn.get("role") == "user"]
    return said[-1] if said else None


def _history(settings: Settings, project: Path, keep: Keep) -> Iterator[Message]:
    """The seeded turns; that calls and results are paired is the check's to say."""
    called: dict[str, str] = {}
    for turn in settings.get("context.history") or ():
        text = turn.get("content") or ""
        pictures = pictures_of([project / name for name in turn.get("images") or ()], keep, "`context.history`")
        match turn["role"]:
            case "system":
                yield SystemMessage(text=text)
            case "user":
                yield UserMessage(text=text, pictures=pictures)
            case "assistant":
                calls = tuple(map(_call, turn.get("tool_calls") or ()))
                called |= {call.id: call.name for call in calls}
                yield AssistantMessage(text=text, calls=calls)
            case _:
                call_id = str(turn.get("call_id"))
                yield ToolMessage(call_id=call_id, name=called.get(call_id, ""), text=text, pictures=pictures)


def _call(given: Mapping[str, Any]) -> ToolCall:
    arguments = json.dumps(given.get("arguments") or {}, ensure_ascii=False)
    return ToolCall(id=str(given["id"]), name=str(given["name"]), arguments=arguments)


def _instructions(settings: Settings, project: Path) -> Iterator[UserMessage]:
    """The instructions that people keep in files beside their work, each as a message."""
    words, left = wording(settings, "context.instructions"), MOST
    for name in files_meant(settings.get(INSTRUCTIONS) or "off", project):
        text = _read(project, name)
        left -= len(text.encode())
        if left < 0:
            raise Unavailable(f"`{INSTRUCTIONS}`: {too_long(name)}: shorten them")
        yield UserMessage(text=fill(words, path=name, text=text.strip()))


def _read(project: Path, name: str) -> str:
    try:
        return read_text(within(project, name))
    except NotFound as problem:
        raise NotFound(f"`{INSTRUCTIONS}`: {problem}") from None


def _working_files(blueprint: Blueprint, project: Path, notice: Callable[[str], None]) -> Iterator[UserMessage]:
    """The files that the patterns mean now: the model is told their names, and the run's blueprint keeps them."""
    globs = blueprint.settings.get(FILES)
    if not globs:
        return
    secrets = blueprint.settings.get("capability.approval.secrets") or ()
    found = list(islice(_matching(project, globs, secrets), MOST_FILES + 1))
    listed = found[:MOST_FILES]
    if len(found) == len(listed):
        for glob in map(str, globs):
            if not any(is_path(str(project / path), (glob,), str(project)) for path in found):
                notice(f"`{FILES}`: `{glob}` fits no file that the run may see")
    context = blueprint.values.get("context") or {}
    blueprint.values = blueprint.values | {"context": {**context, "working_files": listed}}
    lines = [f"- {path}" for path in listed] or [f"- none yet: nothing fits {', '.join(map(str, globs))}"]
    more = ["- and more"] if len(found) > MOST_FILES else []
    words = wording(blueprint.settings, "context.working_files")
    yield UserMessage(text=fill(words, files="\n".join([*lines, *more])))


def _matching(project: Path, globs: Iterable[str], secrets: Iterable[str]) -> Iterator[str]:
    hidden = SecretFiles(secrets)
    walk = Walk(Beneath(project, hidden), ".", threading.Event())
    patterns = tuple(map(str, globs))
    for path in walk.files():
        if is_path(str(project / path), patterns, str(project)) and not hidden.reason(str(project / path)):
            yield path
