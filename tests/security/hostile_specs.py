"""Specs that want to hang, fill, crash or betray whoever reads them; part by part, with how many there are of each.

A spec is text, or bytes, or `name: content` for several files (`spec.yaml` or `spec.agent` is the one that is checked).
"""

from collections.abc import Iterator
from typing import NamedTuple


class Hostile(NamedTuple):
    """A spec, and the code that refuses it; without one it loads, with warnings at most."""

    part: str
    name: str
    spec: str | bytes | dict[str, str | bytes]
    code: str = ""


COUNTS = {
    "alias bombs": 6,
    "merge bombs": 4,
    "depth": 10,
    "size": 6,
    "duplicate keys": 6,
    "tags": 10,
    "odd scalars": 14,
    "encodings": 8,
    "several documents": 3,
    "anchors": 6,
    "unknown keys": 20,
    "wrong types": 40,
    "agents in a circle": 5,
    "missing tools": 10,
    "budgets": 12,
    "templates and expressions": 12,
    "regular expressions": 8,
    "paths": 20,
    "secrets": 6,
    "texts that turn": 4,
}
DEEP = 5_000
# Mappings with keys of their own: a mapping of others is of the right type.
KEYED = ("execution.limits", "model.retry", "capability.tools", "capability.ceiling", "observability.redact")
HUGE = 4 * 1024 * 1024 + 1


def _bomb(levels: int, width: int, item: str = "*a{0}", opening: str = "[", closing: str = "]") -> str:
    """Each level says the one below `width` times."""
    lines = ["a0: &a0 {x: 1}" if opening == "{" else "a0: &a0 [x]"]
    for level in range(1, levels + 1):
        inside = ", ".join([item.format(level - 1)] * width)
        lines.append(f"a{level}: &a{level} {opening}{inside}{closing}")
    return "\n".join(lines) + "\n"


def _merge_bomb(levels: int, width: int) -> str:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * width)}]}}" for n in range(1, levels + 1)]
    return "\n".join(lines) + "\n"


def bombs() -> Iterator[Hostile]:
    for levels, width in ((9, 9), (30, 2), (5, 40), (3, 400)):
        yield Hostile("alias bombs", f"{width} aliases on {levels} levels", "name: a\n" + _bomb(levels, width), "AS004")
    yield Hostile("alias bombs", "an alias within its own anchor", "name: a\nx-a: &a [*a]\n", "AS009")
    yield Hostile(
        "alias bombs",
        "texts instead of lists",
        "name: a\nx-t: &t " + "y" * 9000 + "\nx-u: [" + "*t, " * 9000 + "]\n",
        "AS004",
    )
    for levels, width in ((8, 8), (20, 3), (4, 60)):
        yield Hostile(
            "merge bombs", f"{width} merges on {levels} levels", "name: a\n" + _merge_bomb(levels, width), "AS004"
        )
    yield Hostile("merge bombs", "a merge of itself", "name: a\nx-a: &a {<<: *a}\n", "AS009")


def depths() -> Iterator[Hostile]:
    yield Hostile("depth", "lists in a line", "name: a\nx-a: " + "[" * DEEP + "]" * DEEP + "\n", "AS004")
    yield Hostile("depth", "lists that are not closed", "name: a\nx-a: " + "[" * DEEP + "\n", "AS004")
    yield Hostile("depth", "mappings in a line", "name: a\nx-a: " + "{a: " * DEEP + "1" + "}" * DEEP + "\n", "AS004")
    yield Hostile("depth", "mappings in blocks", "\n".join(" " * n + "a:" for n in range(600)) + "\n", "AS004")
    yield Hostile("depth", "lists in blocks", "x-a:\n" + "- " * DEEP + "1\n", "AS004")
    yield Hostile("depth", "explicit keys", "? " * DEEP + "a\n", "AS004")
    yield Hostile("depth", "JSON", {"spec.json": '{"name": "a", "x-a": ' + "[" * DEEP + "]" * DEEP + "}"}, "AS004")
    yield Hostile(
        "depth", "blocks of the DSL", {"spec.agent": "agent a {\n" + "x-a { " * DEEP + "}" * DEEP + "\n}\n"}, "AS004"
    )
    yield Hostile(
        "depth", "lists of the DSL", {"spec.agent": "agent a { x-a: " + "[" * DEEP + "]" * DEEP + " }\n"}, "AS004"
    )
    yield Hostile("depth", "types", "name: a\ninputs: {i: {type: 'string" + "[]" * 3000 + "'}}\n", "AS212")


def sizes() -> Iterator[Hostile]:
    yield Hostile("size", "a file of more than 4 MiB", "name: a\n#" + "x" * HUGE, "AS004")
    yield Hostile(
        "size", "a file of more than 4 MiB in the DSL", {"spec.agent": "agent a { }\n#" + "x" * HUGE}, "AS004"
    )
    yield Hostile("size", "a list of a million", "name: a\nx-a: [" + "1," * 1_000_000 + "]\n", "AS004")
    yield Hostile("size", "a mapping of 200 000", "name: a\n" + "".join(f"x-{n}:\n" for n in range(200_000)), "AS004")
    yield Hostile(
        "size",
        "a number of a million digits",
        "name: a\nexecution: {max_iterations: " + "9" * 1_000_000 + "}\n",
        "AS016",
    )
    yield Hostile("size", "a name of a million letters", "name: " + "a" * 1_000_000 + "\n")


def structures() -> Iterator[Hostile]:
    rows = {
        "at the top": "name: a\nname: b\n",
        "in a section": "name: a\nexecution: {max_nudges: 1, max_nudges: 2}\n",
        "a section": "name: a\nmodel: {}\nmodel: {}\n",
        "quoted": 'name: a\n"name": b\n',
        "of a tool": "name: a\ncapability: {tools: {t: {expr: '1'}, t: {expr: '2'}}}\n",
    }
    yield from (Hostile("duplicate keys", name, text, "AS005") for name, text in rows.items())
    yield Hostile("duplicate keys", "in the DSL", {"spec.agent": 'agent a { task: "a" task: "b" }\n'}, "AS005")
    tags = (
        "!!python/object/apply:os.system ['touch made']",
        "!!python/object/new:subprocess.Popen [[touch, made]]",
        "!!python/name:os.system",
        "!!python/module:made",
        "!!python/tuple [1]",
        "!include made.yaml",
        "!<tag:yaml.org,2002:python/object:os.system> x",
        "!!binary bWFkZQ==",
        "!ruby/object:Gem::Installer {}",
        "!!js/function 'made()'",
    )
    yield from (Hostile("tags", tag.partition(" ")[0], f"name: a\nx-a: {tag}\n", "AS010") for tag in tags)
    yield Hostile("several documents", "of one name", "name: a\n---\nname: a\n", "AS019")
    yield Hostile("several documents", "and an end before", "...\n---\nname: a\n...\n---\n")
    yield Hostile("several documents", "ten thousand", "name: a\n" + "---\n- x\n" * 10_000, "AS004")
    anchors = {
        "an alias of nothing": ("x-a: *b\n", "AS007"),
        "an anchor again": ("x-a: &b 1\nx-c: &b 2\n", "AS008"),
        "an alias as a key": ("? *b\n: 1\n", "AS011"),
        "an alias before its anchor": ("x-a: *b\nx-c: &b 1\n", "AS007"),
        "a merge of a text": ("x-a: &b text\nmodel: {<<: *b}\n", "AS022"),
        "a thousand anchors": ("".join(f"x-{n}: &n{n} {n}\n" for n in range(1000)), ""),
    }
    yield from (Hostile("anchors", name, f"name: a\n{text}", code) for name, (text, code) in anchors.items())


def scalars() -> Iterator[Hostile]:
    rows = {
        "no": ("execution: {loop_until_done: no}", "AS210"),
        "NO for a text": ("inputs: {c: {type: string, default: NO}}\ncontext: {system: '${inputs.c}'}", ""),
        "on as a key": ("on: 1", "AS102"),
        "an octal number": ("execution: {max_nudges: 010}", ""),
        "0o17": ("execution: {max_nudges: 0o17}", ""),
        "12:30:45": ("execution: {max_iterations: 12:30:45}", "AS201"),
        "a date": ("execution: {max_iterations: 2024-02-30}", "AS201"),
        "=": ("model: {temperature: =}", "AS201"),
        ".nan": ("model: {temperature: .nan}", "AS016"),
        ".inf": ("execution: {limits: {cost_usd: .inf}}", "AS016"),
        "1e400": ("model: {temperature: 1e400}", "AS016"),
        "1_000": ("execution: {max_iterations: 1_000}", "AS201"),
        "null for a mapping": ("execution: ~", "AS208"),
        "<<": ('"<<": {a: 1}', "AS102"),
    }
    yield from (Hostile("odd scalars", name, f"name: a\n{text}\n", code) for name, (text, code) in rows.items())
    encodings: dict[str, tuple[str | bytes, str]] = {
        "a byte order mark": (b"\xef\xbb\xbfname: a\n", ""),
        "UTF-16": ("name: a\n".encode("utf-16"), "AS002"),
        "UTF-32": ("name: a\n".encode("utf-32"), "AS002"),
        "Latin-1": (b"name: caf\xe9\n", "AS002"),
        "CR alone": (b"name: a\rtask: b\r", ""),
        "a tab as indentation": ("name: a\nmodel:\n\tprovider: openai\n", "AS006"),
        "a NUL": (b"name: a\0b\n", "AS003"),
        "half a character": ('name: "\\ud800"\n', "AS029"),
    }
    yield from (Hostile("encodings", name, text, code) for name, (text, code) in encodings.items())


def keys() -> Iterator[Hostile]:
    near = {
        "execution": (
            "max_iteratons: 1",
            "max_nudge: 1",
            "loop_untill_done: true",
            "max_turns: 3",
            "recursion_limit: 9",
            "stal: true",
        ),
        "model": ("provder: openai", "temprature: 1", "max_tokens: 9", "apikey: x", "base_ulr: http://x"),
        "capability": ("tool: {}", "toolkit: []", "mpc: {}", "ceilling: {}"),
        "context": ("sytem: x", "compacton: none"),
        "lifecycle": ("sesion: x",),
        "observability": ("event: []", "redakt: {}"),
    }
    yield from (
        Hostile("unknown keys", f"{section}.{key.partition(':')[0]}", f"name: a\n{section}: {{{key}}}\n", "AS102")
        for section, keys in near.items()
        for key in keys
    )


def types() -> Iterator[Hostile]:
    places = (
        ("execution.max_iterations", "AS201"),
        ("execution.loop_control", "AS201"),
        ("execution.limits", "AS201"),
        ("model.headers", "AS201"),
        ("model.retry", "AS201"),
        ("capability.tools", "AS201"),
        ("capability.toolkits", "AS201"),
        ("capability.ceiling", "AS201"),
        ("context.history", "AS201"),
        ("observability.redact", "AS201"),
    )
    values = ("'a text'", "[[[1]]]", "{a: {b: {c: 1}}}", "-1.5")
    for place, code in places:
        section, _, key = place.partition(".")
        for value in values:
            refused = "AS102" if "{" in value and place in KEYED else code
            yield Hostile("wrong types", f"{place}: {value}", f"name: a\n{section}: {{{key}: {value}}}\n", refused)


def agents() -> Iterator[Hostile]:
    def calling(name: str, agent: str) -> str:
        return f"name: {name}\ntask: t\ncapability: {{tools: {{t: {{description: d, agent: {agent}}}}}}}\n"

    part = "agents in a circle"
    yield Hostile(part, "itself by name", calling("a", "a"), "AS640")
    yield Hostile(part, "itself by file", calling("a", "./spec.yaml"), "AS640")
    yield Hostile(part, "each other", calling("a", "b") + "---\n" + calling("b", "a"), "AS640")
    yield Hostile(
        part,
        "each other in files",
        {"spec.yaml": calling("a", "./b.yaml"), "b.yaml": calling("b", "./spec.yaml")},
        "AS640",
    )
    yield Hostile(
        part,
        "extends each other",
        {"spec.yaml": "name: a\nextends: ./b.yaml\n", "b.yaml": "preset: b\nextends: ./spec.yaml\n"},
        "AS403",
    )


def tools() -> Iterator[Hostile]:
    rows = {
        "required": ("execution: {require_successful_tools: [nothing]}", "AS601"),
        "one of several": (
            "execution: {require_successful_tools: [[read_file, nothing]]}\ncapability: {toolkits: [files.read]}",
            "AS601",
        ),
        "stop": ("execution: {stop_after_successful_tools: [nothing]}", "AS601"),
        "exempt": ("execution: {stall: {exempt_tools: [nothing]}}", "AS601"),
        "of a skill": ("capability: {skills: {s: {description: d, prompt: p, allowed_tools: [nothing]}}}", "AS601"),
        "claimed": ("execution: {post_turn: [{when: 'true', claim_tool: nothing}]}", "AS601"),
        "searched for": ("capability: {tool_search: {always_loaded: [nothing]}}", "AS601"),
        "of a server": ("capability: {tools: {t: {description: d, mcp: nowhere/tool}}}", "AS610"),
        "of an agent": ("capability: {tools: {t: {description: d, agent: nobody}}}", "AS621"),
        "a toolkit": ("capability: {toolkits: [files.raed]}", "AS204"),
    }
    yield from (Hostile("missing tools", name, f"name: a\n{text}\n", code) for name, (text, code) in rows.items())


def budgets() -> Iterator[Hostile]:
    rows = (
        ("max_iterations: 0", "AS205"),
        ("max_iterations: -1", "AS205"),
        ("max_iterations: 1000000000000000000000000000000", ""),
        ("limits: {tokens: 0}", "AS205"),
        ("limits: {tokens: -5}", "AS205"),
        ("limits: {cost_usd: -1}", "AS205"),
        ("limits: {wall_clock: 0s}", "AS205"),
        ("limits: {wall_clock: 9999999999999999999999h}", ""),
        ("tool_timeout: -1s", "AS207"),
        ("tool_result_max: 0KiB", "AS205"),
        ("max_concurrent_tools: 0", "AS205"),
        ("iteration_budget: {mode: adaptive, initial: 0, max: 1, extend_by: 0}", "AS205"),
    )
    yield from (Hostile("budgets", text, f"name: a\nexecution: {{{text}}}\n", code) for text, code in rows)


def expressions() -> Iterator[Hostile]:
    def tool(expression: str) -> str:
        return f"name: a\ncapability: {{tools: {{t: {{description: d, parameters: {{l: 'integer[]'}}, expr: '{expression}'}}}}}}\n"

    part = "templates and expressions"
    inner = "args.l"
    for n in range(40):
        inner = f"{inner}.map(x{n}, [{n}])[0]"
    yield Hostile(part, "loops in loops", tool(inner), "AS312")
    yield Hostile(part, "brackets", tool("(" * DEEP + "1" + ")" * DEEP), "AS312")
    yield Hostile(part, "brackets that are open", tool("(" * DEEP), "AS312")
    yield Hostile(part, "signs", tool("-" * DEEP + "1"))
    yield Hostile(part, "a sum of many", tool(" + ".join(["1"] * 20_000)), "AS312")
    yield Hostile(part, "choices", tool("true ? 1 : " * 3_000 + "2"), "AS312")
    yield Hostile(part, "a long text", tool('"' + "x" * 200_000 + '"'), "AS312")
    yield Hostile(part, "a name of another language", tool('__import__("os").system("touch made")'), "AS304")
    yield Hostile(part, "a slot that is open", "name: a\ncontext: {system: '" + "${" * 3_000 + "'}\n", "AS330")
    yield Hostile(part, "slots in slots", "name: a\ncontext: {system: '" + "${" * 500 + "}" * 500 + "'}\n", "AS314")
    yield Hostile(part, "a template of another kind", "name: a\ncontext: {system: '{{ config.__class__ }}'}\n")
    yield Hostile(
        part, "a variable of the environment", "name: a\ncontext: {system: '${env.OPENAI_API_KEY}'}\n", "AS332"
    )


def patterns() -> Iterator[Hostile]:
    rows = {
        "(a+)+$": "",
        "(a|a)*$": "",
        "(.*a){30}": "",
        "((a{100}){100}){100}": "AS207",
        "(?=a)b": "AS207",
        "(a)\\\\1": "AS207",
        "[": "AS207",
        "(" * 3_000: "AS207",
    }
    for pattern, code in rows.items():
        text = f'name: a\nobservability: {{redact: {{patterns: ["{pattern}"]}}}}\n'
        yield Hostile("regular expressions", pattern[:20], text, code)


def paths() -> Iterator[Hostile]:
    outside = ("../outside.md", "/etc/passwd", "/proc/self/environ", "link", "folder/../../outside.md")
    for name in outside:
        yield Hostile("paths", f"prompt {name}", f"name: a\ncontext: {{system: {{file: {name}}}}}\n", "AS711")
    for name in ("/dev/zero", "fifo", ".env", "/proc/self/fd/0", "'a\\0b'"):
        yield Hostile("paths", f"prompt {name}", f"name: a\ncontext: {{system: {{file: {name}}}}}\n", "AS711")
    for root in ("..", "/", "/proc/self", "../../.."):
        yield Hostile(
            "paths", f"root {root}", f"name: a\ncapability: {{toolkits: [files.read: {{root: {root}}}]}}\n", "AS611"
        )
    for name, code in (("/dev/zero", "AS402"), ("./fifo.yaml", "AS402"), ("/proc/self/environ", "AS404")):
        yield Hostile("paths", f"extends {name}", f"name: a\nextends: {name}\n", code)
    yield Hostile("paths", "a schema outside", "name: a\nexecution: {output: {schema: ../outside.json}}\n", "AS215")
    yield Hostile("paths", "a schema that never ends", "name: a\nexecution: {output: {schema: /dev/zero}}\n", "AS215")
    yield Hostile(
        "paths", "a script that never ends", "name: a\nmodel: {provider: script, options: {file: /dev/zero}}\n", "AS808"
    )


def secrets() -> Iterator[Hostile]:
    forms = ("ghp_" + "0123456789" * 4, "AKIA0123456789ABCDEF", "sk-proj-" + "a1B2" * 8)
    for form in forms:
        yield Hostile("secrets", f"{form[:4]} in a prompt", f"name: a\ncontext: {{system: 'use {form}'}}\n")
    yield Hostile("secrets", "in a header", f"name: a\nmodel: {{headers: {{Authorization: 'Bearer {forms[0]}'}}}}\n")
    yield Hostile("secrets", "in an address", "name: a\nmodel: {base_url: 'http://me:geheim-4711@example.org'}\n")
    yield Hostile(
        "secrets",
        "in an argument",
        f"name: a\ncapability: {{tools: {{t: {{description: d, run: [x, {forms[1]}]}}}}}}\n",
    )


def turning() -> Iterator[Hostile]:
    part = "texts that turn"
    yield Hostile(part, "in a prompt", "name: a\ncontext: {system: 'a \u202e b'}\n")
    yield Hostile(part, "in a comment", "name: a # \u2066 \u202e x\n")
    yield Hostile(
        part,
        "in the name of a tool",
        "name: a\ncapability: {tools: {'r\u202ed': {description: d, expr: '1'}}}\n",
        "AS020",
    )
    yield Hostile(
        part, "in an expression", "name: a\ncapability: {tools: {t: {description: d, expr: '\"a\u202e\"'}}}\n"
    )


PARTS = (
    bombs,
    depths,
    sizes,
    structures,
    scalars,
    keys,
    types,
    agents,
    tools,
    budgets,
    expressions,
    patterns,
    paths,
    secrets,
    turning,
)
ROWS = [row for part in PARTS for row in part()]
