"""documents: specs made by chance, and both spellings of them as an untidy author writes them.

Every section and kind of document, odd strings, deep expressions, comments and blank lines wherever a line can take
one. All chance comes from one `random.Random`, which hypothesis can stand in for.
"""

from __future__ import annotations

import json
import random
import re
from typing import Any

from agentspec.syntax.characters import FORBIDDEN
from agentspec.syntax.tree import Entry, Mapping, Node, Operation, Scalar, Sequence
from agentspec.text.source import Source, Span

SPECIAL = re.compile(f"{FORBIDDEN}|[\x7f-\x9f\u2028\u2029\ufeff\U000e0000-\U0010ffff]")
NOWHERE = Span(Source("nowhere", ""), 0, 0)
WORDS = [
    *(
        "a",
        "stop",
        "read_file",
        "files.read",
        "gpt-5.4-mini",
        "release-audit",
        "größe",
        "none",
        "tool",
        "agent",
        "final",
    ),
    *("extends", "unset", "inputs", "capability", "schema", "for", "mcp", "x-note", "_x", "日本", "reason", "optional"),
]
ODD = [
    *("", "when", "true", "null", "no", "y", "012", "0o17", "0x1F", "1e3", ".5", "1:30", "2024-01-02", "30s", "-1.5h"),
    *(
        "-",
        "- a",
        "?",
        ": ",
        "a: b",
        "a #b",
        "#",
        "'",
        '"',
        "\\",
        "\\n",
        "=>",
        "{",
        "}",
        "[x]",
        "a,b",
        "!x",
        "&a",
        "*a",
    ),
    *("%x", "@", "`", "|", ">", "~", "<<", "=", "...", "---", "${x}", "$${x}", "*.log", "src/main.py", "${args.path}"),
    *(" a", "a ", "a\tb", "\t", "\n", "\n\n", "a\nb", "a\n\n", "\na", " a\nb\n", "a\n  b\n\nc\n", "a\n \nb\n", '"""'),
    *(
        'say """\n""""\n',
        'x"\ny"',
        "# no\n- comment\n",
        "a\r\nb",
        "\r",
        "\0",
        "\x1b[1m",
        "\x7f",
        "\x85",
        "\u2028",
        "\ufeff",
    ),
    *(
        "é😀",
        "\u202ex",
        "\u200d",
        "\u00a0",
        "\U000e0001",
        "+a",
        "$final",
        "a:b",
        "http://x/y?z=1#f",
        "-0",
        "1_000",
        "٣",
    ),
    *(
        "x" * 130,
        "long " * 30,
        "line of a text\n" * 3,
        "`code` and *more*\n\n    indented\nend",
        "null\n",
        "1.2.0",
        "null ",
    ),
]
# What nobody sees is refused in a name; `$final` is JSON's way to say `!final`.
ODD_NAMES = [odd for odd in ODD if odd and odd != "$final" and all(map(str.isprintable, odd.replace("\n", "")))]
EXPRESSIONS = [
    *("a", "completion.vetoed", "progress.turns_since_progressing > 3", 'args.op == "add" ? args.lhs : -args.rhs'),
    *(
        "a && (b || !c) && d in [1, 2.0, 'x']",
        "[1, 2].exists(e, e > x)",
        "{'k': 1}.k == 1",
        "x == 'a # b' || \"=> }\" != y",
    ),
    *(
        "f(x,\n  [y,\n z])",
        "a\n  && b",
        "a.?b.orValue(r'\\d+')",
        '"""\n"""',
        "((((((a))))))",
        "a.b[?0] < 1u",
        "1 +",
        "a // b",
    ),
    *(
        "x.all(i, i.map(j, j + 1).filter(k, k > 2).size() == 3)",
        "a[\n0\n]",
        "when",
        "true",
        "size('é😀') >= 1e3",
        "{",
        '"',
    ),
]
COMMENTS = [
    "# c{}",
    "#c{}",
    "# c{}: [ { \" '",
    "# é😀 c{}",
    "#",
    "# agentspec: ignore[AS{}]",
    "# x # c{}",
    "#! c{} |",
    "# c{} => }",
]
TYPES = ["string", "integer", "number", "boolean", "object", "any", "string?", "number[]", "any[][]?", "string?[]"]


def double(text: str) -> str:
    """In quotes that every reader takes."""
    return SPECIAL.sub(lambda found: json.dumps(found[0])[1:-1], json.dumps(text, ensure_ascii=False))


def short(node: Node) -> str:
    """A value of the DSL on one line, all in quotes."""
    match node:
        case Mapping():
            return "{ " + ", ".join(map(_short_entry, node.entries)) + " }"
        case Sequence():
            return "[" + ", ".join(map(short, node.items)) + "]"
        case Scalar(value=str(text)):
            return double(text)
        case Scalar():
            return json.dumps(node.value)
    return ""


def _short_entry(entry: Entry) -> str:
    if entry.operation == "unset":
        return f"unset {double(entry.name)}"
    sign = " +=" if entry.operation == "append" else ":"
    return f"{'final ' if entry.final else ''}{double(entry.name)}{sign} {short(entry.value)}"


def scalar(value: Any) -> Scalar:
    return Scalar(value=value, span=NOWHERE)


def sequence(*items: Node) -> Sequence:
    return Sequence(items=list(items), span=NOWHERE)


def entry(name: str, value: Any, operation: Operation = "set", *, final: bool = False) -> Entry:
    node = value if isinstance(value, Scalar | Mapping | Sequence) else scalar(value)
    return Entry(key=scalar(name), value=node, operation=operation, final=final)


def mapping(*entries: Entry) -> Mapping:
    """The entries, the last of each name."""
    return Mapping(entries=list({each.name: each for each in entries}.values()), span=NOWHERE)


class Documents:
    """Documents of one author. `types` has the DSL's form of each type, by the `id` of its node."""

    def __init__(self, chance: random.Random, size: int = 3) -> None:
        self.chance = chance
        self.size = size
        self.types: dict[int, str] = {}
        self.kept: list[Node] = []

    def some(self, most: int | None = None) -> range:
        return range(self.chance.randint(0, self.size if most is None else most))

    def is_so(self, of: int = 2) -> bool:
        return self.chance.randrange(of) == of - 1  # rarely, where hypothesis looks for the smallest

    def documents(self) -> list[Mapping]:
        makers = (self.agent, self.agent, self.preset, self.library, self.scenario)
        return [self.chance.choice(makers)(number) for number in range(self.chance.choice((1, 1, 1, 2, 3)))]

    # Values.

    def name(self) -> str:
        return self.chance.choice(WORDS if not self.is_so(5) else ODD_NAMES)

    def text(self) -> str:
        return self.chance.choice(WORDS if self.is_so() else ODD)

    def value(self, depth: int = 2) -> Node:
        kind = self.chance.randrange(12 if depth else 8)
        if kind < 5:
            return scalar(self.text())
        if kind < 8:
            numbers = (0, -7, 12, 10**25, 1.5, -0.0, 1e21, 1e-7, 2.0, True, False, None)
            return scalar(self.chance.choice(numbers))
        if kind < 10:
            return sequence(*(self.value(depth - 1) for _ in self.some()))
        return self.rules() if self.is_so(4) else self.plain(depth - 1)

    def plain(self, depth: int = 2) -> Mapping:
        return mapping(*(self.free_entry(depth) for _ in self.some()))

    def free_entry(self, depth: int = 2, name: str | None = None) -> Entry:
        name = name if name is not None else self.name()
        if self.is_so(12):
            return entry(name, None, "unset")
        if name in ("when", "where", "expr"):
            return entry(name, self.chance.choice(EXPRESSIONS))
        is_final = self.is_so(10)
        can_append = re.fullmatch(r"[a-z_.\-]+", name) is not None  # of a name in quotes, YAML cannot say it
        return entry(name, self.value(depth), "append" if can_append and self.is_so(10) else "set", final=is_final)

    def rules(self) -> Sequence:
        return sequence(*(self.rule() for _ in range(self.chance.randint(1, self.size))))

    def rule(self) -> Mapping:
        verb = self.chance.choice(("stop", "extend", "veto", "accept", "decision", "provider", "claim_tool"))
        found = [entry("when", self.chance.choice(EXPRESSIONS)), entry(verb, True if self.is_so(4) else self.value(1))]
        found += [entry("reason", self.text())] if self.is_so() else []
        found += [entry(self.name(), self.value(1))] if self.is_so(4) else []
        if self.is_so(6):
            self.chance.shuffle(found)
        return mapping(*found[: self.chance.randint(1, 4)])

    # Types.

    def type(self, depth: int = 1) -> Node:
        kind = self.chance.randrange(9 if depth else 4)
        if kind < 3:
            name = self.chance.choice(TYPES)
            return self._typed(name, scalar(name))
        if kind == 3:
            return self._enum()
        if kind == 4:
            return self._typed('schema "a b.json"', mapping(entry("schema", "a b.json")))
        if kind == 5:
            inner = self._enum() if self.is_so() else self._fields(depth - 1)
            return self._typed(f"({self.types[id(inner)]})[]", mapping(entry("items", inner)))
        if kind == 6:
            return self._fields(depth - 1)
        if kind == 7:
            arms = [self.type(depth - 1) for _ in range(self.chance.randint(2, 3))]
            text = " | ".join(f"({self.types[id(arm)]})" for arm in arms)
            return self._typed(text, mapping(entry("any_of", sequence(*arms))))
        inner = self._fields(depth - 1)
        return self._typed(f"({self.types[id(inner)]})?", mapping(*inner.entries, entry("optional", value=True)))

    def _typed(self, text: str, node: Any) -> Any:
        self.types[id(node)] = text
        self.kept.append(node)  # an id is somebody else's once its node is gone
        return node

    def _enum(self) -> Mapping:
        texts = [self.text() for _ in range(self.chance.randint(1, 3))]
        literals = " | ".join(double(text) for text in texts)
        return self._typed(literals, mapping(entry("enum", sequence(*map(scalar, texts)))))

    def _fields(self, depth: int) -> Mapping:
        found = mapping(*(entry(self.name(), self.type(depth)) for _ in self.some()))
        inner = ", ".join(f"{double(each.name)}: {self.types[id(each.value)]}" for each in found.entries)
        return self._typed(f"{{{inner}}}", mapping(entry("fields", found)))

    def declared(self, *, has_doc: bool) -> Node:
        node = self.type()
        default = self.value(1) if self.is_so(3) else None
        doc = self.text() if has_doc and self.is_so(3) else None
        if default is None and doc is None:
            return node
        text = self.types[id(node)]
        said = (
            [entry("type", node)] if isinstance(node, Scalar) else [*node.entries] if isinstance(node, Mapping) else []
        )
        if default is not None:
            text += f" = {short(default)}"
            said.append(entry("default", default))
        if doc is not None:
            text += f" {double(doc)}"
            said.append(entry("description", doc))
        return self._typed(text, mapping(*said))

    # Documents.

    def agent(self, number: int, head: str = "name") -> Mapping:
        found = [entry(head, f"{self.chance.choice(('a', 'b-c', 'd e', 'agent'))}{number}")]
        if self.is_so(3):
            names = [scalar(self.name()) for _ in range(self.chance.randint(1, 3))]
            found.append(entry("extends", names[0] if len(names) == 1 and self.is_so() else sequence(*names)))
        found += [entry("description", self.text())] if self.is_so() else []
        if self.is_so():
            inputs = mapping(*(entry(self.name(), self.declared(has_doc=False)) for _ in self.some()))
            found.append(entry("inputs", inputs if not self.is_so(5) else self.plain()))
        for name in ("model", "execution", "lifecycle", "observability", "x-own"):
            found += [self._section(name)] if self.is_so(3) else []
        found += [entry("capability", self.capability())] if self.is_so() else []
        found += [entry("context", mapping(entry("system", self.text()), self.free_entry()))] if self.is_so(3) else []
        if self.is_so(4):
            self.chance.shuffle(found)
        return mapping(*found)

    def preset(self, number: int) -> Mapping:
        return self.agent(number, "preset")

    def _section(self, name: str) -> Entry:
        keys = (
            "provider",
            "limits",
            "iteration_budget",
            "loop_control",
            "verify_completion",
            "retry",
            "otel",
            "session",
        )
        found = [self.free_entry(2, self.chance.choice(keys)) for _ in self.some()]
        found += [entry("loop_control", self.rules())] if self.is_so(3) else []
        return entry(name, mapping(*found), final=self.is_so(12))

    def capability(self) -> Node:
        if self.is_so(8):
            return self.value()
        found: list[Entry] = []
        for _ in self.some():
            kind = self.chance.choice(("tools", "toolkits", "mcp", "resources", "skills", "other"))
            if kind == "tools":
                found.append(entry(kind, mapping(*(entry(self.name(), self.tool()) for _ in self.some()))))
            elif kind == "toolkits":
                found.append(entry(kind, sequence(*(self.toolkit() for _ in self.some()))))
            elif kind == "other":
                found.append(self.free_entry())
            else:
                found.append(entry(kind, mapping(*(entry(self.name(), self.plain()) for _ in self.some()))))
        return mapping(*found)

    def toolkit(self) -> Node:
        if self.is_so(8):
            return self.value(1)
        return scalar(self.name()) if self.is_so() else mapping(entry(self.name(), self.plain(1)))

    def tool(self) -> Node:
        if self.is_so(10):
            return self.value(1)
        found = [entry("description", self.text())] if self.is_so() else []
        if self.is_so():
            parameters = mapping(*(entry(self.name(), self.declared(has_doc=True)) for _ in self.some()))
            found.append(entry("parameters", parameters if not self.is_so(6) else self.plain()))
        found += [entry("returns", self.type())] if self.is_so() else []
        found += [entry("expr", self.chance.choice(EXPRESSIONS))] if self.is_so() else [self.free_entry(1)]
        found += [entry("timeout", "3s")] if self.is_so(4) else []
        if self.is_so(6):
            self.chance.shuffle(found)
        return mapping(*found)

    def library(self, number: int) -> Mapping:
        found = [entry("library", f"l{number}")]
        found += [entry("version", self.chance.choice(("1.2.0", "^1.4", 2, 1.5)))] if self.is_so() else []
        return mapping(*found, entry("exports", self.plain(1)), self.free_entry())

    def scenario(self, number: int) -> Mapping:
        found = [entry("scenario", f"{self.text()} {number}")]
        found += [entry("for", self.text())] if self.is_so() else []
        found += [entry("inputs", self.plain(1))] if self.is_so() else []
        found += [entry("model", sequence(*(self.plain(1) for _ in self.some())))] if self.is_so() else []
        found += [entry("expect", mapping(entry("that", self.chance.choice(EXPRESSIONS)), self.free_entry(1)))]
        return mapping(*found)
