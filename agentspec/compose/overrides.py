"""overrides: what the command line says over a spec: `--set PATH=VALUE` and `--model PROVIDER:MODEL`.

Each becomes a layer whose spans stand in a source named after the option, so that every check places its findings
there. Nothing is applied here.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from agentspec.compose.findings import clip, finding
from agentspec.compose.groups import BUDGET, ROUTE, alone
from agentspec.compose.merge import merge, settle
from agentspec.compose.origin import Layer
from agentspec.syntax import yaml
from agentspec.syntax.tree import Entry, Mapping, Node, Path, Scalar, Sequence, dotted
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source, Span

_STEP = r"""(?x)
    (?P<dot>\.?) (?: "(?P<quoted>(?:[^"\\]|\\.)*)" | (?P<bare>[^.\[\]="\s]+) )
    | \[ (?: (?P<index>[0-9]{1,6}) | "(?P<key>(?:[^"\\]|\\.)*)" ) \]
"""
_FLOW = ("[", "{", '"', "'")
_MOST_STEPS = 64  # as deep as a document may nest


class Step(NamedTuple):
    """One step of a path and where it is written."""

    name: str | int
    span: Span
    end: int  # where the step ends, its bracket or quote included


def set_layer(argument: str, tree: Mapping) -> Layer | Diagnostic:
    """The layer of one `--set PATH=VALUE` over the tree that it changes; the tree itself is needed for `[n]` only."""
    source = Source(f"--set {argument}", argument)
    steps = _steps(source)
    if isinstance(steps, Diagnostic):
        return steps
    end = steps[-1].end
    if not argument.startswith("=", end):
        return _bad_path(source, end, "`--set` needs `PATH=VALUE`")
    if steps[0].name == "extends":
        return finding(
            "AS420", steps[0].span, "`--set` cannot change `extends`", help="write a spec that extends what you need"
        )
    value = read_value(source, end + 1)
    if isinstance(value, Diagnostic):
        return value
    patch = _changed(steps, tree, value)
    if isinstance(patch, Diagnostic):
        return patch
    assert isinstance(patch, Mapping)
    return Layer("--set", alone(patch, (BUDGET,)))


def model_layer(argument: str) -> Layer | Diagnostic:
    """The layer of `--model PROVIDER:MODEL`, which replaces the whole route group. A model's id may contain `:`."""
    source = Source(f"--model {argument}", argument)
    provider, colon, model = argument.partition(":")
    if not (provider and colon and model):
        help_ = "for example `--model openai:gpt-5.4-mini`"
        return finding("AS422", _all(source), "`--model` needs `PROVIDER:MODEL`", path=("model",), help=help_)
    start = len(provider) + 1
    values = {"provider": Span(source, 0, start - 1), "model": Span(source, start, len(argument))}
    route = [
        Entry(key=Scalar(value=name, span=span), value=Scalar(value=span.text, span=span))
        for name, span in values.items()
    ]
    return Layer("--model", alone(_nest("model", _all(source), Mapping(entries=route, span=_all(source))), (ROUTE,)))


def read_value(source: Source, start: int) -> Node | Diagnostic:
    """The value that stands in a source from `start` on: a YAML 1.2 scalar, or a list or mapping in flow style.

    What begins with a quote or a bracket must be whole YAML; any other text that is no number, boolean or null is a
    string as it stands, also with `#`, `: ` or line ends in it.
    """
    text = source.text[start:].strip()
    whole = Span(source, start, len(source.text))
    if not text.startswith(_FLOW) and re.search(r"\s|^[^\w.+~-]", text):
        return Scalar(value=source.text[start:], span=whole)
    if not text:
        return Scalar(value=None, span=whole)
    shown, source.text = source.text, " " * start + source.text[start:]  # the parser must not see the path
    parsed = yaml.parse(source)
    source.text = shown
    errors = [found for found in parsed.diagnostics if found.severity == "error"]
    is_read = not errors and len(parsed.documents) == 1
    if text.startswith(_FLOW) and not is_read:
        reason = f": {errors[0].message}" if errors else ""
        return finding("AS421", errors[0].span if errors else whole, f"cannot read `{clip(text)}`{reason}")
    root = parsed.documents[0].root if is_read else None
    if text.startswith(_FLOW) or isinstance(root, Scalar):
        return root or Scalar(value=None, span=whole)
    return Scalar(value=source.text[start:], span=whole)


def _steps(source: Source) -> list[Step] | Diagnostic:
    steps: list[Step] = []
    step = re.compile(_STEP)
    at = 0
    while at < len(source.text) and source.text[at] != "=":
        match = step.match(source.text, at)
        if match is None or (match["index"] is None and match["key"] is None and bool(match["dot"]) != bool(steps)):
            return _bad_path(source, at, "this is not a path")
        steps.append(Step(_name(match), _span(source, match), match.end()))
        at = match.end()
    if not steps or isinstance(steps[0].name, int):
        return _bad_path(source, 0, "a path begins with a key")
    if len(steps) > _MOST_STEPS:
        return _bad_path(source, 0, f"a path has at most {_MOST_STEPS} steps")
    return steps


def _name(match: re.Match[str]) -> str | int:
    if match["index"] is not None:
        return int(match["index"])
    quoted = match["quoted"] if match["quoted"] is not None else match["key"]
    if quoted is None:
        return match["bare"]
    try:
        return str(json.loads(f'"{quoted}"'))
    except ValueError:
        return quoted


def _span(source: Source, match: re.Match[str]) -> Span:
    for group in ("bare", "quoted", "index", "key"):
        if match[group] is not None:
            return Span(source, *match.span(group))
    raise AssertionError(match)


def _bad_path(source: Source, at: int, message: str) -> Diagnostic:
    help_ = "for example `execution.max_iterations=5` or `model.routes[0].model=gpt-5.4-mini`"
    return finding("AS420", Span(source, at, len(source.text)), message, help=help_)


def _changed(steps: list[Step], there: Node | None, value: Node, path: Path = ()) -> Node | Diagnostic:
    """The patch that sets the value at the steps. A `[n]` makes it set a copy of the whole list, changed there."""
    if not steps:
        return value
    (name, span, _), rest = steps[0], steps[1:]
    if isinstance(name, str):
        below = there.get(name) if isinstance(there, Mapping) else None
        inner = _changed(rest, below, value, (*path, name))
        return inner if isinstance(inner, Diagnostic) else _nest(name, span, inner)
    if not isinstance(there, Sequence):
        return finding("AS420", span, f"`{dotted(path)}` is not a list", path=path)
    if name >= len(there.items):
        count = f"`{dotted(path)}` has {len(there.items)} item{'s'[: len(there.items) != 1]}, counted from 0"
        return finding("AS420", span, f"no item `[{name}]`: {count}", path=path)
    old = there.items[name]
    inner = _changed(rest, old, value, (*path, name))
    if isinstance(inner, Diagnostic):
        return inner
    if isinstance(old, Mapping) and isinstance(inner, Mapping):
        inner = settle(merge(old, inner, []), [])
    return Sequence(items=[*there.items[:name], inner, *there.items[name + 1 :]], span=span)


def _nest(name: str, span: Span, value: Node) -> Mapping:
    return Mapping(entries=[Entry(key=Scalar(value=name, span=span), value=value)], span=span)


def _all(source: Source) -> Span:
    return Span(source, 0, len(source.text))
