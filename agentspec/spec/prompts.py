"""prompts: what the harness says to models, by id: the Markdown files of `stdlib/prompts`, and an author's own wording.

Data of this package, read once. A text may hold words in braces (`{name}`), which stand for what is known only then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from agentspec.resources import resource
from agentspec.spec.settings import Settings

PLACE = "context.prompts"
POLICIES = "compaction.policy."
_NAMES = r"\{(\w+)\}"


@cache
def built_in(prompt: str) -> str:
    """The text of a built-in prompt.

    >>> built_in("judge.completion").startswith("You judge whether a task is done.")
    True
    """
    return resource("stdlib", "prompts", f"{prompt}.md").read_text(encoding="utf-8").strip()


@cache
def prompt_ids() -> tuple[str, ...]:
    """The ids of all built-in prompts, in alphabetical order."""
    return tuple(sorted(path.stem for path in resource("stdlib", "prompts").glob("*.md")))


def wording(settings: Settings, prompt: str) -> str:
    """A prompt in the words of the spec, or else the built-in ones.

    >>> wording(Settings({"context": {"prompts": {"nudge.native": "Go on."}}}), "nudge.native")
    'Go on.'
    """
    own: Any = settings.get(PLACE)
    given = own.get(prompt) if isinstance(own, Mapping) else None
    return given.strip() if isinstance(given, str) else built_in(prompt)


def wordings(settings: Settings, family: str) -> dict[str, str]:
    """All prompts whose ids begin with a family's name, by the rest of their ids."""
    head = f"{family}."
    return {prompt.removeprefix(head): wording(settings, prompt) for prompt in prompt_ids() if prompt.startswith(head)}


@cache
def named_policies() -> tuple[str, ...]:
    """The policies of compaction that a spec may name.

    >>> named_policies()
    ('bug_fix_resumption', 'preserving_test_failures', 'retaining_current_plan')
    """
    return tuple(prompt.removeprefix(POLICIES) for prompt in prompt_ids() if prompt.startswith(POLICIES))


def fill(text: str, /, **values: object) -> str:
    """A prompt with what its words in braces stand for; a word that stands for nothing stays as it is.

    >>> fill("{count} times, {so}", count=3)
    '3 times, {so}'
    """
    return re.sub(_NAMES, lambda found: str(values[found[1]]) if found[1] in values else found[0], text)
