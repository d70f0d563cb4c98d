"""The DSL spelling: what a valid text means, and where each part of it stands."""

from __future__ import annotations

from agentspec.syntax.dsl import parse
from agentspec.syntax.tree import Document, find, plain
from agentspec.text.source import Source

PAGE = '''\
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
    system: """
      You audit the branch ${inputs.branch}. You never edit.
      """
  }
}
'''


def documents(text: str) -> list[Document]:
    parsed = parse(Source("x.agent", text))
    assert parsed.diagnostics == []
    return parsed.documents


def test_the_page_example_means_what_its_yaml_twin_means():
    (document,) = documents(PAGE)

    assert plain(document.root) == {
        "name": "release-audit",
        "extends": "audit",
        "description": "Read-only audit of a release branch",
        "inputs": {"branch": {"type": "string", "default": "main"}},
        "model": {"provider": "openai", "model": "gpt-5.4-mini"},
        "execution": {
            "iteration_budget": {"mode": "adaptive", "initial": 4, "max": 12, "extend_by": 2},
            "loop_control": [
                {"when": "completion.vetoed", "extend": 2, "reason": "completion gate vetoed"},
                {
                    "when": "progress.turns_since_progressing > 3",
                    "stop": "incomplete",
                    "reason": "nothing new for three turns",
                },
            ],
            "require_successful_tools": ["read_file", ["search_files", "list_directory"]],
        },
        "capability": {
            "toolkits": [{"files.read": {"root": "."}}],
            "tools": {
                "calc": {
                    "description": "Deterministic arithmetic",
                    "parameters": {"lhs": "number", "rhs": "number", "op": {"enum": ["add", "sub"]}},
                    "returns": "number",
                    "expr": 'args.op == "add" ? args.lhs + args.rhs : args.lhs - args.rhs',
                }
            },
        },
        "context": {"system": "You audit the branch ${inputs.branch}. You never edit.\n"},
    }
    assert not document.has_broken


def test_a_value_knows_its_exact_place():
    (document,) = documents(PAGE)

    node = find(document.root, ("execution", "loop_control", 1, "when"))

    assert node is not None
    assert node.span.text == "progress.turns_since_progressing > 3"
    assert (node.span.first, node.span.last) == ((11, 12), (11, 48))
