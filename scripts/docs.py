"""docs: write the generated pages.

`docs/codes/` comes from the pages of the findings, `docs/reference/` from the language, the list of `docs/decisions/`
from its pages, `docs/guide/toolkits.md` from the schemas that a model sees.

`python scripts/docs.py` writes them; a test compares what stands there with what this would write.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import click

from agentspec.api.assembly.catalogue import BuiltTool, built_tools, parameters
from agentspec.checker.discover import all_rules
from agentspec.checker.rule import Rule
from agentspec.cli.commands import COMMANDS
from agentspec.expressions.functions import functions
from agentspec.expressions.groups import GROUPS, named_type
from agentspec.expressions.places import PLACES
from agentspec.expressions.types import spell
from agentspec.runtime.ends import STATUSES
from agentspec.spec.describe import KeyDoc, describe
from agentspec.spec.event_kinds import EVENT_KINDS, LIVE_KINDS, RESULT_STATUSES
from agentspec.spec.in_effect import is_in_effect
from agentspec.spec.prompts import built_in, prompt_ids
from agentspec.spec.schema import Node, form, opened, root
from agentspec.spec.statuses import RUN_STATUSES, STOP_REASONS
from agentspec.syntax.tree import Path as KeyPath
from scripts.grammar import grammar_pages

DOCS = Path(__file__).parents[1] / "docs"
ORIGIN = "<!-- Written by scripts/docs.py: change what it reads, not this page. -->"
FAMILIES = {
    "0": "Reading: the file, YAML and the DSL",
    "1": "Structure and names",
    "2": "Types and values",
    "3": "Expressions and templates",
    "4": "Composition: presets, inputs, overrides",
    "5": "Control flow: can it end, can it meet its conditions",
    "6": "Capability and authority",
    "7": "Context",
    "8": "Portability between providers",
    "9": "Style",
}
SECTIONS = ("model", "execution", "capability", "lifecycle", "context", "observability")
LARGE = 6  # keys; a larger record that stands in several places is written out at the first one only


def pages() -> dict[str, str]:
    """Every generated page by its path below docs/."""
    return {
        **code_pages(),
        **key_pages(),
        **grammar_pages(ORIGIN),
        "reference/expressions.md": expressions(),
        "reference/commands.md": commands(),
        "reference/prompts.md": prompts(),
        "reference/ends.md": ends(),
        "decisions/README.md": decisions(),
        "guide/toolkits.md": toolkits(),
    }


# --- prompts


def prompts() -> str:
    lines = [
        "# Prompts",
        "",
        ORIGIN,
        "",
        "What agentspec itself says to models. `context.prompts` gives other words for an id; a word in braces stands",
        "for what is known only when it is said, and `${…}` for inputs and what is known of the run.",
    ]
    for prompt in prompt_ids():
        lines += ["", f"## {prompt}", "", "~~~text", built_in(prompt), "~~~"]
    return "\n".join(lines) + "\n"


# --- what comes out


def ends() -> str:
    """The words that a result and an event stream say."""
    lines = [
        "# Ends and events",
        "",
        ORIGIN,
        "",
        "A run ends with a status and a reason: they stand in its result, and `expect.status` and `expect.stop_reason`",
        "of a scenario ask for them. A rule of the spec may give others of its own.",
        "",
        "| status | says |",
        "| --- | --- |",
        *(f"| `{status}` | {STATUSES[status]} |" for status in STATUSES if status in RUN_STATUSES),
        "",
        f"Reasons: {', '.join(f'`{reason}`' for reason in sorted(set(STOP_REASONS)))}.",
        "",
        "## Events",
        "",
        "What `--events` writes, `stream` yields and `expect.events` of a scenario asks for, by `kind`.",
        "",
        "| kind | says |",
        "| --- | --- |",
        *(f"| `{kind}` | {says} |" for kind, says in EVENT_KINDS.items()),
        "",
        "Only those hear who watch while the run goes on:",
        "",
        "| kind | says |",
        "| --- | --- |",
        *(f"| `{kind}` | {says} |" for kind, says in LIVE_KINDS.items()),
        "",
        f"A `tool_result` has a status: {', '.join(f'`{status}`' for status in RESULT_STATUSES)}.",
    ]
    return "\n".join(lines) + "\n"


# --- findings


def code_pages() -> dict[str, str]:
    rules = all_rules()
    found = {f"codes/{code}.md": code_page(rule) for code, rule in rules.items()}
    return {"codes/README.md": code_index(rules.values()), **found}


def code_page(rule: type[Rule]) -> str:
    head = f"# {rule.code}: {rule.title}\n\n{ORIGIN}\n\n*{rule.severity}* · [all findings](README.md)\n\n"
    return f"{head}{(inspect.getdoc(rule) or '').strip()}\n"


def code_index(rules: Iterable[type[Rule]]) -> str:
    lines = [
        "# Findings",
        "",
        ORIGIN,
        "",
        "What `agentspec check` may say. `agentspec explain CODE` prints the same pages.",
    ]
    family = ""
    for rule in rules:
        if rule.code[2] != family:
            family = rule.code[2]
            lines += [
                "",
                f"## AS{family}xx {FAMILIES[family]}",
                "",
                "| code | severity | finding |",
                "| --- | --- | --- |",
            ]
        lines.append(f"| [{rule.code}]({rule.code}.md) | {rule.severity} | {cell(rule.title)} |")
    return "\n".join(lines) + "\n"


# --- keys


def key_pages() -> dict[str, str]:
    written: dict[int, str] = {}  # the large records, and where each is written out
    agent = root("agent")
    known = agent["properties"]
    top = {**agent, "properties": {name: known[name] for name in known if name not in SECTIONS}}
    found = {"reference/agent.md": key_page("agent", "The top of a spec", top, (), written)}
    for section in SECTIONS:
        about = describe((section,))
        assert about is not None
        title = f"{section}: {about.doc.rstrip('.').lower()}"
        found[f"reference/{section}.md"] = key_page("agent", title, opened(known[section]), (section,), written)
    for kind in ("library", "scenario"):
        found[f"reference/{kind}.md"] = key_page(kind, f"A {kind}", root(kind), (), written)
    return {"reference/README.md": key_index(found), **found}


def key_index(found: dict[str, str]) -> str:
    links = [f"- [{text.partition(chr(10))[0].removeprefix('# ')}]({Path(path).name})" for path, text in found.items()]
    more = [
        "- [The grammar of the DSL](dsl.md)",
        "- [Expressions: places, names, functions](expressions.md)",
        "- [Commands](commands.md)",
        "- [Ends and events](ends.md)",
    ]
    head = f"# Reference\n\n{ORIGIN}\n\nEvery key of the language; a preset takes those of an agent.\n\n"
    return head + "\n".join([*links, *more]) + "\n"


def key_page(kind: str, title: str, mapping: Node, at: KeyPath, written: dict[int, str]) -> str:
    """The keys of one mapping in a table, and below it a table for each key that holds others."""
    keys, required = mapping["properties"], mapping.get("required", ())
    lines = [
        f"# {title}",
        "",
        ORIGIN,
        "",
        "*Later* marks a key that is accepted and checked, but not yet in effect.",
        "",
    ]
    lines += table(rows(kind, keys, at, required), at, kind)
    for name, node in keys.items():
        inner = list(rows_below(kind, node, (*at, name), written))
        if inner:
            lines += ["", f"## {shown((*at, name))}", "", *table(inner, (*at, name), kind)]
    return "\n".join(lines) + "\n"


class Row(NamedTuple):
    """One line of a table."""

    path: KeyPath
    takes: str
    default: str
    meaning: str


def rows(kind: str, keys: dict[str, Node], at: KeyPath, required: Iterable[str] = ()) -> Iterator[Row]:
    """A line for each key of a mapping."""
    for name, node in keys.items():
        doc = describe((*at, name), kind)
        assert doc is not None
        takes = f"{doc.type} (required)" if name in required else doc.type
        yield Row((*at, name), takes, default(node, doc), doc.doc)


def default(node: Node, doc: KeyDoc) -> str:
    """The default as it is written, or in words."""
    if doc.default in (None, "{}"):
        return ""
    return f"`{doc.default}`" if "default" in node else str(doc.default)


def rows_below(kind: str, node: Node, at: KeyPath, written: dict[int, str]) -> Iterator[Row]:
    """A line for every key below a node; a large record that was written out already is referred to."""
    held = form(node)
    if held.sequence is not None and "items" in held.sequence:
        yield from rows_below(kind, held.sequence["items"], (*at, 0), written)
    if held.mapping is None:
        return
    mapping = held.mapping.get("else", held.mapping)
    known = mapping.get("properties", {})
    place = written.setdefault(id(mapping), shown(at))
    if place != shown(at) and len(known) > LARGE:
        yield Row((*at, "…"), "", "", f"The keys of `{place}`.")
        return
    for name, value in known.items():
        yield from rows(kind, {name: value}, at, mapping.get("required", ()))
        yield from rows_below(kind, value, (*at, name), written)
    if isinstance(mapping.get("additionalProperties"), dict):
        yield from rows_below(kind, mapping["additionalProperties"], (*at, "*"), written)


def table(found: Iterable[Row], at: KeyPath, kind: str) -> list[str]:
    lines = (line(each, at, kind) for each in found)
    return ["| key | takes | default | meaning |", "| --- | --- | --- | --- |", *lines]


def line(each: Row, at: KeyPath, kind: str) -> str:
    cells = (f"`{shown(each.path[len(at) :])}`", each.takes, each.default, each.meaning + later(each, kind))
    return f"| {' | '.join(map(cell, cells))} |"


def later(each: Row, kind: str) -> str:
    return "" if is_in_effect(each.path, kind) or not each.takes else " *Later.*"


def shown(path: KeyPath) -> str:
    """A path as a pattern: `capability.tools.*.expr`, `model.routes[].when`."""
    text = ""
    for step in path:
        text += "[]" if isinstance(step, int) else f".{step}" if text else step
    return text


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


# --- expressions and commands


def expressions() -> str:
    lines = ["# Expressions", "", ORIGIN, "", "Expressions are CEL. Which names one may use depends on its place."]
    for place in PLACES.values():
        lines += ["", f"## {place.title}", "", f"Gives {gives(place.gives)}. On an error: {place.on_error}.", ""]
        lines += ["| name | type | what it is |", "| --- | --- | --- |"]
        lines += [f"| `{name}` | {typed(kind)} | {cell(what)} |" for name, (kind, what) in place.names.items()]
    lines += ["", "# Records", ""]
    for group, fields in GROUPS.items():
        lines += [f"## {group}", "", "| field | type | what it is |", "| --- | --- | --- |"]
        lines += [f"| `{name}` | {typed(kind)} | {cell(what)} |" for name, (kind, what) in fields.items()]
        lines.append("")
    lines += ["# Functions", "", "| function | does | example | gives |", "| --- | --- | --- | --- |"]
    for each in functions():
        lines.append(
            f"| `{cell(each.signature)}` | {cell(each.does)} | `{cell(each.example)}` | `{cell(each.gives)}` |"
        )
    return "\n".join(lines) + "\n"


def gives(kind: str) -> str:
    return {"returns": "the type that the tool's `returns` names", "text": "text"}.get(kind, f"a {kind}")


def typed(kind: object) -> str:
    return f"`{cell(kind if isinstance(kind, str) else spell(named_type(kind)))}`"


def commands() -> str:
    lines = ["# Commands", "", ORIGIN, "", "`agentspec COMMAND --help` tells more, with examples."]
    for name, (module, summary) in COMMANDS.items():
        command: click.Command = importlib.import_module(module).command
        words = " ".join(argument_name(each) for each in command.params if isinstance(each, click.Argument))
        lines += ["", f"## agentspec {name} {words}".rstrip(), "", f"{summary[0].upper()}{summary[1:]}."]
        lines += option_table(command)
        for word, below in command.commands.items() if isinstance(command, click.Group) else ():
            words = " ".join(argument_name(each) for each in below.params if isinstance(each, click.Argument))
            lines += ["", f"### agentspec {name} {word} {words}".rstrip(), "", below.get_short_help_str(200)]
            lines += option_table(below)
    return "\n".join(lines) + "\n"


def option_table(command: click.Command) -> list[str]:
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    rows = [f"| `{cell(option_name(each))}` | {cell(each.help or '')} |" for each in options]
    return ["", "| option | does |", "| --- | --- |", *rows] if rows else []


def argument_name(argument: click.Argument) -> str:
    if argument.metavar:
        return argument.metavar
    name = (argument.name or "").upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def option_name(option: click.Option) -> str:
    names = ", ".join(option.opts)
    if option.is_flag:
        return names
    words = "|".join(option.type.choices) if isinstance(option.type, click.Choice) else None
    return f"{names} {option.metavar or words or option.type.name.upper()}"


# --- toolkits


def toolkits() -> str:
    """Every tool that exists today with its parameters, by toolkit."""
    found = list(built_tools())
    lines = [
        "# The tools of the toolkits",
        "",
        ORIGIN,
        "",
        "What a model is told of each tool that exists today: its description and its parameters. A toolkit's options",
        "stand in the [reference](../reference/capability.md#capabilitytoolkits), the rest of the toolkits is named by",
        "`agentspec explain pending`. On the command line, `agentspec explain TOOL` tells the same.",
        "",
        "```sh",
        *(f"agentspec explain {name}" for name in (found[0].schema.name, found[0].toolkit)),
        "```",
    ]
    for family in dict.fromkeys(tool.toolkit for tool in found):
        lines += ["", f"## {family}"]
        for tool in found:
            lines += tool_table(tool) if tool.toolkit == family else []
    return "\n".join(lines) + "\n"


def tool_table(tool: BuiltTool) -> list[str]:
    head = ["", f"### {tool.schema.name}", "", f"{tool.schema.description} Effect: `{tool.effect}`.", ""]
    rows = [
        f"| `{each.name}` | {each.takes}{' (required)' if each.is_required else ''} | {cell(each.description)} |"
        for each in parameters(tool.schema)
    ]
    return [*head, "| parameter | takes | meaning |", "| --- | --- | --- |", *rows]


# --- decisions


def decisions() -> str:
    """The list of what stands in docs/decisions/, by the headings of the pages."""
    head = f"# Decisions\n\n{ORIGIN}\n\nOne page each: the context, the choice, what was given up.\n\n"
    paths = sorted((DOCS / "decisions").glob("[0-9]*.md"))
    titles = [path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") for path in paths]
    return head + "".join(f"- [{title}]({path.name})\n" for title, path in zip(titles, paths, strict=True))


def main() -> int:
    """Write what differs, and take away pages that nothing writes any more."""
    wanted = pages()
    for folder in ("codes", "reference"):
        for path in [*(DOCS / folder).glob("*.md"), *(DOCS / folder).rglob("*.svg")]:
            if path.relative_to(DOCS).as_posix() not in wanted:
                path.unlink()
    for name, text in wanted.items():
        path = DOCS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote docs/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
