"""vocabulary: what an expression may say at a place: names, fields and functions, each with its type and what it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agentspec.expressions.functions import Function, by_name, functions, namespaces
from agentspec.expressions.groups import GROUPS
from agentspec.expressions.places import Place
from agentspec.expressions.scope import Scope, names_of
from agentspec.expressions.types import Type, spell

STEP = re.compile(r"([A-Za-z_]\w*)((?:\[[^\[\]]*\])*)")
MACRO = r"([A-Za-z_][\w.\[\]]*)\.(?:all|exists|exists_one|map|filter|sortBy)\(\s*{name}\s*,"


class Known(NamedTuple):
    """A word that an expression may say: what it is in a line, and how it reads."""

    name: str
    form: str
    about: str
    is_function: bool = False


class Vocabulary:
    """What may be said at one place of one spec."""

    def __init__(self, place: Place, scope: Scope) -> None:
        self._place = place
        self._names = names_of(place, scope)

    def first(self) -> Iterator[Known]:
        """What may stand where nothing stands before it."""
        for name, form in self._names.items():
            yield Known(name, spell(form), self._place.names[name][1])
        for name in sorted(namespaces()):
            yield Known(name, "functions", f"functions: `{name}.…`")
        for function in functions():
            if not function.receiver and "." not in function.name:
                yield _called(function, function.name)

    def after(self, before: str, text: str = "") -> Iterator[Known]:
        """What may follow `before` and a dot; `text` is all that stands before that in the expression."""
        if before in namespaces():
            for function in functions():
                if not function.receiver and function.name.startswith(f"{before}."):
                    yield _called(function, function.name.partition(".")[2])
            return
        form = self.type_of(before, text)
        for name, field in form.fields if form is not None else ():
            yield Known(name, spell(field), _about_field(form, name))
        if form is None or form.kind not in ("record", "object"):
            for function in functions():
                if function.receiver and (form is None or _fits(function.receiver, form)):
                    yield _called(function, function.name)

    def type_of(self, words: str, text: str = "") -> Type | None:
        """The type of `name.field[0].field`, None where it is not known. `text` may say what a name stands for."""
        form: Type | None = None
        for index, step in enumerate(words.split(".")):
            found = STEP.fullmatch(step)
            if found is None:
                return None
            form = self._name(found[1], text) if index == 0 else form and form.field(found[1])
            for _ in range(found[2].count("[")):
                form = form and form.item
        return form

    def members(self, words: str) -> tuple[str, ...]:
        """The only texts that a value can be, if there are only some."""
        form = self.type_of(words)
        return form.members if form is not None else ()

    def describe(self, words: list[str]) -> Known | None:
        """What `name.field.field` is, or a function of that name."""
        joined = ".".join(words)
        called = by_name().get((joined, False)) or by_name().get((words[-1], True)) or []
        form = self.type_of(joined)
        if form is not None:
            holder = self.type_of(".".join(words[:-1])) if len(words) > 1 else None
            about = _about_field(holder, words[-1]) if holder is not None else self._place.names[words[0]][1]
            return Known(joined, spell(form), about)
        return _called(called[0], joined) if called else None

    def _name(self, name: str, text: str) -> Type | None:
        if name in self._names:
            return self._names[name]
        # `tool_results.exists(r, r.ok)`: `r` is an item of what stands before.
        for found in reversed(list(re.finditer(MACRO.format(name=re.escape(name)), text))):
            form = self.type_of(found[1])
            if form is not None and form.item is not None:
                return form.item
        return None


def _called(function: Function, name: str) -> Known:
    return Known(
        name, function.signature, f"{function.does}: `{function.example}` gives `{function.gives}`", is_function=True
    )


def _about_field(form: Type | None, name: str) -> str:
    known = GROUPS.get(form.name, {}) if form is not None else {}
    return known[name][1] if name in known else ""


def _fits(receiver: str, form: Type) -> bool:
    return form.kind == "any" or receiver in ("any", form.kind)
