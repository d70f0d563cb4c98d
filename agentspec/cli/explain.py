"""explain: `agentspec explain`: what a finding means, or what a key of a spec means and where its value came from."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import click

from agentspec.checker.discover import all_rules
from agentspec.cli.dotted import read_path
from agentspec.cli.keys import describe_key, key_of_spec, pending_keys
from agentspec.cli.show import spec_options
from agentspec.cli.unknown import no_such_key
from agentspec.cli.usage import Usage
from agentspec.compose.files import builtin_names
from agentspec.compose.load import load
from agentspec.spec.describe import all_keys, describe
from agentspec.spec.schema import root
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

MOST_PLACES = 8
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
        print("\n".join(key_of_spec(load(word, **given), read_path(key))))
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
    else:
        yield from _key(word)


def _key(word: str) -> Iterator[str]:
    """A key by its path, a toolkit by its name, or the outermost key that ends in the word."""
    path = read_path(word)
    places = [doc.path for doc in all_keys() if doc.path.endswith(f".{word}") and not set("*[") & set(doc.path)]
    places.sort(key=lambda place: place.count("."))
    if lines := describe_key(path) or describe_key(("capability", "toolkits", 0, word)):
        yield from lines
    elif places:
        yield from describe_key(read_path(places[0]))
        others = ", ".join(f"`{place}`" for place in places[1:MOST_PLACES])
        yield from [f"see also: {others}"] if others else []
    elif describe(path[:1]) is not None:
        raise no_such_key("agent", path)
    else:
        raise _unknown(word)


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
    yield from (f"  {key}" for key in pending_keys())


def _extends() -> Iterator[str]:
    yield from describe_key(("extends",))
    yield "forms: `extends: audit`, `[audit, ./house.yaml]`, `[{use: ./house.yaml, with: {key: value}}]`"
    yield "a file is written `./NAME.yaml`, one of its documents `./NAME.yaml#DOCUMENT`"
    yield f"built-in presets: {', '.join(builtin_names('presets'))}"


TOPICS: dict[str, Callable[[], Iterator[str]]] = {"extends": _extends, "functions": _functions, "pending": _pending}
