"""authority: the command `agentspec authority`: what a spec may do in the end, and what another one may do more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from agentspec.api.authority import authority, authority_diff
from agentspec.cli.commands import EXIT_FINDINGS, EXIT_OK, EXIT_USAGE
from agentspec.cli.runs import form_options
from agentspec.cli.show import spec_options
from agentspec.cli.terminal.say import complain, print_json
from agentspec.cli.usage import Usage
from agentspec.text.visible import one_line

HELP = """Tell what a spec may do in the end: its tools, effects, folders, hosts, commands, secrets and bounds.

What its ceiling forbids is left out; where only a run can tell, the most is assumed, and `*` is anything. With a second
spec, or with `--diff`, it tells what changes from the one to the other: `+` may be done in addition, `-` no more.

\b
examples:
  agentspec authority triage.yaml
  agentspec authority triage.yaml triage-2.yaml
  agentspec authority triage.yaml --diff HEAD~1 --check
"""


@click.command("authority", help=HELP)
@click.argument("spec")
@click.argument("other", metavar="[SPEC2]", required=False)
@click.option("--diff", "base", metavar="REV|SPEC", help="Compare with this revision of git, or this spec, before it.")
@click.option(
    "--check", "is_gate", is_flag=True, help="Exit 1 where the comparison is wider, 2 where errors leave that unknown."
)
@form_options
@spec_options
def command(
    spec: str, other: str | None, base: str | None, form: str, *, is_gate: bool, as_json: bool, **given: Any
) -> int:
    """Print the rights, or their difference; 2 where there is no spec."""
    if other is not None and base is not None:
        raise Usage("`--diff` and a second spec are two ways to say the same", "give one of them")
    before, after = (base, spec) if other is None else (spec, other)
    if before is None and is_gate:
        raise Usage("`--check` needs something to compare with", "name a second spec, or `--diff REV`")
    found = authority(spec, **given) if before is None else authority_diff(before, after, **given)
    if as_json or form == "json":
        print_json(found)
    else:
        for line in _single(found) if before is None else _compared(found):
            print(one_line(line))
    broken = [found[side]["spec"] for side in ("spec", "a", "b") if found.get(side, {}).get("errors")]
    for name in broken:
        complain(f"`{name}` has errors: what it may do there is unknown and not told here", "see `agentspec check`")
    if not (is_gate and found["wider"]):
        return EXIT_OK
    return EXIT_USAGE if broken else EXIT_FINDINGS


def _single(found: dict[str, Any]) -> Iterator[str]:
    kinds = {kind: named for kind, named in found.items() if isinstance(named, dict) and kind != "spec"}
    yield f"{found['spec']['name'] or found['spec']['spec']}: what it may do"
    for kind, named in kinds.items():
        if not named:
            yield f"{kind}: none"
            continue
        yield f"{kind}:"
        lines = [(_line(name, right), right) for name, right in named.items()]
        width = min(60, max(len(line) for line, _ in lines))
        yield from (f"  {line:{width}}  # {_place(right)}" for line, right in lines)
    yield f"sandbox: {found['sandbox']}"


def _line(name: str, right: dict[str, Any]) -> str:
    is_layer = (
        name.startswith("layer ") and right.get("decision") == "deny"
    )  # it asks nobody, and may let a call through
    return name if is_layer else f"{name}{_said(right, ': ')}"


def _said(right: dict[str, Any], before: str = "") -> str:
    """What is known of a right beside its name: a bound's value, a tool's effect, what becomes of its calls."""
    if "value" in right:
        return f"{before}{json.dumps(right['value'], ensure_ascii=False)}"
    words = [right["effect"] or "unknown effect"] if "effect" in right else []
    words += [right["decision"]] if "decision" in right else []
    return f" ({', '.join(words)})".removeprefix("" if before else " ") if words else ""


def _place(right: dict[str, Any]) -> str:
    return f"{right['path']} {right['file']}:{right['line']}:{right['column']}"


def _compared(found: dict[str, Any]) -> Iterator[str]:
    sides = [
        f"{found[side]['spec']}{' at ' + found[side]['revision'] if 'revision' in found[side] else ''}" for side in "ab"
    ]
    is_unknown = found["a"]["errors"] or found["b"]["errors"]
    verdict = "perhaps wider, since there are errors" if is_unknown else "wider" if found["wider"] else "not wider"
    yield f"{sides[0]} → {sides[1]}: {verdict}"
    yield from changed_lines(found)
    if not (found["more"] or found["less"] or found["sandbox"] or is_unknown):
        yield "nothing changes"


def changed_lines(found: dict[str, Any]) -> Iterator[str]:
    """A line for each right that is more (`+`) or less (`-`) than before."""
    for sign, key in (("+", "more"), ("-", "less")):
        for each in found[key]:
            right = each["b"] or each["a"]
            yield f"{sign} {each['kind']}: {_sides(each)}  # {_place(right)}"
    if found["sandbox"]:
        yield f"sandbox: {found['sandbox']['a']} → {found['sandbox']['b']}"


def _sides(change: dict[str, Any]) -> str:
    kind, name, before, after = change["kind"], change["name"], change["a"], change["b"]
    if kind in ("gates", "limits", "ceiling", "reach") and (before is None or after is None):
        return f"{_line(name, before or after)} is {'new' if before is None else 'gone'}"
    if before is None or after is None:
        return _line(name, before or after)
    return f"{_line(name, before)} → {_said(after)}"
