"""What a text looks like in its form, and in the DSL's: layout, quotes, order, comments."""

import pytest

from agentspec.syntax import dsl, yaml
from agentspec.syntax.format import convert, format_text
from agentspec.text.source import Source

# An untidy text in YAML, its form, and what it is in the DSL.
FORMS = {
    "sugar gives way to comments": (
        """\
name: a
capability:
  # what it may call
  tools:
    # adds
    add: {parameters: {a: number, b: number}, expr: args.a + args.b}
  toolkits:
    # reads
    - files.read: {root: .}  # here
    - git  # and this
  mcp:  # servers
    gh: {command: [npx, gh]}
""",
        """\
name: a

capability:
  # what it may call
  tools:
    # adds
    add:
      parameters: {a: number, b: number}
      expr: args.a + args.b
  toolkits:
    # reads
    # here
    - files.read: {root: .}
    - git  # and this
  mcp:  # servers
    gh: {command: [npx, gh]}
""",
        """\
agent a {
  capability {
    # what it may call

    # adds
    tool add(a: number, b: number) = args.a + args.b
    # reads
    # here
    toolkit files.read { root: "." }
    toolkit git  # and this
    mcp { gh { command: [npx, gh] } }  # servers
  }
}
""",
    ),
    "parameters with comments": (
        """\
name: a
capability:
  tools:
    f:
      parameters:
        # left
        a: number  # not null
        b: {type: string, default: x, description: The b}
        # more to come
      returns: number
      description: Does it
      # the way
      run: [x]
""",
        """\
name: a

capability:
  tools:
    f:
      description: Does it
      parameters:
        # left
        a: number  # not null
        b: {type: string, default: x, description: The b}
        # more to come
      returns: number
      # the way
      run: [x]
""",
        """\
agent a {
  capability {
    tool f(
      # left
      a: number,  # not null
      b: string = "x" "The b",
      # more to come
    ) -> number "Does it" {
      # the way
      run: [x]
    }
  }
}
""",
    ),
    "rules": (
        """\
name: a
execution:
  loop_control:
    # first
    - when: a  # beside
      stop: true
    - when: b > 1
      # why
      veto: cite
    - {when: c, provider: openai, model: gpt-5}
    - when: "f(x,\\n y)"
      stop: late
      reason: |
        Two
        lines.
    # the end
""",
        """\
name: a

execution:
  loop_control:
    # first
    # beside
    - when: a
      stop: true
    - when: b > 1
      # why
      veto: cite
    - when: c
      provider: openai
      model: gpt-5
    - when: |-
        f(x,
         y)
      stop: late
      reason: |
        Two
        lines.
    # the end
""",
        """\
agent a {
  execution {
    loop_control {
      # first
      # beside
      when a => stop
      when b > 1 => {
        # why
        veto: cite
      }
      when c => { provider: openai  model: gpt-5 }
      when f(x,
 y) => stop late \"\"\"
        Two
        lines.
        \"\"\"
      # the end
    }
  }
}
""",
    ),
    "order": (
        """\
execution: {max_nudges: 1}
extends: [b, c]
description: d
name: a
capability: {tools: {t: {expr: '1', returns: integer, description: d}}}
""",
        """\
name: a
extends: [b, c]

execution:
  max_nudges: 1

description: d

capability:
  tools:
    t: {description: d, returns: integer, expr: "1"}
""",
        """\
agent a extends b, c {
  execution { max_nudges: 1 }

  description: d

  capability {
    tool t() -> integer
      "d"
      = 1
  }
}
""",
    ),
    "strings": (
        """\
name: a
x: [yes, 'no', '1', "1.0", "a: b", 'a #b', '- a', "it's", 'say "x"', "a\\tb", "\\u202e", "é😀", '', ' a', 'x,y', '${a}', '2024-01-02', '12:30', .5, 1e3, 0x1F, 012, ~, True, '*a', 'src/main.py', '30s', '@x', '=', 'a:b']
""",
        """\
name: a

x:
  - "yes"
  - "no"
  - "1"
  - "1.0"
  - "a: b"
  - "a #b"
  - "- a"
  - it's
  - say "x"
  - "a\\tb"
  - "\\u202e"
  - é😀
  - ""
  - " a"
  - x,y
  - ${a}
  - "2024-01-02"
  - "12:30"
  - 0.5
  - 1000.0
  - 31
  - 12
  - null
  - true
  - "*a"
  - src/main.py
  - 30s
  - "@x"
  - "="
  - a:b
""",
        """\
agent a {
  x: [
    yes,
    no,
    "1",
    "1.0",
    "a: b",
    "a #b",
    "- a",
    "it's",
    "say \\"x\\"",
    "a\\tb",
    "\\u202e",
    "é😀",
    "",
    " a",
    "x,y",
    "${a}",
    "2024-01-02",
    "12:30",
    0.5,
    1000.0,
    31,
    12,
    null,
    true,
    "*a",
    "src/main.py",
    30s,
    "@x",
    "=",
    "a:b",
  ]
}
""",
    ),
    "what layers do": (
        """\
name: a
+tags: [x]
model: !unset
execution: !final {max_nudges: 1}
context:
  system: !final |
    Hi.
  +filter: !final [{drop: true}]
""",
        """\
name: a
+tags: [x]
model: !unset

execution: !final
  max_nudges: 1

context:
  system: !final |
    Hi.
  +filter: !final
    - drop: true
""",
        """\
agent a {
  tags += [x]
  unset model

  final execution { max_nudges: 1 }

  context {
    final system: \"\"\"
      Hi.
      \"\"\"
    final filter += [{ drop: true }]
  }
}
""",
    ),
    "types": (
        """\
name: a
inputs:
  a: string?
  b: {enum: [x, y], default: x}
  c: {any_of: [string, {enum: [x, y]}, {items: {fields: {d: 'number[]'}}}], optional: true}
  e: {schema: e.json}
  f: {type: string, description: Shown}
""",
        """\
name: a

inputs:
  a: string?
  b: {enum: [x, y], default: x}
  c:
    any_of:
      - string
      - enum: [x, y]
      - items:
          fields: {d: "number[]"}
    optional: true
  e: {schema: e.json}
  f: {type: string, description: Shown}
""",
        """\
agent a {
  inputs {
    a: string?
    b: "x" | "y" = "x"
    c: (string | "x" | "y" | {d: number[]}[])?
    e: schema "e.json"
    f { type: string  description: Shown }
  }
}
""",
    ),
    "several documents": (
        """\
name: a
# tail of a
---
# head of b
preset: b
---
scenario: t
for: a.yaml
---
library: l
version: 1.2.0
# end
""",
        """\
name: a
# tail of a
---
# head of b
preset: b
---
scenario: t
for: a.yaml
---
library: l
version: 1.2.0
# end
""",
        """\
agent a {
  # tail of a
}

# head of b
preset b { }

scenario "t" for a.yaml { }

library l "1.2.0" {
  # end
}
""",
    ),
}


@pytest.mark.parametrize("case", FORMS)
def test_a_text_has_one_form_in_each_spelling(case):
    untidy, in_yaml, in_dsl = FORMS[case]
    parsed = yaml.parse(Source("x.yaml", untidy))

    assert format_text(parsed) == in_yaml
    assert convert(parsed, "dsl") == in_dsl
    assert format_text(dsl.parse(Source("x.agent", in_dsl))) == in_dsl
    assert convert(dsl.parse(Source("x.agent", in_dsl)), "yaml") == in_yaml
