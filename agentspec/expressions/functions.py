"""functions: the table of what an expression may call, read from `functions.md`, and the declarations of our own.

Our own functions are deterministic: no clock, no randomness, no files. They are loaded when one is first called.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.expressions.engine import cel

TABLE = Path(__file__).with_name("functions.md")
ROW = r"\| `(?:<(\w+)>\.)?([\w.]+)\((.*)\) -> (\S+)` \| (.+) \| `(.+)` \| `(.+)` \|"

EXTENSIONS = (
    "strings",
    "math",
    "encoders",
    "optional",
    "bindings",
    "lists",
    "sets",
    "two-var-comprehensions",
    "regex",
)
# Methods that take a name of their own and an expression in which it stands: how many names.
MACROS = {
    "all": 1,
    "exists": 1,
    "exists_one": 1,
    "map": 1,
    "filter": 1,
    "sortBy": 1,
    "optMap": 1,
    "bind": 1,
    "transformList": 2,
}


class Function(NamedTuple):
    """One way to call a function. `receiver` is the type before the dot of a method, else empty."""

    name: str
    receiver: str
    parameters: tuple[tuple[str, str], ...]
    returns: str
    does: str
    example: str
    gives: str
    is_own: bool

    @property
    def signature(self) -> str:
        """As it is written: `text.upper(text: string) -> string`, `<string>.contains(part: string) -> boolean`."""
        parameters = ", ".join(f"{name}: {form}" for name, form in self.parameters)
        receiver = f"<{self.receiver}>." if self.receiver else ""
        return f"{receiver}{self.name}({parameters}) -> {self.returns}"

    @property
    def is_variadic(self) -> bool:
        return bool(self.parameters) and self.parameters[-1][1].endswith("...")

    def takes(self, count: int) -> bool:
        """Whether it can be called with so many arguments."""
        return count == len(self.parameters) or (self.is_variadic and count >= len(self.parameters))


@cache
def functions() -> tuple[Function, ...]:
    """Every function, in the order of the table."""
    own, _, others = TABLE.read_text(encoding="utf-8").partition("## Of CEL")
    return (*_rows(own, is_own=True), *_rows(others, is_own=False))


def _rows(text: str, *, is_own: bool) -> Iterable[Function]:
    for receiver, name, parameters, returns, does, example, gives in re.findall(ROW, text):
        parts = (part.partition(": ") for part in parameters.split(", ") if part)
        pairs = tuple((part, form) for part, _, form in parts)
        yield Function(name, receiver, pairs, returns, does, example, gives, is_own)


@cache
def by_name() -> dict[tuple[str, bool], list[Function]]:
    """The functions by name and whether they are methods."""
    found: dict[tuple[str, bool], list[Function]] = {}
    for function in functions():
        found.setdefault((function.name, bool(function.receiver)), []).append(function)
    return found


@cache
def namespaces() -> frozenset[str]:
    """The first words of functions such as `text.upper`."""
    return frozenset(function.name.partition(".")[0] for function in functions() if "." in function.name)


@cache
def config() -> Any:
    """The extensions of CEL that every place has. Named in a configuration they cost next to nothing to switch on."""
    return cel().NewEnvConfigFromYaml("extensions:\n" + "".join(f"- name: {name}\n" for name in EXTENSIONS))


# The functions that `bounded` puts in the place of CEL's own. All give a text.
_REPLACE = (("string", "string", "string"), ("string", "string", "string", "integer"))
_BOUNDED = {
    "bounded.replace": _REPLACE,
    "bounded.regex.replace": _REPLACE,
    "bounded.join": (("list",), ("list", "string")),
}


def _bounded() -> dict[str, list[Any]]:
    types = _types()
    return {
        name: [
            cel().Overload(
                f"{name}({len(kinds)})", types["string"], parameters=[types[kind] for kind in kinds], impl=_late(name)
            )
            for kinds in signatures
        ]
        for name, signatures in _BOUNDED.items()
    }


@cache
def declarations(args: str = "") -> list[Any]:
    """Our own functions as CEL takes them. `args` is the message of `args` where it is a record, for `json.encode`."""
    declared = _bounded()
    for function in functions():
        if function.is_own:
            declared.setdefault(function.name, []).extend(_overloads(function))
    if args:
        types = cel().Type
        encode = _late("json.encode")
        overload = cel().Overload(f"json.encode({args})", types.STRING, [types(args)], impl=encode)
        declared["json.encode"].append(overload)
    return [cel().FunctionDecl(name, overloads) for name, overloads in declared.items()]


def _overloads(function: Function) -> Iterable[Any]:
    """One overload for every kind of a value: a parameter that is only dynamic matches nothing at run time."""
    types = _types()
    signatures: list[tuple[str, ...]] = [()]
    for _, form in function.parameters:
        choices = ANYTHING if form == "any" else (form,)
        signatures = [(*before, choice) for before in signatures for choice in choices]
    for kinds in signatures:
        yield cel().Overload(
            f"{function.name}({','.join(kinds)})",
            return_type=types[function.returns],
            parameters=[types[kind] for kind in kinds],
            impl=_late(function.name),
        )


ANYTHING = ("string", "integer", "number", "boolean", "null", "list", "object", "time")


@cache
def _types() -> dict[str, Any]:
    types = cel().Type
    return {
        "string": types.STRING,
        "integer": types.INT,
        "number": types.DOUBLE,
        "boolean": types.BOOL,
        "null": types.NULL,
        "time": types.TIMESTAMP,
        "duration": types.DURATION,
        "any": types.DYN,
        "list": types.List(types.DYN),
        "object": types.Map(types.DYN, types.DYN),
        "string[]": types.List(types.STRING),
        "integer[]": types.List(types.INT),
    }


@cache
def _late(name: str) -> Callable[..., Any]:
    """The function of `library` that stands behind a name, found at its first call."""

    def call(*values: Any) -> Any:
        library = importlib.import_module("agentspec.expressions.library")
        return library.call(name, values)

    return call
