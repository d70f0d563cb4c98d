"""workspaces: small folders in which everything that has a name is named from everywhere that it can be, both spellings."""

from __future__ import annotations

from pathlib import Path

from agentspec.api.libraries.lock import lock_libraries
from agentspec.syntax.format import Form, convert
from agentspec.syntax.read import parse
from agentspec.text.source import Source

LIBRARY = """\
library: house
version: 1.0.0
exports: {presets: [safe], tools: [sums], skills: [review], prompts: [tone]}
"""
SAFE = """\
preset: safe
inputs:
  folder: {type: string, default: .}
  depth: {type: integer, default: 3}
execution: {max_iterations: "${inputs.depth}"}
capability:
  toolkits:
    - files.read: {root: "${inputs.folder}", names: {read_file: look}}
context: {system: "You may look into ${inputs.folder}."}
"""
SUMS = """\
preset: sums
capability:
  tools:
    calc: {description: Adds., parameters: {lhs: number, rhs: number?}, returns: number, expr: "args.lhs + args.?rhs.orValue(0.0)"}
"""
SKILL = "---\nname: review\ndescription: Reviews.\n---\nLook twice.\n"
DESK = """\
name: desk
use: {plat: {source: ./house, version: "^1.0"}}
trust: [plat]
extends:
  - use: plat.safe
    with: {folder: ., depth: 5}
  - plat.sums
  - {use: ./base.yaml, with: {depth: "${inputs.most}"}}
inputs:
  who: {type: string, default: Ada}
  most: {type: integer, default: 3}
model:
  provider: script
  options: {turns: [{tool_calls: [{name: calc, arguments: {lhs: 1}}]}, {text: done}]}
  routes:
    - {label: cheap, provider: script, when: "false", options: {turns: [{text: a}]}}
    - {label: main, provider: script, options: {turns: [{text: b}]}}
  fallback: [cheap]
execution:
  require_successful_tools: [calc, [echo, find_rows]]
  loop_control:
    - {when: "'echo' in turn.successful_tool_names", stop: incomplete, reason: enough}
  post_turn:
    - {when: "tool_results.exists(r, r.name == 'calc')", stop: incomplete, reason: enough}
capability:
  components:
    Count: {type: integer}
  tools:
    calc: {timeout: 3s}
    echo:
      description: Says it.
      parameters: {word: string, times: {schema: {$ref: "#/components/Count"}}}
      run: [echo, "${args.word}", "${args.times}", "${inputs.who}"]
      effect: process
      examples: [{args: {word: hi, times: 1}, result: hi}]
    ask: {description: Asks another., agent: other.agent#second}
    find_rows: {description: Finds., parameters: {text: string}, mcp: tickets/find}
  mcp:
    tickets: {command: [tickets], allow: [find]}
  resources:
    orders:
      url: "${env.DATABASE_URL}"
      table: orders
      verbs: [get, search]
      columns: {read: [id]}
  skills:
    review: plat.review
    careful: {description: Careful., prompt: Be careful., allowed_tools: [echo, tickets__find, get_orders], mcp: [tickets]}
  approval:
    rules:
      - {tool: echo, when: "args.word == 'rm'", decision: deny, reason: no}
      - {mcp: tickets, decision: ask}
  permissions:
    allow: [{tool: echo, args: {word: "h*"}}, calc, look]
context:
  system: {file: prompt.md}
  prompts: {compaction.summary: {file: plat.tone}}
  history:
    - {role: user, content: "Hello, ${inputs.who}"}
    - {role: assistant, tool_calls: [{name: echo, arguments: {word: x, times: 1}, id: c1}]}
    - {role: tool_result, call_id: c1, content: ok}
  filter: [{when: "message.tool == 'echo'", drop: true}]
"""
PROMPT = "You help ${inputs.who}; \U0001f600 ${inputs.who}.\n"
BASE = """\
preset: base
inputs: {depth: integer}
execution: {max_nudges: "${inputs.depth}"}
"""
SCENARIO = """\
scenario: it adds
for: desk.yaml
inputs: {who: "Eve"}
set: ["capability.tools.echo.timeout=3s"]
task: Add.
approve: [{tool: echo, decision: allow}]
model:
  - tool_calls: [{name: echo, arguments: {word: hi, times: 1}}, {name: tickets__find, arguments: {}}, {name: get_orders, arguments: {id: 1}}]
  - text: Done.
tool_results:
  - {name: echo, arguments: {word: hi, times: 1}, text: hi}
  - {name: tickets__find, text: none}
expect:
  tools: {successful: [echo], not_called: [calc, look]}
  events: [{kind: tool_result, name: echo}]
  that: ["'echo' in result.tools.calls"]
"""
OTHER = """\
agent helper extends team {
  inputs { topic: string = "sums" }
  capability {
    tool calc(lhs: number) -> number "Adds." = args.lhs + 1.0
    tool boss() { agent: second  description: "Asks the second." }
  }
  context { system: "About ${inputs.topic}." }
}

agent second {
  execution { stop_after_successful_tools: [shout] }
  model {
    provider: script
    options: { turns: [{ tool_calls: [{ name: shout, arguments: { loud: "x" } }] }, { text: "a" }] }
  }
  capability {
    tool shout(loud: string) "Shouts." { run: ["echo", "${args.loud}"]  effect: process }
    approval { rules { when tool.name == "shout" && args.loud == "x" => decision deny "no" } }
  }
}

preset team {
  capability {
    toolkit files.read { names: { read_file: peek } }
    approval { rules: [{ tool: peek, decision: allow }] }
  }
  model { provider: script  options: { turns: [{ text: "b" }] } }
}

scenario "it shouts" for second {
  task: "Go."
  model: [{ tool_calls: [{ name: shout, arguments: { loud: "y" } }] }, { text: "c" }]
  expect { that: ["result.tools.successful.exists(t, t == 'shout')"]  tools: { calls: [shout] } }
}

scenario "it helps" for helper {
  inputs: { topic: "tea" }
  task: "Go."
  model: [{ tool_calls: [{ name: boss, arguments: {} }] }, { text: "c" }]
  tool_results: [{ name: boss, text: "d" }]
  expect { tools: { successful: [boss] } }
}
"""
WORKSPACE = {
    "house/library.yaml": LIBRARY,
    "house/presets/safe.yaml": SAFE,
    "house/tools/sums.yaml": SUMS,
    "house/skills/review/SKILL.md": SKILL,
    "house/prompts/tone.md": "Sum up.\n",
    "desk.yaml": DESK,
    "prompt.md": PROMPT,
    "base.yaml": BASE,
    "desk.scenario.yaml": SCENARIO,
    "other.agent": OTHER,
}


def put(folder: Path, texts: dict[str, str]) -> None:
    """The texts as the files of a folder, its library locked."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert [one for one in lock_libraries(folder).findings if one.severity == "error"] == []


def spelled(form: Form) -> dict[str, str]:
    """The workspace with all specs in one spelling; JSON holds one document a file, so that the DSL's stay theirs."""
    ending = SUFFIXES[form]
    found = {}
    for name, text in WORKSPACE.items():
        if name.endswith(".md") or (form == "json" and name.endswith(".agent")):
            found[name] = text
            continue
        new = convert(parse(Source(name, text)), form)
        for other in ("base.yaml", "desk.yaml"):
            new = new.replace(other, other.replace(".yaml", ending))
        found[name.rpartition(".")[0] + ending] = new
    return found


SUFFIXES: dict[Form, str] = {"dsl": ".agent", "json": ".json"}
