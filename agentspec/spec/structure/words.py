"""words: what values and places are called in findings: the author's words, never a schema's.

Everything here gives text; nothing decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agentspec.spec.schema import MARK, Node, branches
from agentspec.syntax.tree import Broken, Mapping, Scalar, Sequence
from agentspec.syntax.tree import Node as Written

CLIP: Final = 40

KIND_WORDS: Final[dict[str, str]] = {
    "duration": "a duration such as `30s`",
    "size": "a size such as `64KiB`",
    "money": "a number of US dollars",
    "amount": "a share of the window up to 1, or a number of tokens above it",
    "expression": "an expression",
    "template": "text",
    "address": "an address such as `https://host/v1`",
    "header": "text of one line",
    "type": "a type such as `string`, `number?` or `string[]`",
    "path": "a path",
    "glob": "a path pattern such as `src/**`",
    "host": "a host such as `api.example.org`",
    "regex": "a regular expression of RE2",
    "python": "a function such as `package.module:function`",
    "version": "a version such as `1.2.0`",
    "range": "a version range such as `^1.2`",
    "variable": "the name of an environment variable",
    "status": "a status in lower case",
    "name": "a name",
    "argv": "a list of a command and its arguments",
    "json_schema": "a JSON Schema",
}
TYPE_WORDS: Final[dict[str, str]] = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
}
REFERENCE_WORDS: Final[dict[str, str]] = {"mcp_tool": "MCP tool", "mcp_server": "MCP server"}


def quoted(words: Iterable[object], last: str = "or") -> str:
    """`a`, `b` or `c`."""
    return listed([f"`{plain_word(word)}`" for word in words], last)


def listed(parts: list[str], last: str = "or") -> str:
    """The parts with commas, and a word before the last one."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def plain_word(word: object) -> str:
    """A value as it is written in a spec."""
    match word:
        case bool():
            return "true" if word else "false"
        case None:
            return "null"
        case _:
            return str(word)


def clipped(text: str) -> str:
    """At most a line's worth of a text, without line ends."""
    line = " ".join(text.split())
    return line if len(line) <= CLIP else line[: CLIP - 1] + "…"


def found(node: Written) -> str:
    """What stands there, in words: ``the string `read` ``, `a list`."""
    match node:
        case Mapping():
            return "a mapping"
        case Sequence():
            return "a list"
        case Broken():
            return "something unreadable"
        case Scalar(value=None):
            return "nothing"
        case Scalar(value=bool() as value):
            return f"`{plain_word(value)}`"
        case Scalar(value=str() as value):
            return f"the string `{clipped(value)}`" if value.strip() else "an empty text"
        case Scalar(value=value):
            is_put_in = "${" in node.span.text  # the value of an input: what stands there is its slot
            return f"the number `{clipped(plain_word(value) if is_put_in else node.span.text)}`"


def wanted(node: Node) -> str:
    """What may stand at a place, in words: "`false` or a duration such as `30s`"."""
    parts: list[str] = []
    for branch in branches(node):
        parts += [part for part in _branch_words(branch) if part not in parts]
    return listed(parts)


def _branch_words(branch: Node) -> list[str]:
    if "enum" in branch or "const" in branch:
        return [f"`{plain_word(word)}`" for word in branch.get("enum", [branch.get("const")])]
    mark = branch.get(MARK, {})
    if mark.get("kind") == "reference":
        return [f"the name of {_article(mark['to'])} {REFERENCE_WORDS.get(mark['to'], mark['to'])}"]
    meant = mark.get("form", mark.get("kind"))
    if meant in KIND_WORDS:
        return [KIND_WORDS[meant]]
    kind = branch.get("type")
    match kind:
        case "boolean":
            return ["`true`", "`false`"]
        case "integer" | "number":
            return [TYPE_WORDS[kind] + bounds(branch)]
        case str():
            return [TYPE_WORDS[kind]]
        case _:
            return ["a value"]


def bounds(branch: Node) -> str:
    """The range of a number in words, with a space before it, or nothing."""
    low, high, above = branch.get("minimum"), branch.get("maximum"), branch.get("exclusiveMinimum")
    floor = f" from {low}" if low is not None else f" above {above}" if above is not None else ""
    return floor if high is None else f"{floor} to {high}" if floor else f" up to {high}"


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


NAME_RULES: Final[dict[str, str]] = {
    r"^[A-Za-z0-9_-]{1,64}$": "letters, digits, `_` and `-`, at most 64 of them",
    r"^[A-Za-z_][A-Za-z0-9_]*$": "a letter or `_`, then letters, digits and `_`",
    r"^[A-Za-z_][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*$": "letters, digits and `_`, with single `.` or `-` inside",
    r"^[a-z][a-z0-9_]*$": "a small letter, then small letters, digits and `_`",
    r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$": "letters, digits, `-` and a few other signs, and no space",
    r"^[^\s/]+$": "no scheme, no path and no space",
}


def name_rule(branch: Node) -> str | None:
    """How a name is written, in words."""
    rule = NAME_RULES.get(branch.get("pattern", ""))
    return None if rule is None else f"it is written with {rule}"
