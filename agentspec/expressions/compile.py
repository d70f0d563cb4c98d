"""compile: check an expression against the place it stands in, and make it ready to run. CEL decides what is valid."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from agentspec.errors import ExpressionError
from agentspec.expressions.bounded import bounded
from agentspec.expressions.certain import certain_type
from agentspec.expressions.conditions import lint_condition
from agentspec.expressions.convert import Convert, Converter, read_field
from agentspec.expressions.declare import declare
from agentspec.expressions.engine import cel
from agentspec.expressions.failures import outcome, sentence
from agentspec.expressions.functions import MACROS, config, declarations, namespaces
from agentspec.expressions.gives import giver, result_problems
from agentspec.expressions.infer import infer
from agentspec.expressions.known import unknown_field, unknown_name
from agentspec.expressions.lint import lint, lint_calls
from agentspec.expressions.meaning import Meaning
from agentspec.expressions.nodes import Name, Node, Select, chain, walk
from agentspec.expressions.parse import ParsedExpression, parse
from agentspec.expressions.places import PLACES, Place
from agentspec.expressions.problem import Problem, apply, problem
from agentspec.expressions.reader import TOO_DEEP
from agentspec.expressions.scope import EMPTY, Scope, names_of
from agentspec.expressions.translate import translate
from agentspec.expressions.types import Type

LONGEST = 10_000
ROWS = "resources.where"
UNFIT = "[\ud800-\udfff\0]"
VARIABLES = rf"\.(?:{'|'.join(MACROS)})\(\s*(\w+)\s*,(?:\s*(\w+)\s*,)?"
TYPE_NAMES = frozenset(("int", "uint", "double", "bool", "string", "bytes", "list", "map", "null_type", "type"))


_WORD = r"[A-Za-z_][A-Za-z0-9_]*"


class Environment(NamedTuple):
    """The names of a place, declared to CEL; made once for a place and a scope."""

    env: Any
    names: dict[str, Type]
    converter: Converter


@lru_cache(maxsize=256)
def environment(place_id: str, scope: Scope) -> Environment:
    """The environment of a place with a scope. The first one loads CEL and protobuf."""
    names = names_of(PLACES[place_id], scope)
    declared = declare(names)
    args = names.get("args")
    own = declarations(declared.name_of(args) if args is not None and args.kind == "record" else "")
    env = cel().NewEnv(declared.pool, variables=declared.variables, config=config(), functions=own)
    return Environment(env, names, Converter(declared, names))


UNKNOWN_NAMES = ("AS302", "AS303")


def check_expression(text: str, place: Place, scope: Scope = EMPTY) -> list[Problem]:
    """All problems of an expression in the order of the text, with offsets into it. Never raises.

    >>> from agentspec.expressions.places import PLACES
    >>> [found.message for found in check_expression("iteratoin > 3", PLACES["loop_control.when"])]
    ['unknown name `iteratoin`']
    """
    return list(_examine(text, place.id, scope))


class Names:
    """The values of the names of a place, converted once and read by every expression of a turn."""

    __slots__ = ("activation", "refused")

    def __init__(self, activation: Any, refused: dict[str, str]) -> None:
        self.activation = activation
        self.refused = refused  # names whose value could not go in, and why: told when one is read

    def reason(self, failure: str) -> str:
        """Why an evaluation failed: the name that has no value may have been refused."""
        for name, why in self.refused.items():
            if failure == f"`{name}` has no value here":
                return f"`{name}`: {why}"
        return failure


class Program:
    """A checked expression, ready to run as often as needed; it has no state."""

    __slots__ = ("environment", "expression", "give", "names", "text", "words")

    def __init__(self, text: str, expression: Any, environment: Environment, place: Place, scope: Scope) -> None:
        self.text = text
        self.words = frozenset(re.findall(_WORD, text))  # all names that it may read, and more
        self.names = {name: convert for name, convert in environment.converter.names.items() if name in self.words}
        self.expression = expression
        self.environment = environment
        self.give = giver(place, scope)

    def evaluate(self, names: Names | Mapping[str, object]) -> Any:
        """The value of the expression, as its place needs it. Raises `ExpressionError` and nothing else."""
        if not isinstance(names, Names):
            names = _activate(self.environment, names, self.names)
        try:
            return self.give(outcome(self.expression.eval(names.activation)))
        except ExpressionError as error:
            raise ExpressionError(names.reason(str(error))) from None
        except (RuntimeError, SystemError, TypeError, ValueError) as error:
            raise ExpressionError(sentence(str(error))) from None


def compile_expression(text: str, place: Place, scope: Scope = EMPTY) -> Program:
    """An expression ready to run. Raises `ExpressionError` with its first error if it has one: check it before."""
    error = next((found for found in _examine(text, place.id, scope) if found.severity == "error"), None)
    if error is not None:
        raise ExpressionError(f"{error.message} in `{text}`")
    return Program(text, _in_cel(bounded(text), place.id, scope), environment(place.id, scope), place, scope)


def activate(place: Place, scope: Scope, facts: object) -> Names:
    """The names of a place with their values: build it once a turn, and evaluate every expression with it.

    `facts` and the values in it are mappings, or records with the fields that the place declares; a name whose value
    is missing or None has none. Values are read here, once: later changes are not seen.
    """
    made = environment(place.id, scope)
    return _activate(made, facts, made.converter.names)


def _activate(made: Environment, facts: object, wanted: Mapping[str, Convert]) -> Names:
    values, refused = {}, {}
    for name, convert in wanted.items():
        value = read_field(facts, name)
        if value is None:
            continue
        try:
            values[name] = convert(value)
        except ExpressionError as error:
            refused[name] = str(error)
        except UnicodeEncodeError:
            refused[name] = "a text in it holds half of a character (a lone surrogate)"
        except (OverflowError, TypeError, ValueError, RecursionError):
            refused[name] = "its value cannot be read"
    return Names(made.env.Activation(values), refused)


@lru_cache(maxsize=1024)
def _in_cel(text: str, place_id: str, scope: Scope) -> Any:
    """An expression as CEL compiles it; raises what CEL raises."""
    return environment(place_id, scope).env.compile(text)


@lru_cache(maxsize=1024)
def _examine(text: str, place_id: str, scope: Scope) -> list[Problem]:
    """The problems of an expression."""
    if len(text) > LONGEST:
        return [problem("AS312", (0, len(text)), "the expression is too long", TOO_DEEP)]
    bad = None if text.isascii() and "\0" not in text else re.search(UNFIT, text)
    if bad is not None:
        return [problem("AS301", bad.span(), "this character cannot stand in a text")]
    try:
        return _problems(text, PLACES[place_id], scope)
    except RecursionError:
        return [problem("AS312", (0, len(text)), "the expression is nested too deeply", TOO_DEEP)]


def _problems(text: str, place: Place, scope: Scope) -> list[Problem]:
    parsed = parse(text)
    if parsed.root is None:
        return _ordered([*parsed.problems, *_fragments(parsed, text, place, scope)])
    meaning = Meaning(text, parsed.root, parsed.edits, names_of(place, scope), place)
    given, refused = _typed(parsed, meaning, scope)
    found = [*parsed.problems, *refused]
    if given is not None:
        results = result_problems(given, meaning, scope)
        if any(one.code == "AS314" for one in found):  # what it gives is only certain once it is spelt as it is meant
            results = (one for one in results if one.code != "AS308")
        found += [*results, *lint_calls(meaning)]
    if not any(told.code == "AS312" for told in found):
        looked = _apart(lint(meaning), found)
        is_named = not any(told.code in UNKNOWN_NAMES for told in found)  # what is asked for may be misspelt
        found += [one for one in looked if is_named or one.code != "AS324"]
    if given is not None and place.gives == "boolean":
        found += _apart(lint_condition(meaning), found)
    if place.id == ROWS:
        from agentspec.expressions.rows import rows_problems  # noqa: PLC0415 - few specs have conditions on rows

        found = [one for one in found if one.code != "AS320"]  # a column of the table may well be a boolean
        found += _apart(rows_problems(parsed.root), found)
    return _ordered(found)


def _typed(parsed: ParsedExpression, meaning: Meaning, scope: Scope) -> tuple[str | None, list[Problem]]:
    """The type of an expression as CEL names it, or why there is none; what is certain loads no CEL."""
    given = certain_type(parsed, meaning.text, meaning.names)
    if given is not None:
        return given, []
    mended = apply(meaning.text, parsed.edits)
    try:
        return str(_in_cel(mended, meaning.place.id, scope).return_type().name()), []
    except (RuntimeError, TypeError, ValueError) as error:
        return None, list(translate(str(error), meaning, mended))


def _apart(more: Any, found: list[Problem]) -> list[Problem]:
    """The problems that are not about a part which already has one."""
    told = [(one.start, one.end) for one in found if one.severity == "error"]
    return [one for one in more if not any(start < one.end and one.start < end for start, end in told)]


def _ordered(found: list[Problem]) -> list[Problem]:
    return sorted(dict.fromkeys(found), key=lambda one: (one.start, one.end, one.code))


def _fragments(parsed: ParsedExpression, text: str, place: Place, scope: Scope) -> list[Problem]:
    """Unknown names and fields of the parts that were read before a syntax error."""
    names = names_of(place, scope)
    variables = {name for pair in re.findall(VARIABLES, text) for name in pair if name}
    found = []
    for fragment in parsed.fragments:
        for node in walk(fragment):
            told = _fragment(node, names, variables, place)
            if told is not None and told not in found:
                found.append(told)
    syntax = [(one.start, one.end) for one in parsed.problems]
    return [one for one in found if not any(start < one.end and one.start < end for start, end in syntax)]


def _fragment(node: Node, names: dict[str, Type], variables: set[str], place: Place) -> Problem | None:
    match node:
        case Name():
            if node.name in names or node.name in variables or node.name in namespaces() | TYPE_NAMES:
                return None
            return unknown_name(node.name, (node.start, node.end), place, names)
        case Select():
            form, words = infer(node.target, names), chain(node.target)
            if form is None or form.kind != "record" or form.field(node.field) or words is None:
                return None
            return unknown_field(node.field, (node.field_start, node.end), ".".join(words), form, names)
        case _:
            return None
