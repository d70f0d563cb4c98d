"""explain: `agentspec explain`: what a finding means, or what a key of a spec means and where its value came from."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import click

from agentspec.checker.discover import all_rules
from agentspec.checker.effective import effective_values, keys_of, origin_values, wanted_at
from agentspec.cli.dotted import read_path
from agentspec.cli.show import place_of, spec_options
from agentspec.cli.usage import Usage
from agentspec.compose.load import Composed, load
from agentspec.spec.in_effect import is_in_effect
from agentspec.spec.schema import Node as Wanted
from agentspec.spec.schema import branches, form, root
from agentspec.spec.words import wanted as words_of
from agentspec.syntax.tree import Path, dotted, find, plain
from agentspec.text.suggest import nearest

HELP = """Tell what a finding means, or what a key of a spec means and where its value came from.

`functions` lists what expressions can call. `pending` lists the keys that are accepted, but not yet in effect.

\b
examples:
  agentspec explain AS601
  agentspec explain triage.agent execution.max_iterations
  agentspec explain execution.loop_control
  agentspec explain functions
  agentspec explain pending
  agentspec explain --list
"""

CODE = re.compile(r"AS\d{3}")


@click.command("explain", help=HELP)
@click.argument("word", metavar="CODE|SPEC", required=False)
@click.argument("key", metavar="[PATH.TO.KEY]", required=False)
@click.option("--list", "wants_list", is_flag=True, help="List every code with its severity and title.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print the list.")
@spec_options
def command(word: str | None, key: str | None, form: str, *, wants_list: bool, **given: Any) -> int:
    """Print the page that was asked for."""
    if wants_list:
        print(_listed(form), end="")
        return 0
    if word is None:
        raise Usage("`agentspec explain` needs a code, or a spec and a path", "see `agentspec explain --help`")
    if key is None:
        print("\n".join(_page(word)))
    else:
        print("\n".join(_key_of_spec(load(word, **given), read_path(key))))
    return 0


def _listed(form: str) -> str:
    rules = all_rules().values()
    if form == "json":
        rows = [{"code": rule.code, "title": rule.title, "severity": rule.severity} for rule in rules]
        return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    return "".join(f"{rule.code}  {rule.severity:7}  {rule.title}\n" for rule in rules)


def _page(word: str) -> Iterator[str]:
    topic = TOPICS.get(word)
    if topic is not None:
        yield from topic()
    elif CODE.fullmatch(word.upper()):
        yield from _code(word.upper())
    elif (wanted := _general(word)) is not None:
        yield from _key(read_path(word), wanted)
    else:
        raise _unknown(word)


def _general(word: str) -> Wanted | None:
    """What the language says of a key without a spec, where the word is the path of one."""
    path = read_path(word)
    return wanted_at("agent", path) if path[0] in root("agent")["properties"] else None


def _code(code: str) -> Iterator[str]:
    rule = all_rules().get(code)
    if rule is None:
        near = nearest(code, all_rules())
        raise Usage(
            f"there is no code `{code}`", f"did you mean `{near[0]}`?" if near else "see `agentspec explain --list`"
        )
    yield f"{code}: {rule.title} ({rule.severity})"
    yield ""
    yield inspect.getdoc(rule) or ""


def _unknown(word: str) -> Usage:
    if word.endswith((".yaml", ".yml", ".json", ".agent")):
        return Usage(f"which key of `{word}`?", f"write `agentspec explain {word} execution.max_iterations`")
    near = nearest(word, (*TOPICS, *root("agent")["properties"]))
    way_out = f"did you mean `{near[0]}`?" if near else "give a code, or a spec and a path"
    return Usage(f"nothing is known of `{word}`", way_out)


def _functions() -> Iterator[str]:
    from agentspec.expressions.functions import functions  # noqa: PLC0415 - loads CEL; this page alone needs it

    for function in functions():
        yield function.signature
        yield f"    {function.does}: `{function.example}` gives `{function.gives}`"


def _pending() -> Iterator[str]:
    yield "These keys are accepted and checked, but nothing acts on them yet:"
    yield ""
    yield from (f"  {dotted(path)}" for path in pending_keys(root("agent"), ()))


def pending_keys(wanted: Wanted, path: Path) -> Iterator[Path]:
    """Every key of the schema that is not in effect, the outermost only."""
    for branch in branches(wanted):
        children = [((*path, name), child) for name, child in branch.get("properties", {}).items()]
        others = branch.get("additionalProperties")
        if isinstance(others, dict) and len(path) < DEEPEST:
            children.append(((*path, "*"), others))
        for below, child in children:
            if not is_in_effect(below):
                yield below
            elif len(below) < DEEPEST:
                yield from pending_keys(child, below)


DEEPEST = 6  # steps; no prefix of the list of keys in effect is longer
TOPICS: dict[str, Callable[[], Iterator[str]]] = {"functions": _functions, "pending": _pending}


def _key_of_spec(composed: Composed, path: Path) -> Iterator[str]:
    wanted = wanted_at(composed.kind, path)
    node = find(composed.tree, path)
    if wanted is None and node is None:
        raise _no_such_key(composed.kind, path)
    yield from _key(path, wanted or {})
    values = effective_values(composed)
    value = plain(node) if node is not None else _at(values, path)
    if value is None:
        yield "value: not set"
        return
    yield f"value: {json.dumps(value, ensure_ascii=False)}"
    chain = origin_values(composed, values).get(dotted(path), [])
    for origin in reversed(chain):
        holds = "from" if origin is chain[-1] else "over"
        yield f"  {holds} {place_of(origin)}: {json.dumps(origin['value'], ensure_ascii=False)}"


def _no_such_key(kind: str, path: Path) -> Usage:
    """The first step of the path that the language doesn't know, and what it could be."""
    for length in range(1, len(path) + 1):
        above, step = wanted_at(kind, path[: length - 1]), path[length - 1]
        if above is not None and wanted_at(kind, path[:length]) is None:
            known = keys_of(above)
            near = nearest(str(step), known)
            place = f"`{dotted(path[: length - 1])}`" if length > 1 else "a spec"
            way_out = (
                f"did you mean `{near[0]}`?" if near else f"it has {', '.join(f'`{name}`' for name in known[:12])}"
            )
            return Usage(f"{place} has no key `{step}`", way_out)
    return Usage(f"there is no `{dotted(path)}`")


def _at(values: Any, path: Path) -> Any:
    for step in path:
        if isinstance(values, dict) and isinstance(step, str):
            values = values.get(step)
        elif isinstance(values, list) and isinstance(step, int) and step < len(values):
            values = values[step]
        else:
            return None
    return values


def _key(path: Path, wanted: Wanted) -> Iterator[str]:
    """What the language says of a key."""
    yield f"{dotted(path)}: {wanted.get('description', 'a part of the spec')}"
    if wanted:
        yield f"takes: {words_of(wanted)}"
    default = wanted.get("x-default", wanted.get("default"))
    if default is not None and default != {}:
        yield f"default: {default if isinstance(default, str) else json.dumps(default)}"
    known = keys_of(wanted)
    if known:
        yield f"keys: {', '.join(known)}"
    items = form(wanted).sequence
    inner = keys_of(items.get("items", {})) if items is not None else []
    if inner:
        yield f"keys of an item: {', '.join(inner)}"
    if not is_in_effect(path):
        yield "note: accepted, but not yet in effect"
