"""kits: where each toolkit is made. A toolkit that nobody asks for is never imported."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from agentspec.adapters.tools.kit import Offered, Setting

# Each module has `toolkit(options, setting)`, and `require(options, setting)` where something has to be there.
KITS: dict[str, str] = {
    "command": "programs.command",
    "files.edit": "files.edit",
    "files.read": "files.read",
    "git": "git.tools",
    "git.compact": "git.compact",
    "text": "pure.text_tools",
    "math": "pure.math_tools",
    "json": "pure.json_tools",
    "time": "pure.time_tools",
    "web.fetch": "web.web_fetch",
    "todo": "offered.todo",
    "scratch": "offered.scratch",
    "ask_user": "offered.ask_user",
}


def make_kit(family: str, options: Mapping[str, Any], setting: Setting) -> Offered:
    """The tools of a toolkit by the names that the model calls them. Raises `SpecInvalid`."""
    offered: Offered = _module(family).toolkit(options, setting)
    return offered


def require_kit(family: str, options: Mapping[str, Any], setting: Setting) -> None:
    """Raise `Unavailable` where what the toolkit works on is not there."""
    require: Callable[[Mapping[str, Any], Setting], None] | None = getattr(_module(family), "require", None)
    if require is not None:
        require(options, setting)


def _module(family: str) -> Any:
    return importlib.import_module(f"agentspec.adapters.tools.{KITS[family]}")
