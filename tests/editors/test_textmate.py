"""The TextMate grammar of the DSL: it colours what the page on the DSL shows."""

import json
import re
from pathlib import Path

from agentspec.syntax.dsl.lalr import load
from tests.editors.textmate import coloured, patterns_of

EDITOR = Path(__file__).parents[2] / "editors" / "vscode"
GRAMMAR = json.loads((EDITOR / "syntaxes" / "agentspec.tmLanguage.json").read_text("utf-8"))
EXAMPLE = '''\
# Audits a branch.
agent release-audit extends audit, "./x.yaml" {
  description: "Read-only \\"audit\\" of ${inputs.branch}" # why
  inputs { branch: string = "main" }
  execution {
    loop_control {
      when progress.turns > 3 &&
        text.size(x) >= 1.5 => stop incomplete "nothing new"
    }
    timeout: 30s
    list: [read_file, true]
    unset old
    final max: 3
    more += [1]
  }
  capability {
    toolkit files.read { root: "." }
    tool calc(op: "add" | "sub", n: number?) -> number
      = args.op == 'add # x' ? f(
          args.n) : -1 # end
  }
  context {
    system: """
      # no comment, ${inputs.branch} and $${x}
      """
  }
}
'''


def test_the_example_is_coloured_by_what_each_word_is():
    found: dict[str, list[str]] = {}
    for piece, scope in coloured(GRAMMAR, EXAMPLE):
        found.setdefault(scope, []).append(piece)

    told = {scope: " ".join(pieces) for scope, pieces in found.items() if not scope.startswith(("punctuation", "meta"))}
    assert told == {
        "comment.line.number-sign": "# Audits a branch. # why # end",
        "keyword.declaration": "agent toolkit tool",
        "entity.name.type": "release-audit files.read",
        "keyword.other": "extends",
        "entity.other.inherited-class": "audit",
        "string.quoted.double": '" ./x.yaml " " Read-only audit of " " nothing new " " . " " add " " sub "',
        "support.type.property-name": (
            "description inputs branch execution loop_control timeout list old max more capability root op n context system"
        ),
        "constant.character.escape": '\\" \\" $${',
        "variable.other": "inputs branch progress turns text x args op args n inputs branch",
        "keyword.operator.type": ": | : ? ->",
        "support.type": "string number number",
        "keyword.operator.assignment": "= += =",
        "string.quoted": "\"main\" 'add # x'",
        "keyword.control": "when",
        "keyword.operator": "> && >= == ? : -",
        "constant.numeric": "3 1.5 30 3 1 1",
        "entity.name.function": "size calc f",
        "keyword.operator.arrow": "=>",
        "keyword.other.verb": "stop",
        "string.unquoted": "incomplete read_file",
        "keyword.other.unit": "s",
        "constant.language": "true",
        "storage.modifier": "unset final",
        "string.quoted.triple": "# no comment, and x}",
    }


def test_an_expression_ends_before_the_comma_of_its_list():
    found = coloured(GRAMMAR, "x { a = b, c: 1 }\n")

    assert [scope for piece, scope in found if piece == ","] == ["punctuation.separator"]


def test_a_word_that_begins_other_heads_is_a_word_among_values():
    inside = "context { system: extends\n  list: [extends, x]\n  max: 3 }\n"

    found = dict(coloured(GRAMMAR, f"agent a {{ {inside} }}\n"))

    assert (found["extends"], found["max"], found["3"]) == (
        "string.unquoted",
        "support.type.property-name",
        "constant.numeric",
    )


def test_every_pattern_is_one_that_editors_and_this_test_read_alike():
    for pattern in patterns_of(GRAMMAR):
        re.compile(re.sub(r"\\(\d)", "x", pattern))
        assert not re.search(r"\(\?P|\(\?[a-zA-Z]+[:)]|\\[AZzhHGKRX]|[*?}]\+|\[\[|\[[^\]]*&&", pattern), pattern


def test_the_grammar_knows_every_keyword():
    keywords = {text for kind, text in load("document").tokens.values() if kind == "str" and text.isalpha()}
    told = set(re.findall(r"[a-z]+", " ".join(patterns_of(GRAMMAR))))

    assert keywords - told == {"inputs", "capability"}  # keys as any other


def test_the_extension_names_what_is_there():
    package = json.loads((EDITOR / "package.json").read_text("utf-8"))
    [language], [grammar] = package["contributes"]["languages"], package["contributes"]["grammars"]

    assert (EDITOR / language["configuration"]).is_file()
    assert (EDITOR / grammar["path"]).is_file()
    assert language["extensions"] == [".agent"]
    assert grammar["scopeName"] == GRAMMAR["scopeName"]
