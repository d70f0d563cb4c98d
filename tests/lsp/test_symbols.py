"""The outline of a file."""

from agentspec.lsp.symbols import Symbol, symbols
from agentspec.syntax.read import parse
from agentspec.text.source import Source


def outline(found: list[Symbol], depth: int = 0) -> list[str]:
    lines = []
    for one in found:
        assert one.span.start <= one.name_span.start <= one.name_span.end <= one.span.end
        lines += [f"{'  ' * depth}{one.name} {one.kind} {one.detail}".rstrip(), *outline(list(one.children), depth + 1)]
    return lines


def test_an_outline_has_the_documents_with_what_is_in_them() -> None:
    text = "agent one {\n  execution { loop_control { when completion.vetoed => extend 2 } }\n}\npreset two { model { provider: x } }\n"

    found = symbols(parse(Source("a.agent", text)))

    assert outline(found) == [
        "one document agent",
        '  name value "one"',
        "  execution mapping",
        "    loop_control list",
        "      when: completion.vetoed mapping",
        '        when value "completion.vetoed"',
        "        extend value 2",
        "two document preset",
        '  preset value "two"',
        "  model mapping",
        '    provider value "x"',
    ]


def test_what_is_broken_or_reached_by_an_alias_has_its_place_in_it() -> None:
    text = "name: a\nexecution: &e {max_nudges: 3}\nx-other: *e\ncontext: [\n"

    found = symbols(parse(Source("a.yaml", text)))

    assert outline(found) == [
        "a document agent",
        '  name value "a"',
        "  execution mapping",
        "    max_nudges value 3",
        "  x-other mapping",
        "  context value",
    ]
