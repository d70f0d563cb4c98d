"""notes: what a model keeps for itself during a run: the toolkits `todo` (a working list) and `scratch` (named notes).

Kept in memory alone, and a pure fold of the calls that changed it: a run that is resumed makes those of its journal
again (`restore`), and stands where it stood. Nothing outlives the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentspec.adapters.tools.kit import KitTool, Offered, Setting, offer
from agentspec.adapters.tools.pure.pure import PureTool, Shown, Unfit, parameter, require_texts
from agentspec.core.messages import ToolResult
from agentspec.ports import Invocation, Output

MOST_ITEMS = 200
MOST_TASK = 1000  # characters
MOST_NOTES = 100
MOST_NAME = 100
MOST_SCRATCH = 64 * 1024  # characters of all notes together
MARKS = {"open": "[ ]", "doing": "[>]", "done": "[x]"}


class NoteTool:
    """A tool of which each call that succeeded may be made again: it changes memory, and nothing else."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._tool = PureTool(function)

    async def call(self, invocation: Invocation) -> Output:
        return await self._tool.call(invocation)

    def restore(self, result: ToolResult) -> None:
        """Make a call of the journal again."""
        if result.status == "ok":
            require_texts(result.arguments)
            self._function(**result.arguments)

    async def close(self) -> None: ...


class Todo:
    """The working list of a run, always written whole: what the model sees is what it wrote."""

    def __init__(self) -> None:
        self._items: list[dict[str, str]] = []

    def write(self, items: list[dict[str, str]]) -> Shown:
        if len(items) > MOST_ITEMS:
            raise Unfit(f"{len(items)} items; at most {MOST_ITEMS} are kept")
        long = next((item["task"] for item in items if len(item["task"]) > MOST_TASK), None)
        if long is not None:
            raise Unfit(f"the task `{long[:60]}…` has {len(long)} characters; at most {MOST_TASK} are kept")
        self._items = [{"task": item["task"].strip(), "state": item.get("state", "open")} for item in items]
        return self.read()

    def read(self) -> Shown:
        lines = [f"{MARKS[item['state']]} {item['task']}" for item in self._items]
        done = sum(item["state"] == "done" for item in self._items)
        text = "\n".join([*lines, f"{done} of {len(lines)} done"]) if lines else "the list is empty"
        return Shown(text, {"items": list(self._items), "done": done})


class Scratch:
    """Notes by name."""

    def __init__(self) -> None:
        self._notes: dict[str, str] = {}

    def write(self, name: str, text: str, *, append: bool = False) -> str:
        if not name.strip() or len(name) > MOST_NAME:
            raise Unfit(f"a note has a name of 1 to {MOST_NAME} characters")
        new = self._notes.get(name, "") + text if append else text
        size = sum(len(note) for other, note in self._notes.items() if other != name) + len(new)
        if size > MOST_SCRATCH:
            raise Unfit(f"the notes would have {size} characters; at most {MOST_SCRATCH} are kept: delete some first")
        if name not in self._notes and len(self._notes) >= MOST_NOTES:
            raise Unfit(f"there are {MOST_NOTES} notes already; delete one first")
        self._notes[name] = new
        return f"noted under `{name}`: {len(new)} characters"

    def read(self, name: str | None = None) -> Shown:
        if name is not None:
            return Shown(self._note(name), self._notes[name])
        lines = [f"{known}: {len(note)} characters" for known, note in self._notes.items()]
        return Shown("\n".join(lines) or "there are no notes", dict.fromkeys(self._notes))

    def delete(self, name: str) -> str:
        self._note(name)
        del self._notes[name]
        return f"deleted `{name}`"

    def _note(self, name: str) -> str:
        if name not in self._notes:
            known = ", ".join(f"`{one}`" for one in self._notes) or "none"
            raise Unfit(f"there is no note `{name[:60]}`; there are: {known}")
        return self._notes[name]


def todo_toolkit(options: Mapping[str, Any], setting: Setting) -> Offered:
    """The tools of `todo`, over one list."""
    todo = Todo()
    item = {"task": "string", "state": {"enum": list(MARKS), "default": "open", "description": "How it stands."}}
    items = {"items": {"fields": item}, "description": "All tasks, in their order."}
    made = [
        _tool("todo_write", "Write the working list anew: all tasks with their states.", {"items": items}, todo.write),
        _tool("todo_read", "Show the working list.", {}, todo.read),
    ]
    return offer("todo", made, options, setting)


def scratch_toolkit(options: Mapping[str, Any], setting: Setting) -> Offered:
    """The tools of `scratch`, over the same notes."""
    scratch = Scratch()
    name = parameter("string", "The name of the note.")
    made = [
        _tool(
            "scratch_write",
            "Keep a note under a name for the rest of the run, in place of what stood there.",
            {
                "name": name,
                "text": parameter("string", "The note."),
                "append": parameter("boolean?", "Whether to add it to what stands there."),
            },
            scratch.write,
        ),
        _tool(
            "scratch_read",
            "Show a note, or the names of all.",
            {"name": parameter("string?", "The name of the note; all names if not given.")},
            scratch.read,
        ),
        _tool("scratch_delete", "Forget a note.", {"name": name}, scratch.delete),
    ]
    return offer("scratch", made, options, setting)


def _tool(name: str, description: str, parameters: Mapping[str, Any], function: Callable[..., Any]) -> KitTool:
    return KitTool(name, description, parameters, NoteTool(function))
