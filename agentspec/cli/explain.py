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
from agentspec.cli.usage import Usage
from agentspec.compose.load import load
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
    elif lines := describe_key(read_path(word)):
        yield from lines
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


TOPICS: dict[str, Callable[[], Iterator[str]]] = {"functions": _functions, "pending": _pending}
