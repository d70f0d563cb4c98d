"""grammar: the reference page on the DSL's grammar, a diagram and a sentence for each rule."""

from __future__ import annotations

from collections.abc import Iterator

from agentspec.resources import resource
from scripts.railroad import PASS, Fork, Part, as_svg, as_text, drawn, read_grammar

# Each rule that has a diagram: the name that it is shown by, and what it is.
SHOWN = {
    "document": ("file", "A file holds one document or several."),
    "head": ("document", "What a document is, its name, and what it extends. A list of one stands in the body."),
    "body": ("body", "The inside of an agent or a preset."),
    "part": (
        "part",
        "`inputs {` and `capability {` have sugar here alone; with a `:` they hold plain data.",
    ),
    "input": ("input", "A typed input with its default, or its long form in braces."),
    "grant": ("grant", "Heads of one kind join into `tools`, `toolkits`, `mcp`, `resources` and `skills`."),
    "parameters": ("parameters", "The parameters of a tool."),
    "parameter": ("parameter", "A parameter with its type, its default and its description."),
    "type": ("type", "`|` binds looser than `?` and `[]`."),
    "atom": ("atom", "A named type, a literal, a JSON Schema in a file, a type in parentheses, or a record."),
    "plain": ("block", "Braces around plain data. Entries share a line or not; a comma between them says nothing."),
    "entry": ("entry", "A key with what it holds."),
    "common": ("signed", "A value, an addition to the layers below, an expression, a key taken away, a last word."),
    "plain_or_rules": ("braces", "A block whose items begin with `when` is a list of rules."),
    "rule": ("rule", "A condition and what is to happen: a verb, its value and a reason, or all of it as keys."),
    "value": ("value", "What a key or an item holds."),
    "list": ("list", "Items in brackets, with commas between them."),
}
KEPT = ("name", "key", "word", "type_word", "other_key", "doc")
SAID = {
    "WHEN": '"when"',
    "EXPR": "expression",
    "STRING": "string",
    "NUMBER": "number",
    "QUANTITY": "quantity",
    "doc": "text",
    "other_key": "key",
    "type_word": "word",
    **{rule: shown for rule, (shown, _) in SHOWN.items()},
}
INTRODUCTION = '''\
What may stand where in a `*.agent` file. The [guide to the DSL](../guide/dsl.md) tells what it means, with examples.

Round boxes are written as they stand. Square ones have a diagram, or are:

| | |
| --- | --- |
| word | a letter or `_`, then letters, digits, `_`, and single `.` or `-` inside: `release-audit`, `files.read` |
| string | `"…"` with the escapes of JSON, on one line |
| text | a string, or raw text between `"""` and `"""` |
| name, key | a word or a string |
| number | as in JSON: `-1.5e3` |
| quantity | a number with a unit behind it: `30s`, `64KiB`, `50%` |
| expression | [CEL](expressions.md); behind `=` to the end of the line outside brackets, behind `when` to the `=>` |

No word is reserved: `tool: x` is an entry wherever entries stand. `#` begins a comment that ends with its line. A line
end says no more than a blank, except behind an expression.
'''


def grammar_pages(origin: str) -> dict[str, str]:
    """The page and its diagrams, by their paths below docs/."""
    rules = drawn(read_grammar(resource("grammar", "agentspec.lark").read_text("utf-8")), tuple(SHOWN), KEPT, SAID)
    lines = ["# The grammar of the DSL", "", origin, "", INTRODUCTION]
    found: dict[str, str] = {}
    for rule, (shown, about) in SHOWN.items():
        path = f"dsl/{shown}.svg"
        found[f"reference/{path}"] = as_svg(rules[rule], f"{shown} = {as_text(rules[rule])}")
        lines += [
            f"## {shown}",
            "",
            about,
            "",
            f"![{shown}]({path})",
            "",
            "```text",
            *_ways(shown, rules[rule]),
            "```",
            "",
        ]
    return {"reference/dsl.md": "\n".join(lines).rstrip() + "\n", **found}


def _ways(shown: str, part: Part) -> Iterator[str]:
    """A rule as text, each of its ways on a line."""
    ways = part.ways if isinstance(part, Fork) and PASS not in part.ways else (part,)
    for index, way in enumerate(ways):
        yield f"{' ' * len(shown) if index else shown} {'|' if index else '='} {as_text(way)}"
