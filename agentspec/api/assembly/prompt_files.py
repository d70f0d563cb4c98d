"""prompt_files: an author's wordings that stand in files are read before a run, so that its journal needs no file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentspec.errors import NotFound
from agentspec.spec.prompts import PLACE
from agentspec.syntax.read import read_text
from agentspec.syntax.within import within


def with_prompts(values: dict[str, Any], project: Path) -> dict[str, Any]:
    """The values with the text of each prompt in them. Raises `NotFound` where a file can't be read."""
    context: Mapping[str, Any] = values.get("context") or {}
    prompts: Mapping[str, Any] = context.get("prompts") or {}
    if not any(isinstance(text, Mapping) for text in prompts.values()):
        return values
    read = {name: _text(name, text, project) for name, text in prompts.items()}
    return values | {"context": {**context, "prompts": read}}


def _text(name: str, text: Any, project: Path) -> Any:
    if not isinstance(text, Mapping):
        return text
    try:
        return read_text(within(project, str(text.get("file"))))
    except NotFound as problem:
        raise NotFound(f"`{PLACE}.{name}.file`: {problem}") from None
