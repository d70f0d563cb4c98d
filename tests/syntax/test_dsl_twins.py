"""Twins: a document in YAML and in the DSL is one tree."""

from __future__ import annotations

import pytest

from agentspec.syntax import dsl, yaml
from agentspec.syntax.tree import plain, same
from agentspec.text.source import Source

TWINS = {
    "the page's example": (
        """\
name: release-audit
extends: audit
description: Read-only audit of a release branch
inputs:
  branch: {type: string, default: main}
model:
  provider: openai
  model: gpt-5.4-mini
execution:
  iteration_budget: {mode: adaptive, initial: 4, max: 12, extend_by: 2}
  loop_control:
    - when: completion.vetoed
      extend: 2
      reason: completion gate vetoed
    - when: progress.turns_since_progressing > 3
      stop: incomplete
      reason: nothing new for three turns
  require_successful_tools: [read_file, [search_files, list_directory]]
capability:
  toolkits:
    - files.read: {root: .}
  tools:
    calc:
      description: Deterministic arithmetic
      parameters:
        lhs: number
        rhs: number
        op: {enum: [add, sub]}
      returns: number
      expr: 'args.op == "add" ? args.lhs + args.rhs : args.lhs - args.rhs'
context:
  system: |
    You audit the branch ${inputs.branch}. You never edit.
""",
        """\
agent release-audit extends audit {
  description: "Read-only audit of a release branch"
  inputs { branch: string = "main" }
  model { provider: openai  model: "gpt-5.4-mini" }
  execution {
    iteration_budget { mode: adaptive  initial: 4  max: 12  extend_by: 2 }
    loop_control {
      when completion.vetoed => extend 2 "completion gate vetoed"
      when progress.turns_since_progressing > 3 => stop incomplete "nothing new for three turns"
    }
    require_successful_tools: [read_file, [search_files, list_directory]]
  }
  capability {
    toolkit files.read { root: "." }
    tool calc(lhs: number, rhs: number, op: "add" | "sub") -> number
      "Deterministic arithmetic"
      = args.op == "add" ? args.lhs + args.rhs : args.lhs - args.rhs
  }
  context {
    system: \"\"\"
      You audit the branch ${inputs.branch}. You never edit.
      \"\"\"
  }
}
""",
    ),
    "several documents": (
        "name: a\nextends: [b, ./c.yaml]\n---\npreset: b\nexecution: {max_nudges: !final 3}\n---\nname: c\n",
        'agent a extends b, "./c.yaml" { }\npreset b { execution { final max_nudges: 3 } }\nagent c { }\n',
    ),
    "what a layer does to those below": (
        "name: a\n+skills: [x]\nmodel: !unset\nlimits: !final {tokens: 5}\n",
        "agent a { skills += [x]  unset model  final limits { tokens: 5 } }",
    ),
    "a use with inputs": (
        "name: a\nextends:\n  - use: plat.safe\n    with: {budget: 2}\n",
        "agent a { extends: [{ use: plat.safe  with { budget: 2 } }] }",
    ),
    "scalars": (
        "name: a\nv: [0, -1.5, 1e3, true, null, no, 30s, 64KiB, '012', 2024-01-02, '', \"é\\n\", 12345678901234567890]\n",
        'agent a { v: [0, -1.5, 1e3, true, null, no, 30s, 64KiB, "012", "2024-01-02", "", "é\\n", 12345678901234567890] }',
    ),
    "texts": (
        'name: a\nx: |\n  one\n    two\n\n  three\ny: |-\n  one\n  two\nz: ""\n',
        'agent a {\n  x: """\n    one\n      two\n\n    three\n    """\n  y: """\n    one\n    two"""\n  z: ""\n}\n',
    ),
    "empty things": ("name: a\nx: {}\ny: []\nz: [[], {}]\n", "agent a { x { } y: [] z: [[], { }] }"),
    "odd keys": (
        'name: a\nfiles.read: 1\n"a b": 2\n"when": 3\n"true": 4\ntool: 5\n',
        'agent a { files.read: 1 "a b": 2 when: 3 true: 4 tool: 5 }',
    ),
    "types": (
        """\
name: a
inputs:
  a: string
  b: {type: integer, default: 3}
  c: {enum: [x, y], default: x}
  d: string[]?
  e: {items: {enum: [x]}}
  f: {fields: {g: number, h: {any_of: [string, {schema: h.json}]}}}
  i: {enum: [x, y], optional: true}
""",
        """\
agent a {
  inputs {
    a: string  b: integer = 3  c: "x" | "y" = x  d: string[]?  e: ("x")[]
    f: {g: number, h: string | schema "h.json"}  i: ("x" | "y")?
  }
}
""",
    ),
    "a capability": (
        """\
name: a
capability:
  tools:
    now:
      expr: time.now
    list:
      description: Lists a folder
      parameters:
        path: {type: string, description: where}
        depth: {type: integer?, default: 1, description: how deep}
      run: [ls, "${args.path}"]
      timeout: 3s
  toolkits: [git, {files.read: {root: src}}]
  mcp:
    gh: {command: [npx, gh]}
  resources:
    orders: {url: "sqlite:///shop.db", where: row.owner == identity.user}
  skills:
    review: {description: Reviews}
  approval:
    rules:
      - when: tool.effect == "write"
        decision: ask
        reason: it writes
      - {tool: "*", decision: allow}
""",
        """\
agent a {
  capability {
    tool now() = time.now
    tool list(path: string "where", depth: integer? = 1 "how deep") "Lists a folder" {
      run: [ls, "${args.path}"]
      timeout: 3s
    }
    toolkit git
    toolkit files.read { root: src }
    mcp gh { command: [npx, gh] }
    resource orders { url: "sqlite:///shop.db"  where = row.owner == identity.user }
    skill review { description: Reviews }
    approval {
      rules: [{ when = tool.effect == "write", decision: ask  reason: "it writes" }, { tool: "*"  decision: allow }]
    }
  }
}
""",
    ),
    "rules": (
        """\
name: a
r:
  - when: a
    stop: true
  - when: b > 1
    veto: cite
  - when: c
    provider: openai
    model: gpt-5
  - when: d
    claim_tool: [x, y]
    note: z
""",
        """\
agent a {
  r {
    when a => stop
    when b > 1 => veto "cite"
    when c => { provider: openai  model: gpt-5 }
    when d => claim_tool [x, y] { note: z }
  }
}
""",
    ),
    "a library": (
        "library: plat\nversion: 1.2.0\nexports: {presets: [safe]}\n",
        'library plat "1.2.0" { exports { presets: [safe] } }',
    ),
    "a scenario": (
        """\
scenario: audit refuses to edit
for: release-audit.yaml
inputs: {branch: main}
task: Fix the typo in README
model:
  - tool_calls: [{name: edit_file, arguments: {path: README, old_string: a, new_string: b}}]
  - text: I may not edit.
user:
  - {match: "*which branch*", reply: main}
files: {README: "a\\n"}
expect:
  status: done
  tools: {rejected: [edit_file]}
  that: "result.llm.iterations <= 3"
""",
        """\
scenario "audit refuses to edit" for "release-audit.yaml" {
  inputs { branch: main }
  task: "Fix the typo in README"
  model: [
    { tool_calls: [{ name: edit_file  arguments { path: README  old_string: a  new_string: b } }] },
    { text: "I may not edit." }
  ]
  user: [{ match: "*which branch*"  reply: main }]
  files { README: "a\\n" }
  expect {
    status: done
    tools { rejected: [edit_file] }
    that = result.llm.iterations <= 3
  }
}
""",
    ),
}


@pytest.mark.parametrize("case", TWINS)
def test_both_spellings_give_one_tree(case):
    written_in_yaml, written_in_dsl = TWINS[case]

    left = yaml.parse(Source("x.yaml", written_in_yaml))
    right = dsl.parse(Source("x.agent", written_in_dsl))

    assert [one.code for one in (*left.diagnostics, *right.diagnostics)] == []
    assert [plain(each.root) for each in left.documents] == [plain(each.root) for each in right.documents]
    assert all(same(a.root, b.root) for a, b in zip(left.documents, right.documents, strict=True))
