"""prompts: the built-in wordings, by id: the Markdown files of `stdlib/prompts`. Data of this package, read once."""

from __future__ import annotations

from functools import cache

from agentspec.resources import resource


@cache
def built_in(prompt: str) -> str:
    """The text of a built-in prompt.

    >>> built_in("judge.completion").startswith("You judge whether a task is done.")
    True
    """
    return resource("stdlib", "prompts", f"{prompt}.md").read_text(encoding="utf-8")
