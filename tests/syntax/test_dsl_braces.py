"""A block that lost its closing brace is told at its own opening one, as long as the indent is truthful."""

import re
from pathlib import Path

import pytest

from agentspec.syntax.read import parse_bytes

ROOT = Path(__file__).parents[2]
TWO_AGENTS = """agent one {
  model { provider: openai }
  execution {
    limits {
      tokens: 100
      tool_calls: 3
    }
    max_nudges: 2
  }
}

agent two {
  model {
    provider: openai
  }
  capability {
    toolkit files.read { root: "." }
    tool calc(a: number) -> number
      "doc"
      = args.a
    tool go(x: string) {
      run: [ls, "${args.x}"]
    }
  }
}
"""
RULES_AND_TEXT = '''preset p {
  execution {
    loop_control {
      when iteration > 3 => {
        stop: incomplete
        reason: "x"
      }
      when iteration > 9 => stop x "y"
    }
    iteration_budget {
      mode: adaptive
      max: 4
    }
  }
}
agent a extends p {
  context {
    system: """
      text { with braces
      """
    history: [
      { role: user, text: "{" },
      {
        role: assistant
        text: "x"
      },
    ]
  }
}
'''
SPECS = {
    **{path.name: path.read_text() for path in sorted((ROOT / "examples").glob("*/*.agent"))},
    "two agents": TWO_AGENTS,
    "rules and text": RULES_AND_TEXT,
}
OPAQUE = r'""".*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*'


def blocks(text: str) -> list[tuple[int, int]]:
    """The places of the braces of each block; those in texts and comments are none."""
    plain = re.sub(OPAQUE, lambda found: re.sub(r"[{}]", "_", found[0]), text, flags=re.DOTALL)
    stack: list[int] = []
    pairs: list[tuple[int, int]] = []
    for at, sign in enumerate(plain):
        if sign == "{":
            stack.append(at)
        elif sign == "}":
            pairs.append((stack.pop(), at))
    return pairs


def alike(text: str, pairs: list[tuple[int, int]], closer: int) -> set[int]:
    """The opening braces whose closing ones stand side by side: without any of them the text is the same."""
    run = next(found for found in re.finditer(r"\}(?: *\})*", text) if found.start() <= closer < found.end())
    return {start for start, end in pairs if run.start() <= end < run.end()}


@pytest.mark.parametrize("text", SPECS.values(), ids=SPECS)
def test_a_block_that_lost_its_brace_is_the_one_finding(text):
    pairs = blocks(text)
    assert pairs
    assert parse_bytes("a.agent", text.encode()).diagnostics == []
    for _, closer in pairs:
        damaged = text[:closer] + text[closer + 1 :]

        found = parse_bytes("a.agent", damaged.encode()).diagnostics

        assert len(found) == 1, (closer, found)
        places = {found[0].span.start, *(other.span.start for other in found[0].related)}
        assert places & alike(text, pairs, closer), (closer, found)
