"""untidy: documents as nobody's formatter writes them: any layout, any quotes, comments and blank lines all over."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from agentspec.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from tests.syntax.format.documents import COMMENTS, SPECIAL, Documents, double

LINE_CHARACTERS = re.compile(r"[^\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]*")


class Untidy:
    """What both spellings share: chance, comments, blanks."""

    def __init__(self, made: Documents) -> None:
        self.made = made
        self.chance = made.chance
        self.count = 0
        self.is_noisy = made.is_so()

    def is_so(self, of: int = 2) -> bool:
        return self.made.is_so(of)

    def comment(self) -> str:
        self.count += 1
        return self.chance.choice(COMMENTS).replace("{}", str(self.count))

    def above(self, indent: int) -> Iterator[str]:
        """What may stand above an entry."""
        if not self.is_noisy:
            return
        while self.is_so(5):
            yield self.chance.choice(
                ("", " " * indent + self.comment(), " " * self.chance.randrange(8) + self.comment())
            )

    def behind(self, line: str) -> str:
        """A line, with a comment at times."""
        return f"{line}{self.chance.choice((' ', '  '))}{self.comment()}" if self.is_noisy and self.is_so(6) else line


class Yaml(Untidy):
    """Documents in YAML."""

    def text(self, documents: Iterable[Mapping]) -> str:
        written = ["\n".join(self.block(each, 0)) + "\n" for each in documents]
        lines = "---\n".join(written) + ("\n".join(self.above(0)) + "\n" if self.is_so(4) else "")
        return lines.replace("\n", "\r\n" if self.is_so(20) and "|" not in lines else "\n")

    def block(self, node: Mapping, indent: int) -> Iterator[str]:
        for entry in node.entries:
            yield from self.above(indent)
            yield from self.entry(entry, indent)
        if self.is_noisy and self.is_so(5):
            yield " " * indent + self.comment()

    def entry(self, entry: Entry, indent: int) -> Iterator[str]:
        head = " " * indent + self.head(entry)
        if entry.operation == "unset":
            yield self.behind(f"{head} !unset")
            return
        yield from self.value(head + (" !final" if entry.final else ""), entry.value, indent)

    def head(self, entry: Entry) -> str:
        name = entry.name
        is_append = entry.operation == "append"
        if is_append or (
            re.fullmatch(r"[a-z][a-z_]*(?:[.-][a-z]+)*", name) and name not in ("true", "null", "no", "y")
        ):
            if re.fullmatch(r"[a-z][a-z_]*", name):
                return f"{'+' * is_append}{name}:"
            return f"+{name}:" if is_append else f"{name}:"
        return f"{double(name)}{' ' * self.is_so(4)}:"

    def value(self, head: str, node: Node, indent: int) -> Iterator[str]:
        step = self.chance.choice((1, 2, 2, 4))
        match node:
            case Mapping(entries=[_, *_]) if self.is_so() or self.is_noisy:
                yield self.behind(head)
                yield from self.block(node, indent + step)
            case Sequence(items=[_, *_]) if self.is_so():
                yield self.behind(head)
                yield from self.items(node, indent + (0 if head.rstrip().endswith(":") and self.is_so() else step))
            case Scalar(value=str(text)) if (
                block := self.text_block(text, indent + step)
            ) is not None and self.is_so():
                yield self.behind(f"{head} {block[0]}")
                yield from block[1:]
            case _:
                yield self.behind(f"{head} {self.flow(node, indent + step)}")

    def items(self, node: Sequence, indent: int) -> Iterator[str]:
        for item in node.items:
            yield from self.above(indent)
            dash = " " * indent + "-"
            if isinstance(item, Mapping) and item.entries and self.is_so():
                inner = [*self.bare_block(item, indent + 2)]
                yield f"{dash} {inner[0][indent + 2 :]}"
                yield from inner[1:]
            else:
                yield from self.value(dash, item, indent)
        if self.is_noisy and self.is_so(5):
            yield " " * indent + self.comment()

    def bare_block(self, node: Mapping, indent: int) -> Iterator[str]:
        """A block with nothing above its first line, which stands behind a dash."""
        for index, entry in enumerate(node.entries):
            if index:
                yield from self.above(indent)
            yield from self.entry(entry, indent)

    def flow(self, node: Node, indent: int) -> str:
        match node:
            case Mapping():
                return self.brackets("{", [self.flow_entry(entry, indent) for entry in node.entries], "}", indent)
            case Sequence():
                return self.brackets("[", [self.flow(item, indent) for item in node.items], "]", indent)
            case Scalar(value=str(text)):
                return self.string(text)
            case Scalar():
                return self.chance.choice(("null", "~", "Null")) if node.value is None else json.dumps(node.value)
        return ""

    def flow_entry(self, entry: Entry, indent: int) -> str:
        head = self.head(entry)
        if entry.operation == "unset":
            return f"{head} !unset "
        return f"{head}{' !final' if entry.final else ''} {self.flow(entry.value, indent)}"

    def brackets(self, opening: str, parts: list[str], closing: str, indent: int) -> str:
        if not parts or not self.is_so(4):
            return opening + ", ".join(parts) + closing
        line = "\n" + " " * indent
        between = [self.behind(",") if self.is_noisy else "," for _ in parts[1:]] + [self.chance.choice(("", ","))]
        inner = "".join(f"{line}{part}{sign}" for part, sign in zip(parts, between, strict=True))
        return f"{self.behind(opening)}{inner}{line}{closing}"

    def string(self, text: str) -> str:
        if re.fullmatch(r"[a-z][a-z_]*", text) and text not in ("true", "null", "no", "y") and self.is_so():
            return text
        if "\n" not in text and not SPECIAL.search(text) and LINE_CHARACTERS.fullmatch(text) and self.is_so(3):
            return "'" + text.replace("'", "''") + "'"
        return double(text)

    def text_block(self, text: str, indent: int) -> list[str] | None:
        lines = text.split("\n")
        is_fit = len(lines) > 1 and lines[-1] == "" and lines[-2] != "" and all(map(LINE_CHARACTERS.fullmatch, lines))
        if not is_fit or lines[0][:1] in ("", " ", "\t") or any(line and not line.strip() for line in lines):
            return None
        return ["|", *(" " * indent + line if line else "" for line in lines[:-1])]


class Dsl(Untidy):
    """Documents in the DSL."""

    def text(self, documents: Iterable[Mapping]) -> str:
        written = "".join("\n".join([*self.above(0), self.document(each), ""]) for each in documents)
        tail = "\n".join(self.above(0)) + "\n" if self.is_so(4) else ""
        return (written + tail).replace("\n", "\r\n" if self.is_so(20) and '"""' not in written else "\n")

    def document(self, root: Mapping) -> str:
        kinds = {"name": "agent", "preset": "preset", "library": "library", "scenario": "scenario"}
        head = next(each for each in root.entries if each.name in kinds)
        rest = [each for each in root.entries if each is not head]
        kind, name = kinds[head.name], str(head.value.value) if isinstance(head.value, Scalar) else ""
        text = f"{kind} {double(name) if kind == 'scenario' else self.key(name)}"
        second = {"scenario": "for", "library": "version"}.get(kind, "extends")
        said = next((each for each in rest if each.name == second), None)
        if said is not None and self.is_so():
            behind = self.behind_name(second, said.value)
            rest = [each for each in rest if each is not said or not behind]
            text += behind
        return f"{text} {self.braces(rest, 0, kind in ('agent', 'preset'))}"

    def behind_name(self, second: str, value: Node) -> str:
        match value:
            case Scalar(value=str(text)):
                return f" {double(text)}" if second == "version" else f" {second} {self.key(text)}"
            case Sequence(items=[_, _, *_] as items) if second == "extends":
                names = [self.key(str(item.value)) for item in items if isinstance(item, Scalar)]
                return f" extends {', '.join(names)}"
        return ""

    def braces(self, entries: list[Entry], indent: int, is_body: bool = False) -> str:
        parts = [self.entry(each, indent + 2, is_body) for each in entries]
        return self.enclosed("{", parts, "}", indent)

    def enclosed(self, opening: str, parts: list[str], closing: str, indent: int) -> str:
        """Parts on lines of their own, or on one line where that says the same."""
        is_lined = any("=" in part or "#" in part or "\n" in part for part in parts) or self.is_noisy or self.is_so()
        if not is_lined:
            return f"{opening} {self.chance.choice((' ', ', ')).join(parts)} {closing}"
        lines = [self.behind(opening)]
        for part in parts:
            lines += [*self.above(indent + 2), " " * (indent + 2) + self.finished(part)]
        lines += [*self.above(indent + 2), " " * indent + closing]
        return "\n".join(lines)

    def finished(self, part: str) -> str:
        return self.behind(part + self.chance.choice(("", "", ","))) if not part.endswith('"') else self.behind(part)

    def entry(self, entry: Entry, indent: int, is_body: bool = False) -> str:
        key = self.key(entry.name)
        if entry.operation == "unset":
            return f"unset {key}"
        is_set = entry.operation == "set"
        head = ("final " if entry.final else "") + key
        if is_body and entry.name == "inputs" and is_set and not entry.final:
            return self.inputs(entry.value, indent)
        if is_body and entry.name == "capability" and is_set and not entry.final and isinstance(entry.value, Mapping):
            return self.capability(entry.value, indent)
        if not is_set:
            return f"{head} += {self.value(entry.value, indent)}"
        match entry.value:
            case Mapping() if self.is_so() and not (is_body and entry.name in ("inputs", "capability")):
                return f"{head} {self.value(entry.value, indent)}"
            case Scalar(value=str(text)) if text in SAFE and self.is_so():
                return f"{head} = {text}"
        return f"{head}: {self.value(entry.value, indent)}"

    def key(self, name: str) -> str:
        return (
            name if re.fullmatch(r"[^\W\d]\w*(?:[.\-]\w+)*", name) and name != "when" and self.is_so() else double(name)
        )

    def value(self, node: Node, indent: int = 0) -> str:
        match node:
            case Mapping():
                return self.braces(node.entries, indent)
            case Sequence():
                return self.list(node, indent)
            case Scalar(value=str(text)):
                return self.string(text, indent)
            case Scalar():
                return json.dumps(node.value)
        return ""

    def list(self, node: Sequence, indent: int) -> str:
        if node.items and all(map(self.is_rule, node.items)) and self.is_so(4) is False:
            return self.enclosed("{", [self.rule(each, indent + 2) for each in node.items], "}", indent)
        parts = [self.value(item, indent + 2) for item in node.items]
        if not self.is_noisy or self.is_so():
            return "[" + ", ".join(parts) + "]"
        lines = [self.behind("[")]
        for part in parts:
            lines += [*self.above(indent + 2), self.behind(f"{' ' * (indent + 2)}{part},")]
        return "\n".join([*lines, *self.above(indent), f"{' ' * indent}]"])

    def string(self, text: str, indent: int) -> str:
        if (
            re.fullmatch(r"[a-z][a-z_]*(?:[.\-][a-z]+)*|-?[0-9]+[a-z]+", text)
            and text not in WORDS_NOT
            and self.is_so()
        ):
            return text
        lines = text.split("\n")
        is_fit = len(lines) > 1 and lines[-1] == "" and all(map(LINE_CHARACTERS.fullmatch, lines)) and '"""' not in text
        if is_fit and all(line.strip(" \t") or not line for line in lines) and self.is_so():
            blanks = " " * (indent + 2)
            return '"""\n' + "".join(f"{blanks}{line}\n" if line else "\n" for line in lines[:-1]) + blanks + '"""'
        return double(text)

    # Sugar.

    def inputs(self, value: Node, indent: int) -> str:
        if not isinstance(value, Mapping) or any(id(each.value) not in self.made.types for each in value.entries):
            return f"inputs: {self.value(value, indent)}"
        parts = [f"{self.key(each.name)}: {self.made.types[id(each.value)]}" for each in value.entries]
        return f"inputs {self.enclosed('{', parts, '}', indent)}"

    def capability(self, value: Mapping, indent: int) -> str:
        parts: list[str] = []
        for each in value.entries:
            heads = self.heads(each, indent + 2) if each.operation == "set" and not each.final else None
            parts += heads if heads is not None and self.is_so(4) is False else [self.entry(each, indent + 2)]
        return f"capability {self.enclosed('{', parts, '}', indent)}"

    def heads(self, group: Entry, indent: int) -> list[str] | None:
        words = {"tools": "tool", "mcp": "mcp", "resources": "resource", "skills": "skill"}
        match group.value:
            case Mapping(entries=[_, *_] as entries) if group.name in words:
                if not all(
                    each.operation == "set" and not each.final and isinstance(each.value, Mapping) for each in entries
                ):
                    return None
                return [
                    f"{words[group.name]} {self.key(each.name)}{self.granted(group.name, each.value, indent)}"
                    for each in entries
                ]
            case Sequence(items=[_, *_] as items) if group.name == "toolkits":
                heads = [self.toolkit(item, indent) for item in items]
                return [head for head in heads if head is not None] if None not in heads else None
        return None

    def toolkit(self, item: Node, indent: int) -> str | None:
        match item:
            case Scalar(value=str(text)):
                return f"toolkit {self.key(text)}"
            case Mapping(entries=[Entry(operation="set", final=False, value=Mapping() as options) as only]):
                return f"toolkit {self.key(only.name)} {self.value(options, indent)}"
        return None

    def granted(self, group: str, value: Node, indent: int) -> str:
        assert isinstance(value, Mapping)
        if group != "tools":
            return f" {self.value(value, indent)}"
        rest = {each.name: each for each in value.entries}
        text = f"({self.parameters(rest, indent)})"
        returns = rest.get("returns")
        if (
            returns is not None
            and returns.operation == "set"
            and not returns.final
            and id(returns.value) in self.made.types
        ):
            text += f" -> {self.made.types[id(rest.pop('returns').value)]}"
        doc = rest.get("description")
        if (
            doc is not None
            and doc.operation == "set"
            and isinstance(doc.value, Scalar)
            and isinstance(doc.value.value, str)
        ):
            text += f" {double(doc.value.value)}"
            del rest["description"]
        match [*rest.values()]:
            case [Entry(key=Scalar(value="expr"), operation="set", final=False, value=Scalar(value=str(found)))] if (
                found in SAFE
            ):
                return f"{text} = {found}"
        return f"{text} {self.braces([*rest.values()], indent)}"

    def parameters(self, rest: dict[str, Entry], indent: int) -> str:
        found = rest.get("parameters")
        if found is None or found.operation != "set" or found.final or not isinstance(found.value, Mapping):
            return ""
        if not found.value.entries or any(id(each.value) not in self.made.types for each in found.value.entries):
            return ""
        del rest["parameters"]
        parts = [f"{self.key(each.name)}: {self.made.types[id(each.value)]}" for each in found.value.entries]
        if not self.is_noisy or self.is_so():
            return ", ".join(parts)
        lines = [line for part in parts for line in (*self.above(indent), self.behind(f"{' ' * indent}{part},"))]
        return "\n" + "\n".join([*lines, *self.above(indent)]) + "\n"

    def is_rule(self, node: Node) -> bool:
        match node:
            case Mapping(
                entries=[
                    Entry(key=Scalar(value="when"), operation="set", final=False, value=Scalar(value=str(text))),
                    *_,
                ]
            ):
                return text in SAFE and text[0] != "{"
        return False

    def rule(self, node: Node, indent: int) -> str:
        assert isinstance(node, Mapping)
        condition, *said = node.entries
        assert isinstance(condition.value, Scalar)
        head = f"when {condition.value.value} =>"
        if said and re.fullmatch("[a-z_]+", said[0].name) and said[0].name not in WORDS_NOT and self.is_so():
            verb, *rest = said
            is_plain = verb.operation == "set" and not verb.final
            if is_plain and isinstance(verb.value, Scalar | Sequence) and not self.is_blocky(verb.value):
                return self.verb(f"{head} {verb.name}", verb.value, rest, indent)
        return f"{head} {self.braces(said, indent)}"

    def is_blocky(self, value: Node) -> bool:
        return isinstance(value, Sequence) and bool(value.items) and all(map(self.is_rule, value.items))

    def verb(self, head: str, value: Node, rest: list[Entry], indent: int) -> str:
        is_true = isinstance(value, Scalar) and value.value is True and self.is_so() and not rest
        operand = "" if is_true else f" {self.value(value, indent)}"
        match rest:
            case [
                Entry(key=Scalar(value="reason"), operation="set", final=False, value=Scalar(value=str(text))),
                *more,
            ]:
                operand += f" {double(text)}"
                rest = more
        return f"{head}{operand} {self.braces(rest, indent)}" if rest or self.is_so(8) else f"{head}{operand}"


WORDS_NOT = ("true", "false", "null", "when")
SAFE = (
    *("a", "completion.vetoed", "progress.turns_since_progressing > 3", 'args.op == "add" ? args.lhs : -args.rhs'),
    *("a && (b || !c) && d in [1, 2.0, 'x']", "[1, 2].exists(e, e > x)", "x == 'a # b' || \"=> }\" != y"),
    *("f(x,\n  [y,\n z])", "a.?b.orValue(r'\\d+')", "((((((a))))))", "a.b[?0] < 1u", "a[\n0\n]", "size('é😀') >= 1e3"),
)
