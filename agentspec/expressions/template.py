"""template: text with `${…}` in it: find the slots, check them against their place, fill them.

Only the full form with braces is a slot, closed on its line; `$${` is a literal `${`. What a slot gives is put in as it
is and never looked through again, so that no value can bring in a slot of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from agentspec.errors import ExpressionError
from agentspec.expressions.compile import Program, activate, check_expression, compile_expression
from agentspec.expressions.functions import namespaces
from agentspec.expressions.known import unknown_field, unknown_name
from agentspec.expressions.nodes import Name, Node, Select, chain, walk
from agentspec.expressions.parse import parse
from agentspec.expressions.places import Place
from agentspec.expressions.problem import Problem, problem, with_fix
from agentspec.expressions.results import show
from agentspec.expressions.scope import EMPTY, Scope, names_of
from agentspec.expressions.tokens import TOKEN
from agentspec.expressions.types import ANY, Type

NOT_TEXT = {"list": "a list", "object": "a mapping", "record": "a record"}
ENV_PLACES = "environment variables are read only in `url`, `headers`, `env` and `base_url`; `api_key_env` takes a name"
LITERAL = "a literal `${` is written `$${`"
# Slots as other systems write them, around a name that this place knows.
FOREIGN = (
    r"\{\{-?\s*([A-Za-z_]\w*(?:\.\w+)+)\s*-?\}\}"
    r"|(?<![$\w{])\{([A-Za-z_]\w*(?:\.\w+)+)\}(?!\})"
    r"|(?<![$\w])\$([A-Za-z_]\w*(?:\.\w+)+)"
)
VARIABLE = r"(?<![$\w])\$([A-Z][A-Z0-9_]{2,})\b"


MOST_UNCLOSED = 20  # `${` without an end that are looked for on one line; what follows them there is left as it is


class Slot(NamedTuple):
    """One `${…}`: `start` and `end` are those of the whole slot, `source` is what stands within."""

    start: int
    end: int
    source: str


class Template(NamedTuple):
    """A text that was cut into literal pieces and slots, in order; `unclosed` are the places of `${` without an end."""

    text: str
    parts: tuple[str | Slot, ...]
    unclosed: tuple[int, ...] = ()

    @property
    def slots(self) -> tuple[Slot, ...]:
        return tuple(part for part in self.parts if isinstance(part, Slot))

    def check_value(self, place: Place, scope: Scope = EMPTY) -> list[Problem]:
        """The problems of a text in a JSON value, where one slot alone may give a list or a mapping as well."""
        is_alone = len(self.parts) == len(self.slots) == 1
        return [told for told in self.check(place, scope) if not (is_alone and told.code == "AS331")]

    def check(self, place: Place, scope: Scope = EMPTY) -> list[Problem]:
        """All problems of the text in its order, with offsets into it. Never raises."""
        found = [told for slot in self.slots for told in _slot_problems(slot, place, scope)]
        for start in self.unclosed:
            message, way_out = "this `${` is not closed on its line", f"add `}}`; {LITERAL}"
            found.append(problem("AS330", (start, start + 2), message, way_out))
        found += self._foreign(place)
        return sorted(found, key=lambda told: (told.start, told.end, told.code))

    def names(self) -> frozenset[str]:
        """The dotted names that the slots read, such as `inputs.branch` and `env.TOKEN`."""
        return frozenset(name for slot in self.slots for name in _dotted(parse(slot.source).root))

    def compile(self, place: Place, scope: Scope = EMPTY) -> Filling:
        """The template ready to be filled. Raises `ExpressionError` with its first error if it has one."""
        for told in self.check(place, scope):
            if told.severity == "error":
                raise ExpressionError(f"{told.message} in `{self.text[told.start : told.end]}`")
        return Filling(self, place, scope)

    def _foreign(self, place: Place) -> Iterator[Problem]:
        yield from self._variables(place)
        slots = self.slots
        starts, ends = [slot.start for slot in slots], [slot.end for slot in slots]
        for match in re.finditer(FOREIGN, self.text):
            name = next(group for group in match.groups() if group)
            start, end = match.span()
            is_in_slot = bisect_left(starts, end) > bisect_right(ends, start)
            if is_in_slot or name.partition(".")[0] not in place.names:
                continue
            found = problem("AS333", (start, end), f"`{match[0]}` is plain text here", f"write `${{{name}}}`")
            yield with_fix(found, f"write `${{{name}}}`", (start, end, f"${{{name}}}"), fix_class="surface")

    def _variables(self, place: Place) -> Iterator[Problem]:
        """Variables of the environment as a shell writes them, where some can be read."""
        for match in re.finditer(VARIABLE, self.text) if "env" in place.names else ():
            slot, span = f"${{env.{match[1]}}}", match.span()
            found = problem("AS333", span, f"`{match[0]}` is plain text here", f"write `{slot}`")
            yield with_fix(found, f"write `{slot}`", (*span, slot), fix_class="surface")


class Filling:
    """A checked template of one place, to be filled as often as needed; it has no state."""

    def __init__(self, template: Template, place: Place, scope: Scope) -> None:
        self._place = place
        self._scope = scope
        self._parts = [part if isinstance(part, str) else _filler(part, place, scope) for part in template.parts]
        self._needs_cel = any(isinstance(part, Program) for part in self._parts)

    @property
    def is_fixed(self) -> bool:
        """Whether there is no slot: the text is the same whatever is put in."""
        return all(isinstance(part, str) for part in self._parts)

    def render(self, names: Mapping[str, object]) -> str:
        """The text with every slot filled; a missing optional value is empty. Raises `ExpressionError`."""
        active = activate(self._place, self._scope, names) if self._needs_cel else None
        pieces = []
        for part in self._parts:
            match part:
                case str():
                    pieces.append(part)
                case _Path():
                    pieces.append(part.text(names))
                case Program():
                    pieces.append(part.evaluate(active or names))
        return "".join(pieces)

    def render_element(self, names: Mapping[str, object]) -> str | None:
        """The same for an element of a list: None, no element, where it is one name whose value is missing."""
        alone = self._parts[0] if len(self._parts) == 1 else None
        if isinstance(alone, _Path) and alone.optional and alone.value(names) is None:
            return None
        return self.render(names)


class _Path:
    """A slot that is one dotted name: read without CEL, at any length."""

    __slots__ = ("optional", "steps")

    def __init__(self, steps: list[str], optional: bool) -> None:
        self.steps = steps
        self.optional = optional

    def value(self, names: Mapping[str, object]) -> object:
        value: object = names
        for step in self.steps:
            value = value.get(step) if isinstance(value, Mapping) else getattr(value, step, None)
        return value

    def text(self, names: Mapping[str, object]) -> str:
        value, name = self.value(names), ".".join(self.steps)
        if value is None and self.steps[0] == "env":
            raise ExpressionError(f"the environment variable `{self.steps[-1]}` is not set")
        if value is None and not self.optional:
            raise ExpressionError(f"`{name}` has no value")
        if isinstance(value, Mapping | list | tuple | set | bytes):
            raise ExpressionError(f"`{name}` is no scalar, so it cannot stand in a text")
        return show(value)


def parse_template(text: str) -> Template:
    """Cut a text into literal pieces and slots. Never raises.

    >>> [part for part in parse_template("on ${inputs.branch}: $${x}").parts if isinstance(part, str)]
    ['on ', ': ', '${', 'x}']
    """
    parts: list[str | Slot] = []
    unclosed: list[int] = []
    at = 0
    while (start := text.find("${", at)) >= 0:
        if len(unclosed) >= MOST_UNCLOSED and "\n" not in text[unclosed[-MOST_UNCLOSED] : start]:
            line = text.find("\n", start)
            parts.append(text[at:line] if line >= 0 else text[at:])
            at = line if line >= 0 else len(text)
            continue
        if start > at and text[start - 1] == "$":
            parts += [text[at : start - 1], "${"]
            at = start + 2
            continue
        end = _closing(text, start + 2)
        if end is None:
            unclosed.append(start)
            parts.append(text[at : start + 2])
            at = start + 2
            continue
        parts += [text[at:start], Slot(start, end + 1, text[start + 2 : end])]
        at = end + 1
    parts.append(text[at:])
    return Template(text, tuple(part for part in parts if part), tuple(unclosed))


def _closing(text: str, at: int) -> int | None:
    """Where the `}` of a slot stands that begins before `at`; braces in texts and mappings do not close it."""
    line = text.find("\n", at)
    line = len(text) if line < 0 else line
    depth = 0
    for match in TOKEN.finditer(text, at, line):
        if match.lastgroup == "open":  # a quote without its end: the first brace will do
            found = text.find("}", match.start(), line)
            return None if found < 0 else found
        if match.lastgroup == "comment":
            continue
        depth += (match[0] == "{") - (match[0] == "}")
        if depth < 0:
            return match.start()
    return None


def _slot_problems(slot: Slot, place: Place, scope: Scope) -> Iterator[Problem]:
    if not slot.source.strip():
        yield problem("AS330", (slot.start, slot.end), "there is nothing in this `${ }`", LITERAL)
        return
    offset = slot.start + 2
    root = parse(slot.source).root
    names = names_of(place, scope)
    for told in _env_problems(root, names):
        yield _moved(told, offset)
    if root is not None and chain(root) is not None:
        found = list(_path_problems(root, place, names))
    else:
        found = check_expression(slot.source, place, scope)
    for told in found:
        if not _is_env(told, slot.source, names):
            yield _moved(told, offset)


def _moved(told: Problem, offset: int) -> Problem:
    edits = tuple((start + offset, end + offset, text) for start, end, text in told.edits)
    return told._replace(start=told.start + offset, end=told.end + offset, edits=edits)


def _env_problems(root: Node | None, names: Mapping[str, Type]) -> Iterator[Problem]:
    if root is None or "env" in names:
        return
    for node in walk(root):
        if isinstance(node, Name) and node.name == "env":
            yield problem("AS332", (node.start, node.end), "`env` cannot be read here", ENV_PLACES)


def _is_env(told: Problem, source: str, names: Mapping[str, Type]) -> bool:
    """Whether a problem is only that `env` is unknown, which is told in other words."""
    return "env" not in names and told.code in ("AS302", "AS313") and source[told.start : told.end] == "env"


def _path_problems(root: Node, place: Place, names: Mapping[str, Type]) -> Iterator[Problem]:
    """The problems of a slot that is one dotted name; CEL is not needed for it."""
    steps: list[Node] = []
    node = root
    while isinstance(node, Select):
        steps.append(node)
        node = node.target
    assert isinstance(node, Name)
    form = names.get(node.name)
    if form is None:
        told = unknown_name(node.name, (node.start, node.end), place, names)
        yield told._replace(help=f"{told.help}; {LITERAL}") if told.code == "AS302" and not told.edits else told
        return
    said = node.name
    for step in reversed(steps):
        assert isinstance(step, Select)
        inner = _field(form, step.field)
        if inner is None and form.kind == "record":
            yield unknown_field(step.field, (step.field_start, step.end), said, form, names)
            return
        if inner is None:
            message = f"`{said}` is a {form.kind} and has no fields"
            yield problem("AS303", (step.field_start, step.end), message)
            return
        form, said = inner, f"{said}.{step.field}"
    if form.kind in NOT_TEXT:
        way_out = f"write `${{{said}.join(', ')}}`" if form.kind == "list" else f"write `${{json.encode({said})}}`"
        if form.kind == "record" and len(steps) == 0:
            way_out = f"name one of its fields: `${{{said}.{form.fields[0][0]}}}`" if form.fields else LITERAL
        message = f"`{said}` is {NOT_TEXT[form.kind]}, which is no text"
        yield problem("AS331", (root.start, root.end), message, way_out)


def _field(form: Type, name: str) -> Type | None:
    if form.kind == "record":
        return form.field(name)
    return (form.item or ANY) if form.kind in ("object", "any") else None


def _filler(slot: Slot, place: Place, scope: Scope) -> _Path | Program:
    root = parse(slot.source).root
    steps = None if root is None else chain(root)
    if steps is None:
        return compile_expression(slot.source, place, scope)
    form: Type | None = names_of(place, scope)[steps[0]]
    optional = False
    for step in steps[1:]:
        form = None if form is None else _field(form, step)
        optional = optional or form is None or form.optional or form.kind == "any"
    return _Path(steps, optional)


def _dotted(root: Node | None) -> Iterator[str]:
    if root is None:
        return
    inner: set[int] = set()
    for node in walk(root):
        names = chain(node) if isinstance(node, Select | Name) and id(node) not in inner else None
        if names is not None:
            inner.update(id(part) for part in walk(node))
            if len(names) > 1 or names[0] not in namespaces():
                yield ".".join(names)
