"""test: `agentspec test`: play scenarios, and say what did not come out as expected."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click

from agentspec.api.scenarios.exported import scenarios_of
from agentspec.api.scenarios.find import find_scenarios
from agentspec.api.scenarios.play import Played, play_all
from agentspec.api.scenarios.snapshot import update
from agentspec.cli.commands import EXIT_FINDINGS, EXIT_OK
from agentspec.cli.junit import write_junit
from agentspec.cli.terminal.signals import run_until_signal
from agentspec.cli.terminal.told import told
from agentspec.cli.trial import try_specs
from agentspec.cli.usage import Usage
from agentspec.compose.libraries.versions import is_name
from agentspec.syntax.written import REPORT, require_free
from agentspec.text.visible import visible

CORES = os.cpu_count() or 1
NOT_WRITTEN = "      nothing was written: its run did not go as the scenario says"
HELP = """Play scenarios: specs with scripted models, simulated persons, and what must come out.

A scenario runs in a copy of its project's folder, without a network. Folders are walked. Exit code 0: all passed;
1: something did not come out as expected, or a scenario can't be played; 2: there is no scenario.

\b
examples:
  agentspec test .
  agentspec test --filter refuses -j 4 specs/
  agentspec test --junit report.xml audit.scenario.yaml
  agentspec test house --for triage.yaml
  agentspec test --behaviours audit.yaml
"""


@click.command("test", help=HELP)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--filter", "words", metavar="TEXT", default="", help="Only those with this in title, file or name.")
@click.option("--for", "spec", metavar="SPEC", help="Play them against this spec; PATH may name a library of it.")
@click.option("-j", "at_once", type=click.IntRange(1, 64), metavar="N", help="How many are played at once.")
@click.option("--junit", metavar="FILE", help="Write a report for CI, as JUnit has it, to this file.")
@click.option("--update", "is_updated", is_flag=True, help="Write what came out in the place of what was expected.")
@click.option("--allow-python", is_flag=True, help="Let the `python:` rules and tools of the specs run.")
@click.option("--behaviours", "is_trial", is_flag=True, help="Try agents and presets against models that misbehave.")
def command(
    paths: tuple[str, ...],
    words: str,
    spec: str | None,
    at_once: int | None,
    junit: str | None,
    *,
    is_updated: bool,
    allow_python: bool,
    is_trial: bool,
) -> int:
    """Play what the paths stand for; 1 where something has failed."""
    if is_trial and (junit is not None or is_updated or spec is not None):
        raise Usage("`--behaviours` plays no scenarios: `--junit`, `--update` and `--for` don't stand beside it")
    if spec is not None and is_updated:
        raise Usage("`--for` plays scenarios against another spec than theirs: `--update` does not stand beside it")
    if is_trial:
        return try_specs(paths, words, at_once or CORES)
    found = find_scenarios(_files(paths, spec), words, is_updated=is_updated, spec=spec)
    if found.missing:
        raise Usage(f"no such file: {', '.join(f'`{path}`' for path in found.missing)}", _of_library(found.missing))
    if not found.scenarios:
        about = f" with `{words}` in its title or file" if words else ""
        raise Usage(
            f"no scenario{about} in {', '.join(f'`{path}`' for path in paths)}", "a scenario has the key `scenario`"
        )
    if junit is not None:
        require_free(Path(junit), REPORT)
    tell = None if is_updated else _print
    played = run_until_signal(play_all(found.scenarios, at_once or CORES, tell, allow_python=allow_python))
    if is_updated:
        played = _updated(played)
    if junit is not None:
        write_junit(Path(junit), played)
    failed = sum(not each.has_passed for each in played)
    print(f"{len(played) - failed} passed, {failed} failed")
    return EXIT_FINDINGS if failed else EXIT_OK


def _files(paths: tuple[str, ...], spec: str | None) -> Iterator[Path]:
    """The files and folders that the paths stand for: each itself, or the scenarios of a library that the spec uses."""
    for path in paths:
        exported = None if spec is None else scenarios_of(path, spec)
        yield from [Path(path)] if exported is None else exported


def _of_library(missing: tuple[Path, ...]) -> str | None:
    """The way out where a missing path may be meant as the name of a library."""
    names = [path for path in missing if is_name(str(path))]
    return f"scenarios of a library: `agentspec test {names[0]} --for SPEC`, which uses it" if names else None


def _updated(played: list[Played]) -> list[Played]:
    """What is left to mend by hand, once the files say what came out."""
    now = update(played)
    for before, after in zip(played, now, strict=True):
        written = [miss.key for miss in before.misses if miss not in after.misses]
        if written:
            print(visible(f"wrote {', '.join(written)}  ({after.scenario.place})"))
        _print(after)
        if after.is_broken:
            print(NOT_WRITTEN)
    return now


def _print(played: Played) -> None:
    for line in _lines(played):
        print(visible(line), flush=True)


def _lines(played: Played) -> Iterator[str]:
    """One scenario in lines; one that has failed with its run."""
    scenario = played.scenario
    if played.has_passed:
        yield f"pass  {scenario.title}"
        return
    yield f"FAIL  {scenario.title}  ({scenario.place})"
    for line in played.reasons():
        yield f"      {line}"
    if played.records:
        yield "      the run:"
        yield from (f"        {line}" for line in told(played.records))
