"""Comments of a DSL text: each stays with what it speaks of, and none is lost."""

from __future__ import annotations

import random
import re

import pytest

from agentspec.syntax.dsl import parse
from agentspec.syntax.tree import Comments, Document, Entry, Mapping, Node, Path, Sequence, dotted
from agentspec.text.source import Source


def placed(text: str) -> dict[str, object]:
    """Every comment by the path of what has it, and `before`, `inline` or `after`."""
    found: dict[str, object] = {}
    parsed = parse(Source("x.agent", text))
    assert parsed.diagnostics == []
    for document in parsed.documents:
        visit(document.root, (), found)
        if document.tail_comments:
            found["tail"] = document.tail_comments
    return found


def visit(item: Node | Entry, path: Path, found: dict[str, object]) -> None:
    note(item.comments, dotted(path) or "-", found, is_value=isinstance(item, Mapping | Sequence))
    match item:
        case Mapping():
            for entry in item.entries:
                visit(entry, (*path, entry.name), found)
        case Sequence():
            for index, each in enumerate(item.items):
                visit(each, (*path, index), found)
        case Entry():
            if isinstance(item.value, Mapping | Sequence):
                visit(item.value, path, found)


def note(comments: Comments | None, place: str, found: dict[str, object], *, is_value: bool) -> None:
    if comments is None:
        return
    assert is_value or not comments.after
    for kind, said in (("before", comments.before), ("inline", comments.inline), ("after", comments.after)):
        if said:
            assert f"{place} {kind}" not in found
            found[f"{place} {kind}"] = said


def test_a_comment_stays_with_what_it_speaks_of():
    text = """\
# file
# head
agent x { # on the head
  # a
  a: 1 # beside a
  b { # beside b
    # c
    c: 2
    # end of b
  } # behind b
  list: [ # beside list
    # one
    1, # beside one
    { d: 3 }, # beside two
    # end of list
  ]
  # end of x
} # behind x
# end
"""

    assert placed(text) == {
        "- before": ["# file", "# head"],
        "- inline": "# on the head",
        "a before": ["# a"],
        "a inline": "# beside a",
        "b inline": "# beside b",
        "b.c before": ["# c"],
        "b after": ["# end of b", "# behind b"],
        "list inline": "# beside list",
        "list[0] before": ["# one"],
        "list[0] inline": "# beside one",
        "list[1] inline": "# beside two",
        "list after": ["# end of list"],
        "- after": ["# end of x", "# behind x"],
        "tail": ["# end"],
    }


def test_comments_of_sugar_go_to_the_entries_that_it_makes():
    text = """\
agent x {
  inputs {
    # n
    n: number # beside n
  }
  r {
    # first rule
    when a => stop # beside the first
    when b # inside
      && c => none
    # end of rules
  }
  capability {
    # f
    tool f( # beside f
      # a
      a: number, # beside a
      b: string
      # end of parameters
    ) -> number
      # above the doc
      "doc"
      = args.a
    # kit
    toolkit git { # beside kit
      repo: "." # beside repo
    }
    # g
    tool g() {
      # run
      run: [ls]
      # end of g
    }
    # end of capability
  }
  e = (a # in e
    + 1) # behind e
}
"""

    assert placed(text) == {
        "inputs.n before": ["# n"],
        "inputs.n inline": "# beside n",
        "r[0] before": ["# first rule"],
        "r[0] inline": "# beside the first",
        "r[1] inline": "# inside",
        "r after": ["# end of rules"],
        "capability.tools.f before": ["# f", "# above the doc"],
        "capability.tools.f inline": "# beside f",
        "capability.tools.f.parameters.a before": ["# a"],
        "capability.tools.f.parameters.a inline": "# beside a",
        "capability.tools.f.parameters after": ["# end of parameters"],
        "capability.toolkits[0] before": ["# kit"],
        "capability.toolkits[0] inline": "# beside kit",
        "capability.toolkits[0].git.repo inline": "# beside repo",
        "capability.tools.g before": ["# g"],
        "capability.tools.g.run before": ["# run"],
        "capability.tools.g after": ["# end of g"],
        "capability after": ["# end of capability"],
        "e inline": "# in e",
        "e before": ["# behind e"],
    }


def test_a_comment_set_apart_from_the_first_head_of_a_group_speaks_of_the_group():
    text = """\
agent x {
  capability {
    # both tools
    # and more

    # f
    tool f() = 1

    # g
    tool g() = 2

    # kits

    toolkit git
    # servers
    mcp a { b: 1 }
  }
}
"""

    assert placed(text) == {
        "capability.tools before": ["# both tools", "# and more"],
        "capability.tools.f before": ["# f"],
        "capability.tools.g before": ["# g"],
        "capability.toolkits before": ["# kits"],
        "capability.mcp.a before": ["# servers"],
    }


def test_a_comment_between_documents_belongs_to_the_next():
    text = "agent a { }\n# b\nagent b { } # behind b\n"

    assert placed(text) == {"- before": ["# b"], "- inline": "# behind b"}


def test_a_quoted_sign_begins_no_comment():
    text = 'agent x { a: "# b" c = "#" + d\n e: """\n# f\n""" }'

    assert placed(text) == {}


def test_a_comment_of_another_language_becomes_one_of_this():
    [document] = parse(Source("x.agent", "agent x {\n  // why\n  a: 1\n}")).documents
    found: dict[str, object] = {}
    visit(document.root, (), found)

    assert found == {"a before": ["# why"]}


def counted(node: Node) -> int:
    found: dict[str, object] = {}
    visit(node, (), found)
    return sum(1 if isinstance(said, str) else len(said) for said in found.values() if isinstance(said, str | list))


WHOLE = """\
agent x extends a, b {
  inputs { n: number = 3 }
  r { when a && f(x, y) => stop incomplete "why" { label: z }
      when b => { provider: c } }
  list: [1, [x, "y"], { z: 64KiB }]
  capability { toolkit files.read { root: "." }
    tool f(a: {b: string}, c: integer? = 2 "doc") -> string "doc" { run: [ls] }
    tool g() = 1
    final max: 3 unset old more += [1] }
  s: \"\"\"
    t
    \"\"\"
}
preset p { }
"""
TOKENS = re.findall(r'"""[\s\S]*?"""|"[^"\n]*"|[\w.]+|=>|->|\+=|\s+|.', WHOLE)


@pytest.mark.parametrize("seed", range(40))
def test_no_comment_is_lost_wherever_it_stands(seed):
    chance = random.Random(seed)
    text, count = "", 0
    for token in TOKENS:
        text += token
        if chance.random() < 0.3:
            text, count = f"{text} #{count}\n", count + 1

    documents: list[Document] = parse(Source("x.agent", text)).documents

    assert sum(counted(each.root) + len(each.tail_comments) for each in documents) == count
