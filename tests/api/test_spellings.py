"""Every toolkit with every option, in both spellings: nothing waits to take effect, and both do the same."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agentspec import load, run
from agentspec.cli.main import main

SPEC = """
name: all
task: go
model: {provider: script, options: {file: s.yaml}}
execution: {tool_retries: 1, tool_backoff: 10ms, max_concurrent_tools: 4}
capability:
  identity: {user: ada, roles: [admin], tenant: t1}
  components: {Item: {type: object, properties: {n: {type: integer}}, required: [n]}}
  progress_tool: true
  toolkits:
    - files.read:
        root: .
        enabled: [read_file, read_file_tail, list_directory, search_files, find_files, file_outline]
        names: {read_file: cat_file}
        descriptions: {list_directory: Lists}
        namespace: files
        defer: false
        max_matches: 5
        max_line_bytes: 1KiB
        exclude: ["*.log"]
    - files.edit: {root: ., disabled: [delete_path], names: {write_file: put_file}, namespace: files, defer: false}
    - command:
        root: .
        allow: [[echo], [seq], [tail]]
        allow_else: deny
        shell: true
        env: [CI]
        max_inline: 4KiB
        background_after: 5s
        progress_interval: 1s
        progress_max_inline: 1KiB
        preserve_filtered_output: true
        namespace: run
        defer: false
        names: {run_command: go}
        descriptions: {run_command: Goes}
        disabled: [cancel_command]
    - git: {repo: ., mutations: true, enabled: [git_log, git_add], names: {git_log: log}, namespace: git, defer: false}
    - git.compact: {repo: ., mutations: false, descriptions: {find_git_tool: Finds}}
    - web.fetch: {hosts: [localhost], private: true, names: {fetch: get_page}}
    - text: {enabled: [count_chars, sha256]}
    - math
    - json: {namespace: data, disabled: [json_merge]}
    - time
    - todo
    - scratch: {names: {scratch_write: jot}}
    - ask_user: {timeout: 100ms, descriptions: {ask_user: Asks}}
  tools:
    add:
      description: a
      parameters: {lhs: number, rhs: number}
      returns: number
      expr: args.lhs + args.rhs
      examples: [{args: {lhs: 1, rhs: 2}, result: 3}]
      idempotent: true
      effect: none
      kind: think
      timeout: 5s
      namespace: sums
    who: {description: w, run: [echo, "${identity.user}"], concurrent: true, network: false}
    whole:
      description: s
      parameters:
        schema: {type: object, properties: {item: {$ref: "#/components/schemas/Item"}}, required: [item]}
      expr: string(args.item.n)
      returns: string
"""
TURNS = """
- tool_calls:
    - {id: a, name: cat_file, arguments: {path: a.txt}}
    - {id: b, name: add, arguments: {lhs: 1, rhs: 2}}
    - {id: c, name: find_git_tool, arguments: {query: log}}
    - {id: d, name: count_chars, arguments: {text: abc}}
    - {id: e, name: calc, arguments: {expression: 1/3}}
    - {id: f, name: json_get, arguments: {document: {a: 1}, pointer: /a}}
    - {id: g, name: todo_write, arguments: {items: [{task: x}]}}
    - {id: h, name: jot, arguments: {name: n, text: t}}
    - {id: i, name: whole, arguments: {item: {n: 3}}}
    - {id: j, name: report_progress, arguments: {message: Halfway}}
- tool_calls:
    - {id: k, name: put_file, arguments: {path: b.txt, content: b}}
- tool_calls:
    - {id: l, name: go, arguments: {argv: [rm, a.txt]}}
    - {id: m, name: who, arguments: {}}
- tool_calls: [{id: n, name: ask_user, arguments: {question: Why?}}]
- text: done
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for name, text in (("all.yaml", SPEC), ("s.yaml", TURNS), ("a.txt", "hello\n")):
        (tmp_path / name).write_text(text)
    assert main(["convert", str(tmp_path / "all.yaml"), "--to", "dsl", "-o", str(tmp_path / "all.agent")]) == 0
    return tmp_path


def done(path: Path) -> tuple[str, str, list[tuple[str, str, str]]]:
    (path.parent / "b.txt").unlink(missing_ok=True)
    result: Any = asyncio.run(run(path, trace=True))
    lines = [line for line in result.trace if line["kind"] == "result"]
    return result.status, result.stop_reason, [(line["name"], line["status"], line["text"]) for line in lines]


def test_both_spellings_check_and_do_the_same(place: Path) -> None:
    specs = [load(place / name) for name in ("all.yaml", "all.agent")]
    as_yaml, as_dsl = done(place / "all.yaml"), done(place / "all.agent")

    assert [spec.diagnostics for spec in specs] == [[], []]
    assert specs[0].hash == specs[1].hash
    assert as_yaml == as_dsl
    assert as_yaml[:2] == ("suspended", "input")
    assert [(name, status) for name, status, _ in as_yaml[2] if status != "ok"] == [("go", "denied")]
    assert len(as_yaml[2]) == 13
