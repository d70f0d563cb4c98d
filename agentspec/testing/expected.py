"""expected: what came out of a run against what its scenario expects. Compares, and runs nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agentspec.errors import ExpressionError
from agentspec.expressions.compile import compile_expression
from agentspec.expressions.places import PLACES
from agentspec.syntax.tree import Path, dotted
from agentspec.testing.differences import differences, listed, shown

THAT = PLACES["expect.that"]
# What an expression says of what came out, without the functions that are called of it; texts are passed over.
INDEX = r"\[(?:\d+|\"[^\"]*\"|'[^']*')\]"
NAMED = re.compile(
    rf"""(?P<path>\b(?:result|files)(?:\.\w+(?!\w|\s*\()|{INDEX})*)|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"""
)
STEP = re.compile(r"""(?P<name>\w+)(?=[.\[]|$)|\[(?:(?P<index>\d+)|"(?P<text>[^"]*)"|'(?P<other>[^']*)')\]""")
EXPECT = "expect"  # the key of a scenario below which expectations stand


class CameOut(NamedTuple):
    """What a run left behind: its result and events as plain values, and the texts of its workspace by path."""

    result: Mapping[str, Any]
    events: Sequence[Mapping[str, Any]]
    files: Mapping[str, str]


class Miss(NamedTuple):
    """What did not come out as a scenario says: the place in it, what was wanted, and what there was.

    `actual` is what an update would write in its place; it is `NOTHING` where no value can be written there.
    """

    path: Path
    wanted: Any
    actual: Any
    words: str

    @property
    def key(self) -> str:
        """The expectation, or the part of the scenario that the run did not follow."""
        return dotted(self.path[1:] if self.is_expectation else self.path[:1])

    @property
    def is_expectation(self) -> bool:
        """Whether it is about what came out; else the run did not go as the scenario says."""
        return self.path[0] == EXPECT

    @property
    def is_written(self) -> bool:
        """Whether a value could be written there that would hold."""
        return self.actual is not NOTHING

    def lines(self, line: int) -> Iterator[str]:
        """It in lines for people, with the line of its file; long values as a difference."""
        different = list(differences(self.wanted, self.actual)) if self.is_written else []
        yield f"line {line}: {self.key}: {'not as expected' if different else self.words}"
        yield from (f"  {line}" for line in different)


NOTHING = object()
SAY = Callable[[Any, CameOut], Iterator[Miss]]


def misses(expect: Mapping[str, Any], came_out: CameOut) -> list[Miss]:
    """Every expectation that does not hold, in the order in which they are written.

    >>> [miss.words for miss in misses({"status": "done"}, CameOut({"status": "stuck"}, (), {}))]
    ['expected `done`, got `stuck`']
    """
    return [miss for key, wanted in expect.items() if key in COMPARE for miss in COMPARE[key](wanted, came_out)]


def _word(key: str) -> SAY:
    def compare(wanted: Any, came_out: CameOut) -> Iterator[Miss]:
        actual = came_out.result[key]
        if actual not in (wanted if isinstance(wanted, list) else [wanted]):
            yield _differs((EXPECT, key), wanted, actual, why=_why(came_out.result) if key == "status" else "")

    return compare


def _why(result: Mapping[str, Any]) -> str:
    error = result.get("error") or {}
    said = error.get("message") or result.get("stop_reason")
    return f" ({said})" if said else ""


def _text(wanted: Any, came_out: CameOut) -> Iterator[Miss]:
    text = str(came_out.result["text"])
    if isinstance(wanted, str):
        if text != wanted:
            yield _differs((EXPECT, "text"), wanted, text)
        return
    if "equals" in wanted and text != wanted["equals"]:
        yield _differs((EXPECT, "text", "equals"), wanted["equals"], text)
    for key, is_wanted in (("contains", True), ("excludes", False)):
        given = wanted.get(key, ())
        for number, part in enumerate(_as_list(given)):
            if (part in text) is not is_wanted:
                place = (EXPECT, "text", key, number) if isinstance(given, list) else (EXPECT, "text", key)
                words = f"expected {shown(part)} {'in it' if is_wanted else 'not in it'}, got {shown(text)}"
                yield Miss(place, part, NOTHING, words)
    pattern = wanted.get("matches")
    if pattern is not None and not _matches(pattern, text):
        words = f"expected a match of {shown(pattern)}, got {shown(text)}"
        yield Miss((EXPECT, "text", "matches"), pattern, NOTHING, words)


def _matches(pattern: str, text: str) -> bool:
    import re2  # noqa: PLC0415 - a shared library, loaded only where patterns are used

    return re2.search(pattern, text) is not None


def _tools(wanted: Mapping[str, Any], came_out: CameOut) -> Iterator[Miss]:
    used = came_out.result["tools"]
    if "calls" in wanted and used["calls"] != wanted["calls"]:
        yield _differs((EXPECT, "tools", "calls"), wanted["calls"], used["calls"])
    for key in ("successful", "rejected"):
        lacking = [name for name in wanted.get(key, ()) if name not in used[key]]
        if lacking:
            words = f"expected {listed(lacking)} among them, got {listed(used[key])}"
            yield Miss((EXPECT, "tools", key), wanted[key], used[key], words)
    called = [name for name in wanted.get("not_called", ()) if name in used["calls"]]
    if called:
        words = f"expected no call of {listed(called)}, got {listed(used['calls'])}"
        yield Miss((EXPECT, "tools", "not_called"), called, NOTHING, words)


def _output(wanted: Any, came_out: CameOut) -> Iterator[Miss]:
    if came_out.result["output"] != wanted:
        yield _differs((EXPECT, "output"), wanted, came_out.result["output"])


def _files(wanted: Mapping[str, str], came_out: CameOut) -> Iterator[Miss]:
    for path, text in wanted.items():
        actual = came_out.files.get(path)
        if actual is None:
            words = f"expected a text, got none; there are {listed(sorted(came_out.files))}"
            yield Miss((EXPECT, "files", path), text, NOTHING, words)
        elif actual != text:
            yield _differs((EXPECT, "files", path), text, actual)


USED: Mapping[str, Callable[[Mapping[str, Any]], float | None]] = {
    "iterations": lambda result: result["llm"]["iterations"],
    "provider_calls": lambda result: result["llm"]["provider_calls"],
    "tool_calls": lambda result: len(result["tools"]["calls"]),
    "tokens": lambda result: result["llm"]["input_tokens"] + result["llm"]["output_tokens"],
    "cost_usd": lambda result: result["llm"]["cost_usd"] if result["llm"]["provider_calls"] else 0.0,
}


def _limits(wanted: Mapping[str, Any], came_out: CameOut) -> Iterator[Miss]:
    for key, most in wanted.items():
        used = USED[key](came_out.result)
        if used is None:
            words = f"expected at most {most:.15g}, and no price is known of the model: give it `model.prices`"
            yield Miss((EXPECT, "limits", key), most, NOTHING, words)
        elif used > most:
            yield Miss((EXPECT, "limits", key), most, used, f"expected at most {most:.15g}, got {used:.15g}")


def _events(wanted: Sequence[Any], came_out: CameOut) -> Iterator[Miss]:
    """Each must have happened after the one before it."""
    left = iter(came_out.events)
    for number, event in enumerate(wanted):
        if not any(_holds(event, each) for each in left):
            kinds = [str(each.get("kind")) for each in came_out.events if each.get("seq") is not None]
            after = " after the one before it" if number else ""
            words = f"expected {shown(event)}{after}, got {listed(kinds)}"
            yield Miss((EXPECT, "events", number), event, NOTHING, words)
            return


def _holds(wanted: Any, actual: Any) -> bool:
    """Whether all that is wanted is in what there is."""
    if isinstance(wanted, Mapping):
        return isinstance(actual, Mapping) and all(
            name in actual and _holds(value, actual[name]) for name, value in wanted.items()
        )
    return bool(wanted == actual)


def _that(wanted: Any, came_out: CameOut) -> Iterator[Miss]:
    for number, text in enumerate(_as_list(wanted)):
        place = (EXPECT, "that", number) if isinstance(wanted, list) else (EXPECT, "that")
        try:
            holds = compile_expression(text, THAT).evaluate({"result": came_out.result, "files": dict(came_out.files)})
        except ExpressionError as problem:
            yield Miss(place, text, NOTHING, f"`{text}` can't be evaluated: {problem}")
            continue
        if not holds:
            yield Miss(place, text, NOTHING, f"`{text}` does not hold{_where(text, came_out)}")


def _where(expression: str, came_out: CameOut) -> str:
    """What the parts of an expression are that name something which came out."""
    values = {"result": came_out.result, "files": dict(came_out.files)}
    named = dict.fromkeys(path for match in NAMED.finditer(expression) if (path := match["path"]))
    known = [(path, value) for path in named if (value := _value_at(path, values)) is not NOTHING]
    told = "; ".join(f"`{path}` is {shown(value)}" for path, value in known)
    return f": {told}" if told else ""


def _value_at(path: str, values: Mapping[str, Any]) -> Any:
    if path in values:  # as a whole it is too much to show
        return sorted(values["files"]) if path == "files" else NOTHING
    value: Any = values
    for step in STEP.finditer(path):
        name = step["name"] or step["text"] or step["other"]
        key = int(step["index"]) if step["index"] else name
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return NOTHING
    return value


COMPARE: Mapping[str, SAY] = {
    "status": _word("status"),
    "stop_reason": _word("stop_reason"),
    "text": _text,
    "tools": _tools,
    "output": _output,
    "files": _files,
    "limits": _limits,
    "events": _events,
    "that": _that,
}


def _differs(path: Path, wanted: Any, actual: Any, why: str = "") -> Miss:
    return Miss(path, wanted, actual, f"expected {shown(wanted)}, got {shown(actual)}{why}")


def _as_list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]
