"""show: `agentspec show`: a spec as it is after presets, inputs and defaults, and where each value came from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import click

from agentspec.checker.conceal import without_secrets
from agentspec.checker.effective import effective_tree, effective_values, origin_values
from agentspec.checker.overridden import require_overrides
from agentspec.cli.dotted import read_path
from agentspec.cli.terminal.say import complain
from agentspec.cli.unknown import no_such_key
from agentspec.compose.load import Composed, load
from agentspec.spec.describe import describe
from agentspec.syntax.format import Form as Spelling
from agentspec.syntax.format import text_of
from agentspec.syntax.tree import Mapping, plain
from agentspec.text.visible import one_line, plain_json

SPELLINGS: dict[str, Spelling] = {"yaml": "yaml", "dsl": "dsl"}
FORMS = ("text", "json", *SPELLINGS)
HELP = """Print a spec as it is after presets, inputs and defaults.

`text` and `json` tell where each value came from, the lowest layer first, and hold the defaults of the language;
`yaml` and `dsl` are the composed spec alone. What looks like a secret is printed as stars. Findings don't stop it: see
`agentspec check`.

\b
examples:
  agentspec show triage.agent
  agentspec show specs.agent#triage --input branch=main --format json
  agentspec show triage.yaml --set execution.max_iterations=3
"""


def spec_options(command: Callable[..., int]) -> Callable[..., int]:
    """The options that every command has which composes a spec."""
    for option in (
        click.option("--model", metavar="PROVIDER:MODEL", help="Who answers, in place of what the spec says."),
        click.option(
            "--input", "inputs", metavar="NAME=VALUE", multiple=True, help="Give an input of the spec a value."
        ),
        click.option("--set", "sets", metavar="PATH=VALUE", multiple=True, help="Put a value over the spec's own."),
    ):
        command = option(command)
    return command


@click.command("show", help=HELP)
@click.argument("spec")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", help="How to print it.")
@spec_options
def command(spec: str, form: str, **given: Any) -> int:
    """Print the effective spec; 2 where there is none to show."""
    composed = load(spec, **given)
    if composed.document.has_broken or not isinstance(composed.root, Mapping) or not composed.root.entries:
        return refuse(composed)
    for override in given["sets"]:
        _require_known(override, composed.kind)
    require_overrides(composed)
    print(_printed(composed, form), end="")
    wrong = [one for one in composed.diagnostics if one.severity == "error"]
    if wrong:
        many = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        complain(f"the spec has errors: {wrong[0].message}{many}", "see `agentspec check`")
    return 0


def _require_known(override: str, kind: str) -> None:
    path = read_path(override.partition("=")[0].removesuffix("+"))
    if path and not str(path[-1]).startswith("x-") and describe(path, kind) is None:
        raise no_such_key(kind, path)


def refuse(composed: Composed) -> int:
    """Say why there is nothing to show."""
    first = min(composed.diagnostics, key=lambda one: one.severity != "error", default=None)
    complain(first.message if first else "the file holds no spec", first.help if first else None)
    return 2


def _printed(composed: Composed, form: str) -> str:
    if form in SPELLINGS:
        values = plain(effective_tree(composed))
        assert isinstance(values, dict)
        values.pop("extends", None)  # what it brought stands here, and would be applied a second time
        return text_of(without_secrets(values), SPELLINGS[form])
    values = without_secrets(effective_values(composed))
    origins = origin_values(composed, values)
    if form == "json":
        return plain_json(json.dumps({"spec": values, "origins": origins}, ensure_ascii=False, indent=1)) + "\n"
    return "".join(f"{one_line(line)}\n" for line in value_lines(values, origins))


def value_lines(values: dict[str, Any], origins: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    """Each value with the place that it comes from behind it."""
    shown = dict(_leaf_lines(values, ""))
    width = min(60, max((len(f"{path}: {value}") for path, value in shown.items()), default=0))
    for path, value in shown.items():
        origin = origins[path][-1] if path in origins else None
        line = f"{path}: {value}"
        yield f"{line:{width}}  # {place_of(origin)}" if origin else line


def place_of(origin: dict[str, Any]) -> str:
    """Where a value came from: `spec triage.yaml:7:3`."""
    if origin["file"] is None or not origin["line"]:
        return str(origin["layer"])
    if str(origin["file"]).startswith("--"):  # an option of the command line is its own place
        return str(origin["file"])
    return f"{origin['layer']} {origin['file']}:{origin['line']}:{origin['column']}"


def _leaf_lines(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            step = name if name.replace("_", "a").replace("-", "a").isalnum() else f'["{name}"]'
            yield from _leaf_lines(inner, f"{path}.{step}" if path and step == name else f"{path}{step}")
    else:
        yield path, json.dumps(value, ensure_ascii=False)
