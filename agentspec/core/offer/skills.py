"""skills: the skills of a spec, and which of them fit what a run works on. Pure: folders were read before.

A skill is instructions. It may narrow what can be called while it is active, and never widens it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from agentspec.core.calls.matching import is_path
from agentspec.core.offer.rank import Index, words_of
from agentspec.errors import ExpressionError
from agentspec.expressions.compile import Program, activate, compile_expression
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import EMPTY
from agentspec.spec.settings import Settings

TOOL = "activate_skill"
BODY = "body"  # where the instructions of a folder stand in the values of a run: they are no template
NAMED = 2.0  # what a skill gains whose name stands in the words of a person
TOUCHED = 1.5  # and for each of its patterns that the work touches
HALF = 1.5  # the score of words at which half of the most is reached


class Hook(NamedTuple):
    """A call that the runtime makes: the tool, and its arguments as JSON."""

    tool: str
    arguments: str


class Skill(NamedTuple):
    """One skill. `when` chooses it in the place of its words; `folder` is where its further files lie."""

    name: str
    prompt: str
    description: str = ""
    when_to_use: str = ""
    when: Program | None = None
    paths: tuple[str, ...] = ()
    allowed_tools: tuple[str, ...] = ()
    folder: str = ""
    by_model: bool = True
    by_person: bool = True
    on_activate: tuple[Hook, ...] = ()
    on_deactivate: tuple[Hook, ...] = ()


class Skills(NamedTuple):
    """The skills of a spec, and how they are chosen: at most `top_n` at a time, for good where they are `sticky`."""

    all: tuple[Skill, ...]
    strategy: str = "metadata"
    top_n: int = 1
    sticky: bool = True

    @property
    def by_model(self) -> tuple[Skill, ...]:
        """Those that the model itself may ask for."""
        return tuple(skill for skill in self.all if skill.by_model)

    def named(self, name: str) -> Skill | None:
        return next((skill for skill in self.all if skill.name == name), None)


class Candidate(NamedTuple):
    """How well a skill fits; `problem` tells of a condition that could not be evaluated."""

    name: str
    score: float
    problem: str = ""


def skills_of(settings: Settings) -> Skills | None:
    """The skills of a spec whose folders were read; None where it has none."""
    written = settings.get("capability.skills") or {}
    match = settings.get("capability.skill_match") or "metadata"
    given: Mapping[str, Any] = match if isinstance(match, Mapping) else {"strategy": match}
    found = tuple(_skill(name, value) for name, value in written.items() if isinstance(value, Mapping))
    if not found:
        return None
    return Skills(found, given.get("strategy") or "metadata", given.get("top_n") or 1, given.get("sticky") is not False)


def _skill(name: str, value: Mapping[str, Any]) -> Skill:
    when = value.get("when")
    of_servers = [f"{server}__*" for server in value.get("mcp") or ()]  # what it needs, it may call
    globs = value.get("allowed_tools") or ()
    return Skill(
        name=name,
        prompt=value.get(BODY) or value.get("prompt") or "",
        description=value.get("description") or "",
        when_to_use=value.get("when_to_use") or "",
        when=None if when is None else compile_expression(str(when), PLACES["skills.when"]),
        paths=tuple(value.get("paths") or ()),
        allowed_tools=(*globs, *of_servers) if globs else (),
        folder=value.get("folder") or "",
        by_model=value.get("disable_model_invocation") is not True,
        by_person=value.get("user_invocable") is not False,
        on_activate=tuple(map(_hook, value.get("on_activate") or ())),
        on_deactivate=tuple(map(_hook, value.get("on_deactivate") or ())),
    )


def _hook(given: Mapping[str, Any]) -> Hook:
    return Hook(str(given["tool"]), json.dumps(given.get("args") or {}, ensure_ascii=False))


def candidates(
    skills: Skills, words: str, files: Sequence[str], *, iteration: int, project: str = ""
) -> list[Candidate]:
    """The skills that fit, the best first; of equals the one that the spec names first.

    `words` are the newest ones of a person, `files` those that the run works on. A skill that the model may not ask
    for is chosen only where a person names it. What fits nothing has no score and is not among them.
    """
    query = words_of(words)
    index = Index([words_of(f"{skill.description} {skill.when_to_use}") for skill in skills.all])
    found: list[Candidate] = []
    for skill, score in zip(skills.all, index.scores(query), strict=True):
        is_named = skill.by_person and _is_named(skill.name, words)
        gained = NAMED * is_named
        if skill.when is not None:
            found.append(_by_condition(skill, gained, words, files, iteration))
        elif skill.by_model or is_named:
            fits = score / (score + HALF) + TOUCHED * _touched(skill, files, project)
            found.append(Candidate(skill.name, round(gained + fits * (skills.strategy != "expression"), 4)))
    kept = [one for one in found if one.score > 0 or one.problem]
    return sorted(kept, key=lambda one: -one.score)


def _by_condition(skill: Skill, gained: float, words: str, files: Sequence[str], iteration: int) -> Candidate:
    values = {"task": words, "working_files": list(files), "iteration": iteration}
    assert skill.when is not None
    try:
        holds = skill.when.evaluate(activate(PLACES["skills.when"], EMPTY, values))
    except ExpressionError as error:
        return Candidate(skill.name, gained, str(error))
    return Candidate(skill.name, gained + (1.0 if holds else 0.0))


def _is_named(name: str, words: str) -> bool:
    """Whether the name stands in the text as a word of its own.

    >>> _is_named("pdf", "Use /pdf now"), _is_named("pdf", "a pdfium build")
    (True, False)
    """
    text = f" {words.casefold()} "
    at = text.find(name.casefold())
    while at > 0:
        around = text[at - 1] + text[at + len(name)]
        if not any(char.isalnum() or char in "-_" for char in around):
            return True
        at = text.find(name.casefold(), at + 1)
    return False


def _touched(skill: Skill, files: Iterable[str], project: str) -> int:
    return sum(any(is_path(file, (glob,), project) for file in files) for glob in skill.paths)


def allowed(skills: Skills, active: Iterable[str]) -> tuple[str, ...] | None:
    """The globs of the tools that the active skills leave; None where none of them says anything about tools."""
    chosen = [skill for name in active if (skill := skills.named(name)) is not None and skill.allowed_tools]
    return tuple(dict.fromkeys(glob for skill in chosen for glob in skill.allowed_tools)) if chosen else None


def instructions(skill: Skill) -> str:
    """What the model reads when the skill becomes active."""
    parts = [f"The skill `{skill.name}` is active. Follow it wherever it fits the task.", skill.prompt]
    if skill.allowed_tools:
        listed = ", ".join(f"`{glob}`" for glob in skill.allowed_tools)
        parts.append(f"While it is active, only these tools of yours can be called: {listed}.")
    return "\n\n".join(part for part in parts if part)
