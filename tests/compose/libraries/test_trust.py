"""A library holds data and expressions; what more it does is told, unless the spec trusts it by name."""

from __future__ import annotations

import pytest

OUTSIDE = "reaches outside of the project"
DATABASE = "capability: {resources: {o: {url: '%s', table: o, verbs: [get]}}}"
POWERS = {
    "a program": ("capability: {tools: {lint: {description: L, run: [ruff], effect: process}}}", "starts programs"),
    "the toolkit of programs": ("capability: {toolkits: [command: {allow: [[pytest]]}]}", "starts programs"),
    "a server": ("capability: {mcp: {s: {command: [serve]}}}", "starts programs"),
    "a gate that is a program": ("execution: {verify_completion: {command: [make]}}", "starts programs"),
    "Python": ("capability: {tools: {t: {description: T, python: 'm:f', effect: none}}}", "runs Python"),
    "a variable": ("model: {api_key_env: HOUSE_KEY}", "reads the environment"),
    "a variable in a text": ("task: 'As ${env.USER}'", "reads the environment"),
    "a server of its own": (
        "model: {provider: openai, base_url: 'https://example.org/v1'}",
        "has the model asked at a server of its choice",
    ),
    "no wall": ("capability: {sandbox: none}", "takes the wall around programs away"),
    "a root outside": ("capability: {toolkits: [files.read: {root: ../other}]}", "reaches outside of the project"),
    "a root that leads out": ("capability: {toolkits: [files.read: {root: a/../../other}]}", OUTSIDE),
    "a folder outside": ("capability: {approval: {external_roots: [/srv]}}", OUTSIDE),
    "a script's file": ("model: {provider: script, options: {file: /srv/x.yaml}}", OUTSIDE),
    "weights": ("model: {provider: local, model: /srv/x.gguf}", OUTSIDE),
    "weights of another try": ("model: {fallback: ['local:../x.gguf']}", OUTSIDE),
    "a database of the machine": (DATABASE % "sqlite:////srv/x.db", OUTSIDE),
    "a database beside the project": (DATABASE % "sqlite:///../x.db", OUTSIDE),
    "a database by another driver": (DATABASE % "sqlite+pysqlite:///../x.db", OUTSIDE),
    "a database as an address": (DATABASE % "sqlite:///file:%2Fsrv/x.db?uri=true", OUTSIDE),
    "an agent of its own": (
        "capability: {tools: {t: {description: T, agent: ./a.yaml}}}",
        "calls agents of its own",
    ),
}
DATA = {
    "an expression": "capability: {tools: {one: {description: O, expr: '1', returns: number}}}",
    "reading": "capability: {toolkits: [files.read: {root: .}, text, math]}",
    "a database of the project": DATABASE % "sqlite:///data/x.db",
    "a database in memory": DATABASE % "sqlite://",
    "a script of the project": "model: {provider: script, options: {file: turns.yaml}}",
    "a model with a slash": "model: {provider: openai, model: house/big}",
    "a bound": "execution: {limits: {tokens: 10}}",
    "a rule": "capability: {approval: {rules: [{command: [git, push], decision: deny}]}}",
}
WITH_TRUST = (
    'name: triage\nuse: {platform: {source: ./platform, version: "^1"}}\nextends: platform.safe\ntrust: [platform]\n'
)


def told(project) -> list[str]:
    return [found for found in project.findings() if found.startswith("AS455")]


@pytest.mark.parametrize(("part", "words"), POWERS.values(), ids=POWERS)
def test_what_a_library_does_beyond_holding_data_is_told(project, part, words) -> None:
    project.put("platform/presets/safe.yaml", f"preset: safe\n{part}\n")
    project.lock(accept_changed=True)

    [found] = told(project)
    assert found.startswith(f"AS455 triage.yaml:2:26 `platform` {words}, and this spec does not trust it to (")
    assert "platform/presets/safe.yaml:2:" in found


@pytest.mark.parametrize("part", [part for part, _ in POWERS.values()], ids=POWERS)
def test_a_spec_may_trust_a_library(project, part) -> None:
    project.put("platform/presets/safe.yaml", f"preset: safe\n{part}\n")
    project.put("triage.yaml", WITH_TRUST)
    project.lock(accept_changed=True)

    assert told(project) == []


@pytest.mark.parametrize("part", DATA.values(), ids=DATA)
def test_data_needs_no_trust(project, part) -> None:
    project.put("platform/presets/safe.yaml", f"preset: safe\n{part}\n")
    project.lock(accept_changed=True)

    assert told(project) == []


def test_a_need_is_not_trusted_because_what_needs_it_is(project) -> None:
    project.put(
        "platform/library.yaml",
        "library: platform\nversion: 1.5.0\nexports: {presets: [safe]}\n"
        'requires: {libraries: {base: {source: ../base, version: "^1"}}}\n',
    )
    project.put("platform/presets/safe.yaml", "preset: safe\nextends: base.low\n")
    project.put("base/library.yaml", "library: base\nversion: 1.0.0\nexports: {presets: [low]}\n")
    project.put("base/presets/low.yaml", "preset: low\nmodel: {api_key_env: KEY}\n")
    project.put("triage.yaml", WITH_TRUST)
    assert project.lock() == []

    [found] = told(project)
    assert found.startswith("AS455 triage.yaml:2:26 `base` reads the environment")
