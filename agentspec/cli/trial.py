"""trial: `agentspec test --behaviours`: try agents and presets against models that behave badly in known ways."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from agentspec.api.scenarios.behaviours import Tried, behaviours, find_candidates, trials_of, try_all
from agentspec.cli.commands import EXIT_FINDINGS, EXIT_OK
from agentspec.cli.terminal.progress import counted
from agentspec.cli.terminal.signals import run_until_signal
from agentspec.cli.usage import Usage
from agentspec.text.visible import visible


def try_specs(paths: tuple[str, ...], words: str, at_once: int) -> int:
    """Try what the paths stand for, and has `words` in the name of its spec or of the behaviour; 1 where a run does not
    end as it should.
    """
    found, missing = find_candidates(map(Path, paths))
    if missing:
        raise Usage(f"no such file: {', '.join(f'`{path}`' for path in missing)}")
    if not found:
        raise Usage(f"no agent and no preset in {', '.join(f'`{path}`' for path in paths)}")
    trials = trials_of(found, words)
    if not trials:
        listed = ", ".join(f"`{each.name}`" for each in behaviours())
        raise Usage(f"no agent, preset or behaviour is called `{words}` in part", f"the behaviours are {listed}")
    heads: set[str] = set()
    tried = run_until_signal(try_all(trials, at_once, partial(_print, heads)))
    failed = sum(not each.has_passed for each in tried)
    print(f"{len(tried) - failed} passed, {failed} failed")
    return EXIT_FINDINGS if failed else EXIT_OK


def _print(heads: set[str], tried: Tried) -> None:
    """One trial, below the name of its spec, which is one of the `heads` from then on."""
    if tried.spec not in heads:
        heads.add(tried.spec)
        print(visible(tried.spec), flush=True)
    for line in _lines(tried):
        print(visible(line), flush=True)


def _lines(tried: Tried) -> Iterator[str]:
    name = tried.behaviour.name
    result = tried.result
    mark = "pass" if tried.has_passed else "FAIL"
    end = ""
    if result is not None:
        end = f"{result.status} ({result.stop_reason}) after {counted(result.llm.iterations, 'turn')}"
    yield f"  {mark}  {name:20} {end}".rstrip()
    if tried.problem:
        yield from (f"        {line}" for line in tried.problem.splitlines())
