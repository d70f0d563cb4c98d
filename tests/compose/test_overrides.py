"""What a command line says over a spec: paths, values, and what is wrong with them."""

from __future__ import annotations

import pytest

from agentspec.compose.overrides import read_value
from agentspec.syntax.tree import Node, Scalar, dotted, find, plain, walk
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source

SPEC = """\
name: a
model:
  routes:
    - {model: small, when: "true"}
    - {model: large}
execution: {max_nudges: 1, output: text}
capability:
  toolkits: [{files.read: {root: .}}]
"""


def read(text: str) -> object:
    found = read_value(Source("--set x", f"x={text}"), 2)
    return found if isinstance(found, Diagnostic) else plain(found)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        (" 5 ", 5),
        ("-1.5", -1.5),
        ("0o17", 15),
        ("true", True),
        ("no", "no"),
        ("null", None),
        ("~", None),
        ("", None),
        ("text", "text"),
        ("30s", "30s"),
        ("gpt-5.4-mini", "gpt-5.4-mini"),
        ("1:30", "1:30"),
        ("http://localhost:8080/v1", "http://localhost:8080/v1"),
        ("Be brief: say no.", "Be brief: say no."),
        ("a # b", "a # b"),
        ("two\nlines", "two\nlines"),
        ("- item", "- item"),
        ("key:", "key:"),
        ("---", "---"),
        ("*.md", "*.md"),
        ("@file", "@file"),
        ("&a", "&a"),
        ("!secret", "!secret"),
        ("%x", "%x"),
        ("| x", "| x"),
        ("# no comment", "# no comment"),
        ("'5'", "5"),
        ('"a\\nb"', "a\nb"),
        ("[1, two, 'three']", [1, "two", "three"]),
        ("[]", []),
        ("{a: 1, b: [c]}", {"a": 1, "b": ["c"]}),
    ],
)
def test_a_value_is_a_yaml_scalar_or_flow_and_any_other_text_is_itself(text: str, value: object) -> None:
    found = read(text)

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["[1, 2", "{a: 1", "'open", '"a" b', "{a: *x}", "[!!python/none x]"])
def test_flow_style_that_is_not_whole_is_an_error_in_the_option_itself(text: str) -> None:
    found = read(text)

    assert isinstance(found, Diagnostic)
    assert found.code == "AS421"
    assert found.message.startswith(f"cannot read `{text}`")
    assert found.span.source.name == "--set x"
    assert found.span.source.text == f"x={text}"


def at(folder, argument: str) -> tuple[Node | None, str]:
    """The effective node that a `--set` sets, and the text of its span."""
    composed = folder.load(SPEC, sets=[argument])
    assert composed.diagnostics == []
    [(path, node)] = [
        (path, node)
        for path, node in walk(composed.tree)
        if isinstance(node, Scalar) and node.span.source.name == f"--set {argument}"
    ]
    return find(composed.tree, path), f"{dotted(path)} = {node.span.text}"


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("execution.max_nudges=7", "execution.max_nudges = 7"),
        ("task=Say hello", "task = Say hello"),
        ("model.routes[1].model=huge", "model.routes[1].model = huge"),
        ("model.routes[0].temperature=1", "model.routes[0].temperature = 1"),
        ('capability.toolkits[0]."files.read".root=src', 'capability.toolkits[0]["files.read"].root = src'),
        ('capability.toolkits[0]["files.read"].root=src', 'capability.toolkits[0]["files.read"].root = src'),
        ("capability.tools.calc.expr=a == b", "capability.tools.calc.expr = a == b"),
        ("x-own.k=v=w", "x-own.k = v=w"),
    ],
)
def test_a_path_has_dots_items_and_quoted_keys(folder, argument: str, expected: str) -> None:
    assert at(folder, argument)[1] == expected


def test_a_mapping_merges_and_a_list_replaces(folder) -> None:
    sets = ["execution={max_nudges: 2}", "model.routes=[{model: only}]", "model.routes[0]={when: 'false'}"]

    values = folder.value(SPEC, sets=sets)

    assert values["execution"] == {"max_iterations": 50, "max_nudges": 2, "output": "text"}
    assert values["model"] == {"routes": [{"model": "only", "when": "false"}]}


def test_a_flow_value_may_unset_inside(folder) -> None:
    assert folder.value(SPEC, sets=["execution={output: !unset }"])["execution"] == {
        "max_iterations": 50,
        "max_nudges": 1,
    }


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("", "AS420 --set :1:1 a path begins with a key"),
        ("=5", "AS420 --set =5:1:1 a path begins with a key"),
        ("max_nudges", "AS420 --set max_nudges:1:11 `--set` needs `PATH=VALUE`"),
        ("a..b=1", "AS420 --set a..b=1:1:2 this is not a path"),
        (".a=1", "AS420 --set .a=1:1:1 this is not a path"),
        ("a.=1", "AS420 --set a.=1:1:2 this is not a path"),
        ("[0]=1", "AS420 --set [0]=1:1:1 a path begins with a key"),
        ("a[x]=1", "AS420 --set a[x]=1:1:2 this is not a path"),
        ("a b=1", "AS420 --set a b=1:1:2 this is not a path"),
        ('a."b=1', 'AS420 --set a."b=1:1:2 this is not a path'),
        (
            "model.routes[2].model=x",
            "AS420 --set model.routes[2].model=x:1:14 no item `[2]`: `model.routes` has 2 items, counted from 0",
        ),
        (
            "capability.toolkits[1]=x",
            "AS420 --set capability.toolkits[1]=x:1:21 no item `[1]`: `capability.toolkits` has 1 item, counted from 0",
        ),
        ("execution[0]=x", "AS420 --set execution[0]=x:1:11 `execution` is not a list"),
        ("nothing[0]=x", "AS420 --set nothing[0]=x:1:9 `nothing` is not a list"),
        ("extends=audit", "AS420 --set extends=audit:1:1 `--set` cannot change `extends`"),
        ("task=[a", "AS421"),
    ],
)
def test_what_is_wrong_with_a_set_is_found_in_its_own_text(folder, argument: str, expected: str) -> None:
    found = folder.findings(SPEC, sets=[argument])

    assert [each[: len(expected)] for each in found] == [expected]


def test_a_wrong_set_leaves_the_others_in_place(folder) -> None:
    composed = folder.load(SPEC, sets=["a..b=1", "execution.max_nudges=7"])

    assert plain(composed.tree)["execution"]["max_nudges"] == 7
    assert [found.code for found in composed.diagnostics] == ["AS420"]


@pytest.mark.parametrize("argument", ["gpt-5.4-mini", "openai:", ":gpt", "", ":"])
def test_a_model_needs_a_provider_and_a_name(folder, argument: str) -> None:
    assert folder.findings(SPEC, model=argument) == [f"AS422 --model {argument}:1:1 `--model` needs `PROVIDER:MODEL`"]
