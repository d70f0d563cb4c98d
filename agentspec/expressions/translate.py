"""translate: what CEL says is wrong with an expression, in our words, on the characters that are meant.

CEL reports an anchor (a dot, a bracket, an operator); the tree tells what stands there. One mistake gives one problem:
what only follows from another error is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from agentspec.expressions.functions import MACROS, by_name, namespaces
from agentspec.expressions.infer import Names, called_name, infer
from agentspec.expressions.known import is_size, unknown_field, unknown_function, unknown_name, wrong_count
from agentspec.expressions.meaning import Meaning
from agentspec.expressions.nodes import Binary, Call, Name, Node, Select, bare, root_of
from agentspec.expressions.operands import Mismatch, operands_problem
from agentspec.expressions.problem import Problem, original, problem, with_fix
from agentspec.expressions.reader import TOO_DEEP
from agentspec.expressions.types import Type
from agentspec.expressions.words import a, split_types

FOUND = r"^(?:[A-Z_]+: )?ERROR: <input>:(-?\d+):(-?\d+): (.*)$"
DEEP = r"recursion|node count exceeded"


def translate(error: str, meaning: Meaning, cel_text: str) -> list[Problem]:
    """The problems of an error of CEL's compiler. Never empty."""
    starts = [0, *(match.end() for match in re.finditer("\n", cel_text))]
    said = []
    for line, column, message in re.findall(FOUND, error, re.MULTILINE):
        if int(line) >= 1:
            at = original(starts[min(int(line), len(starts)) - 1] + int(column) - 1, meaning.edits)
            said.append((_is_call(at, meaning), at, message))
    found: list[Problem] = []
    for _, at, message in sorted(said, key=lambda one: one[0]):
        told = _translate(message, at, meaning, found)
        if told is not None and not any(_covers(other, told) for other in found):
            found.append(told)
    return found or ([] if said else [_whole(error, meaning)])


def _is_call(at: int, meaning: Meaning) -> bool:
    """Calls come last: an unknown method of something that is wrong itself is not told."""
    return any(isinstance(node, Call) for node, _ in meaning.at(at))


def _covers(other: Problem, told: Problem) -> bool:
    """Whether a problem is about the same characters as another, and so most likely the same mistake."""
    return other.start == told.start and other.end == told.end


def _whole(error: str, meaning: Meaning) -> Problem:
    span = (meaning.root.start, meaning.root.end)
    if re.search(DEEP, error):
        return problem("AS312", span, "the expression is nested too deeply", TOO_DEEP)
    return problem("AS301", span, "this is not a valid expression")


class Report(NamedTuple):
    """One error of CEL: the name or type it is about, operand types if it has them, and where."""

    word: str
    types: str
    at: int
    before: list[Problem]  # what was told already


def _translate(message: str, at: int, meaning: Meaning, before: list[Problem]) -> Problem | None:
    for pattern, handler in HANDLERS:
        match = re.search(pattern, message)
        if match is not None:
            word, types, *_ = (*match.groups(), "", "")
            return handler(Report(word, types, at, before), meaning)
    return _unplaced(at, meaning)


def _undeclared(report: Report, meaning: Meaning) -> Problem | None:
    for node, names in meaning.at(report.at):
        if isinstance(node, Call):
            return None if _is_wrong(node.target, report.before) else call_problem(node, names, meaning)
        root = root_of(node)
        if isinstance(root, Name) and root.name not in names:
            if _is_variable(root, meaning):
                return None
            return name_problem(root, names, meaning)
    return None if "." in report.word else _nowhere(report.word, report.at, meaning)


def _is_variable(root: Name, meaning: Meaning) -> bool:
    """Whether a name is one that a macro would bring in; what is wrong with the macro is told of the macro."""
    return any(
        isinstance(node, Call)
        and node.target is not None
        and node.name in MACROS
        and root in node.args[: MACROS[node.name]]
        for node, _ in meaning.parts
    )


def _is_wrong(node: Node | None, before: list[Problem]) -> bool:
    return node is not None and any(node.start <= one.start and one.end <= node.end for one in before)


def _nowhere(name: str, at: int, meaning: Meaning) -> Problem:
    return unknown_name(name, (at, min(at + len(name), len(meaning.text))), meaning.place, meaning.names)


def name_problem(root: Name, names: Names, meaning: Meaning) -> Problem:
    """The problem of an unknown name; the first word of an unknown function is told with the function."""
    span = (root.start, root.end)
    for node, _ in meaning.parts:
        if isinstance(node, Call) and node.target is root and root.name in namespaces():
            full, place = f"{root.name}.{node.name}", (root.start, node.anchor)
            ways = by_name().get((full, False))
            if ways:  # CEL knows those of its own by their number of arguments alone
                return wrong_count(full, place, len(node.args), ways)
            return unknown_function(full, place, is_method=False, names=names)
        if isinstance(node, Binary) and root in (bare(node.left), bare(node.right)):
            other = infer(node.right if bare(node.left) is root else node.left, names)
            if other is not None and other.kind == "string" and (root.name in other.members or not other.members):
                return _unquoted(root.name, unknown_name(root.name, span, meaning.place, names), bool(other.members))
    return unknown_name(root.name, span, meaning.place, names)


def _unquoted(name: str, found: Problem, is_member: bool) -> Problem:
    """A word without quotes beside a string."""
    if not is_member and (found.edits or found.code != "AS302"):
        return found
    found = problem(
        "AS302", (found.start, found.end), f"unknown name `{name}`", f'text is written in quotes: `"{name}"`'
    )
    return with_fix(found, f'write `"{name}"`', (found.start, found.end, f'"{name}"'))


def call_problem(node: Call, names: Names, meaning: Meaning) -> Problem | None:
    """An unknown function, or a known one with the wrong number of arguments."""
    root = root_of(node)
    if isinstance(root, Name) and root.name not in names and root is not node.target and node.target is not None:
        return name_problem(root, names, meaning)
    full, is_method = called_name(node, names)
    if isinstance(node.target, Name) and not is_method and (full, False) not in by_name():
        return name_problem(node.target, names, meaning)
    asked = root_of(node.args[0]) if full == "has" and node.args else None
    if isinstance(asked, Name) and asked.name not in names:
        return name_problem(asked, names, meaning)
    ways = by_name().get((full, is_method), [])
    span = (node.name_start, node.anchor) if is_method or node.target is None else (node.start, node.anchor)
    if not ways:
        return unknown_function(full, span, is_method=is_method, names=names)
    if not any(function.takes(len(node.args)) for function in ways):
        return wrong_count(full, span, len(node.args), ways)
    return problem("AS305", span, f"`{full}` needs a plain name first", f"it is `{ways[0].signature}`")


def _field(report: Report, meaning: Meaning) -> Problem | None:
    for node, names in meaning.at(report.at):
        node = node.args[0] if isinstance(node, Call) and node.name == "has" and node.args else node  # noqa: PLW2901
        if isinstance(node, Select):
            form = infer(node.target, names) or Type("record")
            span = (node.field_start, node.end)
            return unknown_field(node.field, span, meaning.source(node.target), form, names)
    return _unplaced(report.at, meaning)


def _unplaced(at: int, meaning: Meaning) -> Problem:
    """An error whose node is not found: told where CEL saw it."""
    nodes = meaning.at(at)
    span = (nodes[0][0].start, nodes[0][0].end) if nodes else (at, min(at + 1, len(meaning.text)))
    return problem("AS301", span, "this is not valid here")


def _no_fields(report: Report, meaning: Meaning) -> Problem | None:
    if "*error*" in report.word:
        return None
    for node, _ in meaning.at(report.at):
        if not isinstance(node, Select):
            continue
        target, span = meaning.source(node.target), (node.field_start, node.end)
        found = problem("AS303", span, f"{meaning.quoted(node.target)} is {a(report.word)} and has no fields")
        if is_size(node.field) and report.word.startswith(("string", "list")):
            found = found._replace(help=f"write `size({target})`")
            return with_fix(found, "write `size( )`", (node.start, node.end, f"size({target})"))
        return found
    return _unplaced(report.at, meaning)


def _overload(report: Report, meaning: Meaning) -> Problem | None:
    types = split_types(report.types)
    if any("*error*" in form for form in types):
        return None
    for node, names in meaning.at(report.at):
        told = operands_problem(Mismatch(node, types, report.at, names), meaning)
        if told is not None:
            return told
    span = (report.at, min(report.at + 1, len(meaning.text)))
    return problem("AS306", span, f"this does not take {' and '.join(a(form) for form in types)}")


def _range(report: Report, meaning: Meaning) -> Problem | None:
    if "*error*" in report.word:
        return None
    nodes = [node for node, _ in meaning.at(report.at)]
    node = nodes[0] if nodes else meaning.root
    message = f"{meaning.quoted(node)} is {a(report.word)}, not a list or mapping"
    found = problem("AS306", (node.start, node.end), message)
    return found._replace(help="`exists`, `all`, `map` and `filter` walk over lists and mappings")


def _reserved(report: Report, meaning: Meaning) -> Problem:
    span = (report.at, min(report.at + len(report.word), len(meaning.text)))
    return problem("AS301", span, f"`{report.word}` is a reserved word", "give it another name")


def _literal(report: Report, meaning: Meaning) -> Problem:
    node = next((bare(node) for node, _ in meaning.at(report.at)), meaning.root)
    return problem(
        "AS310", (node.start, node.end), "this integer has more than 64 bits", "a number goes further: `1e20`"
    )


def _has(report: Report, meaning: Meaning) -> Problem:
    node = next((node for node, _ in meaning.at(report.at)), meaning.root)
    return problem("AS305", (node.start, node.end), "`has` asks for a field", "write `has(record.field)`")


def _variable(report: Report, meaning: Meaning) -> Problem:
    node = next((node for node, _ in meaning.at(report.at)), meaning.root)
    way_out = f"write `list.{report.word}(item, …)` and use `item` in what follows"
    return problem("AS305", (node.start, node.end), f"`{report.word}` needs a plain name first", way_out)


def _too_few(report: Report, meaning: Meaning) -> Problem:
    text = meaning.text[: report.at + len(report.word)]
    start = max(text.rfind(report.word), 0)
    ways = by_name().get((report.word, False), [])
    return wrong_count(report.word, (start, start + len(report.word)), 0, ways)


# Patterns are compiled when CEL finds an error, not while this is imported.
HANDLERS: tuple[tuple[str, Callable[[Report, Meaning], Problem | None]], ...] = (
    (r"undeclared reference to '([^']*)'", _undeclared),
    (r"undefined field '([^']*)' not found", _field),
    (r"expression of type '([^']*)' cannot be the operand of a select", _no_fields),
    (r"found no matching overload for '([^']*)' applied to '(.*)'", _overload),
    (r"expression of type '([^']*)' cannot be the range", _range),
    (r"reserved identifier: (\w+)", _reserved),
    (r"invalid (?:int|hex int|uint|hex uint|double) literal", _literal),
    (r"has\(\) argument", _has),
    (r"(\w+)\(\) (?:first |second )?variable", _variable),
    (r"([\w.]+)\(\) requires at least", _too_few),
)
