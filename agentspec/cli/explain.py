"""explain: `agentspec explain`: what a finding, a key or a tool means, and where the value of a key came from."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import click

from agentspec.checker.discover import all_rules
from agentspec.checker.overridden import require_overrides
from agentspec.cli.dotted import read_path
from agentspec.cli.keys import describe_key, key_of_spec, pending_keys
from agentspec.cli.pages import document_page, reason_page, tool_names, value_page, word_page
from agentspec.cli.show import spec_options
from agentspec.cli.unknown import no_such_key
from agentspec.cli.usage import Usage
from agentspec.compose.files import builtin_names
from agentspec.compose.load import load
from agentspec.compose.toolkits import TOOLKITS
from agentspec.runtime.ends import STATUSES
from agentspec.runtime.reasons import REASONS
from agentspec.spec.describe import all_keys, describe
from agentspec.spec.schema import ROOTS
from agentspec.spec.structure.foreign_keys import foreign_keys
from agentspec.syntax.tree import Path, dotted
from agentspec.text.suggest import nearest
from agentspec.text.visible import one_line

HELP = """Tell what a finding, a key, a tool, a toolkit, a preset, a document, or the end of a run means.

With a spec and a path it tells where the value of that key came from. `functions` lists what expressions can call,
`pending` the keys that are accepted, but not yet in effect.

\b
examples:
  agentspec explain AS601
  agentspec explain triage.agent execution.max_iterations
  agentspec explain execution.loop_control
  agentspec explain read_file
  agentspec explain circuit_open
  agentspec explain functions
  agentspec explain pending
  agentspec explain --list
"""

KINDS = ("agent", "library", "scenario")  # of documents with keys of their own: those of a preset are an agent's
MOST_PLACES = 8
MOST_NEAR = 2
NOTHING_NEAR = (
    "give a code, a key, a tool, a toolkit, a preset, a status, a reason, `functions`, `pending`, or a spec and a path"
)
CODE = re.compile(r"AS\d+")


@click.command("explain", help=HELP)
@click.argument("word", metavar="WORD|SPEC", required=False)
@click.argument("key", metavar="[PATH.TO.KEY]", required=False)
@click.option("--list", "wants_list", is_flag=True, help="List every code with its severity and title.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print it.")
@spec_options
def command(word: str | None, key: str | None, form: str, *, wants_list: bool, **given: Any) -> int:
    """Print the page that was asked for."""
    if wants_list:
        print(_listed(form), end="")
        return 0
    if word is None:
        raise Usage("`agentspec explain` needs a word, or a spec and a path", "see `agentspec explain --help`")
    if key is None:
        lines = list(_page(word))
    else:
        composed = load(word, **given)
        require_overrides(composed)
        lines = [one_line(line) for line in key_of_spec(composed, read_path(key))]
    print(_as_json(word, key, lines) if form == "json" else "\n".join(lines))
    return 0


def _as_json(word: str, key: str | None, lines: list[str]) -> str:
    """A page for programs: of a code its severity and its title, of anything else what was asked for; then the text."""
    rule = all_rules().get(word.upper()) if key is None else None
    about = {"word": word, "key": key} if rule is None else {"code": rule.code, "title": rule.title}
    text = "\n".join(lines if rule is None else lines[2:])
    return json.dumps({**about, **({} if rule is None else {"severity": rule.severity}), "text": text}, indent=1)


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
    """A key by its path, a tool, toolkit, preset or status by its name, or the outermost key that ends in the word."""
    path = read_path(word)
    places = _ending(word)
    reasons = list(reason_page(word))
    if lines := describe_key(path) or _of_document(path) or word_page(word) or list(document_page(word)):
        yield from lines
    elif places:
        kind, place = places[0]
        yield from describe_key(read_path(place.replace("[]", "[0]")), kind, _shown(kind, place))
        others = ", ".join(f"`{_shown(*each)}`" for each in places[1:MOST_PLACES])
        yield from [f"see also: {others}"] if others else []
        yield from reasons
    elif lines := reasons or list(value_page(word)):
        yield from lines
    elif describe(path[:1]) is not None:
        raise no_such_key("agent", path)
    elif path[0] in ROOTS and len(path) > 1:
        raise no_such_key(str(path[0]), path[1:])
    else:
        raise _unknown(word)


def _of_document(path: Path) -> list[str]:
    """A key that begins with the kind of its document: `scenario.expect.files`."""
    kind = str(path[0])
    return describe_key(path[1:], kind, dotted(path)) if kind in ROOTS and len(path) > 1 else []


def _ending(word: str) -> list[tuple[str, str]]:
    """The keys that end in the word, each with its kind of document: those of agents first, and the outermost."""
    found = [(kind, place) for kind in KINDS for place in _in_kind(word, kind)]
    return sorted(found, key=lambda each: (KINDS.index(each[0]), each[1].count(".")))


def _in_kind(word: str, kind: str) -> list[str]:
    ending = [doc.path for doc in all_keys(kind) if f".{_without_items(doc.path)}".endswith(f".{word}")]
    return [place for place in ending if not set("*[") & set(place)] or ending


def _shown(kind: str, place: str) -> str:
    return place if kind == "agent" else f"{kind}.{place}"


def _without_items(pattern: str) -> str:
    """A pattern of keys as people write it who leave out which item they mean: `loop_control.stop`.

    >>> _without_items("capability.tools.*.examples[].args")
    'capability.tools.examples.args'
    """
    return pattern.replace("[]", "").replace(".*", "")


def _code(code: str) -> Iterator[str]:
    rule = all_rules().get(code)
    if rule is None:
        near = [known for known in all_rules() if known.startswith(code)] or nearest(code, all_rules())
        listed = " or ".join(f"`{one}`" for one in near[:MOST_PLACES])
        raise Usage(
            f"there is no code `{code}`", f"did you mean {listed}?" if near else "see `agentspec explain --list`"
        )
    yield f"{code}: {rule.title} ({rule.severity})"
    yield ""
    yield inspect.getdoc(rule) or ""


def _unknown(word: str) -> Usage:
    if word.endswith((".yaml", ".yml", ".json", ".agent")):
        return Usage(f"which key of `{word}`?", f"write `agentspec explain {word} execution.max_iterations`")
    foreign = foreign_keys().get(word, ())
    if foreign:
        return Usage(f"nothing is called `{word}` here", f"did you mean `{foreign[0]}`?")
    keys = (doc.path for kind in KINDS for doc in all_keys(kind) if not set("*[") & set(doc.path))
    names = dict.fromkeys(name for key in keys for name in (key, key.rpartition(".")[2]))
    known = (*TOPICS, *names, *tool_names(), *TOOLKITS, *builtin_names("presets"), *STATUSES, *REASONS, *all_rules())
    near = nearest(word, dict.fromkeys(known), most=MOST_NEAR)
    way_out = f"did you mean {' or '.join(f'`{one}`' for one in near)}?" if near else NOTHING_NEAR
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
