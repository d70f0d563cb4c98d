"""Mutated documents: nothing is raised, nothing hangs, every place is true, and both of PyYAML's parsers agree."""

from __future__ import annotations

import random
import time

import pytest

from agentspec.syntax.offsets import decoded
from agentspec.syntax.tape import BLOCK
from agentspec.syntax.tree import Broken, Mapping, Node, Parsed, Scalar, Sequence
from agentspec.syntax.yaml import parse
from agentspec.syntax.yaml.python import PythonParser
from agentspec.text.render import render
from agentspec.text.source import Source, Span

SEEDS = (
    """name: release-audit
description: "Read-only audit of a release branch"
execution:
  iteration_budget: {mode: adaptive, initial: 4, max: 12, extend_by: 2}
  loop_control:
    - when: completion.vetoed
      extend: 2
      reason: completion gate vetoed  # why
    - when: 'progress.turns_since_progressing > 3'
      stop: incomplete
  require_successful_tools: [read_file, [search_files, list_directory]]
context:
  system: |
    You audit: the "branch"

      and more
  other: >-
    folded
    text
""",
    """base: &b {x: 1, y: [p, q]}
use: *b
d:
  <<: *b
  z: |+
    t

  w: >
    a
    b

     c
'k': "x\\ty\\u0041\\
   z"
+l: !final [1, 'a''b', "c"]
? m
: n
gone: !unset
--- # x
name: y
...
""",
    "name: x\r\ndescription: >\r\n  a\r\n\r\n  b\r\nlist:\r\n- a: 1\r\n  b: 2\r\n-\r\n  - c\r\n",
    '{"a": 1, "b": [true, null, 1.5e3], "c": {"d": "\\ud83d\\ude00", "$final": {"$unset": true}}}',
    "a:\tb\nc: [\n\t1,\n\t2]\n# c\nd: x # y\ne:\n\tf: 1\n",
    'a: {when: min(a, b) > 3, do: stop}\nb: a ? b : c\nc: "a" == b\nd: \'it\'s\'\ne: [1\nf: "C:\\Users"\ng: @x\n',
)
PIECES = (
    *" \n\t:-#'\"[]{},&*!|>%@`?~.\\ab1\r\x85\u2028é😀=<+",
    *("- ", ": ", "\n  ", "\n\n", " #", "<<: *b", "&b ", "*b", "!final ", "---\n", "...\n", "|\n", "\\u", "\\x", "''"),
    *("\\\n", "%YAML 1.1\n", "? ", "!!str ", ">-\n", "\u202e", "012", ".nan", "\r\n"),
)


def mutated(chance: random.Random) -> str:
    text = chance.choice(SEEDS)
    for _ in range(chance.choice([1, 1, 1, 2, 2, 3, 5, 8])):
        at = chance.randrange(len(text) + 1)
        match chance.randrange(5):
            case 0:
                text = text[:at] + chance.choice(PIECES) + text[at:]
            case 1:
                text = text[:at] + text[at + chance.choice([1, 1, 2, 5]) :]
            case 2:
                text = text[:at] + chance.choice(PIECES) + text[at + 1 :]
            case 3:
                text = text[:at] + text[chance.randrange(len(text) + 1) :]
            case _:
                end = min(len(text), at + chance.randrange(40))
                text = text[:at] + text[at:end] * 2 + text[end:]
    return text[:3000]


def shape(node: Node) -> object:
    """Everything about a node, comparable."""
    place = (type(node).__name__, node.span.start, node.span.end)
    match node:
        case Scalar():
            return (*place, repr(node.value), node.style, node.base_indent, node.anchor and node.anchor[1:])
        case Mapping():
            entries = [
                (shape(each.key), shape(each.value), each.operation, each.final, each.merged and each.merged[1:])
                for each in node.entries
            ]
            return (*place, node.flow, node.anchor and node.anchor[1:], entries)
        case Sequence():
            return (*place, node.flow, node.anchor and node.anchor[1:], [shape(item) for item in node.items])
        case Broken():
            return place


def everything(parsed: Parsed) -> tuple[object, object]:
    findings = [
        (
            each.code,
            each.message,
            each.span[1:],
            each.path,
            each.help,
            [(edit.span[1:], edit.text) for edit in each.fix.edits],
        )
        if each.fix
        else (each.code, each.message, each.span[1:], each.path, each.help)
        for each in parsed.diagnostics
    ]
    return [(shape(document.root), document.has_broken) for document in parsed.documents], findings


def check_places(node: Node, around: Span) -> None:
    """Every node stands within the one around it; what an alias or a merge brings in stands elsewhere.

    And every text is read from its source a second time, character by character.
    """
    assert around.start <= node.span.start <= node.span.end <= around.end, (around.text, node.span.text)
    match node:
        case Scalar(anchor=None, value=str() as value):
            text = node.span.source.text
            assert (node.style in BLOCK and "\t" in text) or decoded(
                text, node.span.start, node.span.end, node.style, node.base_indent
            ) == value
        case Mapping(anchor=None):
            for entry in node.entries:
                if entry.merged is None:
                    check_places(entry.key, node.span)
                    check_places(entry.value, node.span)
        case Sequence(anchor=None):
            for item in node.items:
                check_places(item, node.span)


def survive(seed: int, count: int) -> None:
    chance = random.Random(seed)
    for _ in range(count):
        text = mutated(chance)
        source = Source("x.yaml", text)
        begun = time.process_time()

        parsed = parse(source)

        assert time.process_time() - begun < 0.5, text
        assert parsed.documents or parsed.diagnostics, text
        assert not any(document.has_broken for document in parsed.documents) or parsed.diagnostics, text
        for document in parsed.documents:
            check_places(document.root, Span(source, 0, len(text)))
        for finding in parsed.diagnostics:
            assert render(finding).isprintable() or "\n" in render(finding)
        assert everything(parsed) == everything(parse(source, PythonParser)), text


def test_mutated_documents_are_read_or_refused() -> None:
    survive(seed=1, count=300)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_many_more_mutated_documents_are_read_or_refused(seed: int) -> None:
    survive(seed=100 + seed, count=3000)
