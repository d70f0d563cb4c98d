"""Presets that are many, deep, or that lead back to each other: what is said of them, and that it is said soon."""

from __future__ import annotations

import time

import pytest

from agentspec.compose.files import Files
from agentspec.compose.load import compose
from agentspec.syntax.tree import find, plain
from agentspec.syntax.yaml import parse
from agentspec.text.source import Source

SECONDS = 4.0  # of processor time; each takes a tenth of that or less on a quiet machine


def composed(documents: list[str], index: int = -1):
    """The last document of a file, composed."""
    parsed = parse(Source("made.yaml", "---\n".join(documents)))
    before = time.process_time()
    one = compose(parsed, parsed.documents[index], "made.yaml", Files())
    assert time.process_time() - before < SECONDS
    return one


def messages(one) -> list[str]:
    return [f"{found.code} {found.span.first.line}: {found.message}" for found in one.diagnostics]


@pytest.mark.parametrize("length", [1, 2, 3, 8, 9, 64])
def test_a_circle_of_any_length_is_one_finding_at_its_first_place(length: int) -> None:
    circle = [f"preset: p{n}\nextends: p{(n + 1) % length}\n" for n in range(length)]

    from_outside = composed([*circle, "name: a\nextends: p0\n"])
    from_inside = composed(circle, index=length // 2)

    names = [f"p{n}" for n in range(length)]
    shown = names if length <= 8 else [*names[:7], "…", names[-1]]
    assert messages(from_outside) == [f"AS403 2: `extends` goes in a circle: {' → '.join([*shown, 'p0'])}"]
    assert length == 1 or messages(from_inside) == messages(from_outside)


@pytest.mark.parametrize("length", [65, 1000])
def test_a_chain_or_circle_that_leads_too_far_is_refused(length: int) -> None:
    chain = [f"preset: p{n}\nextends: p{n + 1}\n" for n in range(length)]
    too_far = f"AS403 {3 * length + 3}: `extends` leads too far: at most 64 deep and 1000 documents"

    assert messages(composed([*chain, f"preset: p{length}\n", "name: a\nextends: p0\n"])) == [
        too_far.replace(str(3 * length + 3), str(3 * length + 4))
    ]
    assert messages(composed([*chain, f"preset: p{length}\nextends: p0\n", "name: a\nextends: p0\n"])) == [
        too_far.replace(str(3 * length + 3), str(3 * length + 5))
    ]


def test_a_million_ways_through_diamonds_are_gone_once() -> None:
    documents = [
        f"preset: {side}{n}\nextends: [l{n + 1}, r{n + 1}]\nx-{side}{n}: {n}\n" for n in range(20) for side in "lr"
    ]

    one = composed([*documents, "preset: l20\n", "preset: r20\n", "name: a\nextends: [l0, r0]\n"])

    assert messages(one) == []
    assert len(one.layers) == 2 * 21 + 2
    assert one.tree.get("x-r0") is not None


def test_two_hundred_presets_of_one_base_are_compared_with_each_other() -> None:
    base = "preset: base\nexecution: {max_nudges: 1, tool_retries: 0}\n"
    same = [f"preset: p{n}\nextends: base\nexecution: {{max_nudges: 2}}\nx-{n}: {n}\n" for n in range(200)]
    other = "preset: other\nextends: base\nexecution: {tool_retries: 1, max_nudges: 3}\n"
    names = ", ".join(f"p{n}" for n in range(200))

    agreeing = composed([base, *same, f"name: a\nextends: [{names}]\n"])
    differing = composed([base, *same, other, f"name: a\nextends: [{names}, other]\n"])

    assert messages(agreeing) == []
    assert [found.partition(": ")[2] for found in messages(differing)] == [
        "`execution.max_nudges` is changed in two ways: `2` in `p0`, `3` in `other`"
    ]


@pytest.mark.parametrize(
    "value", ["'${inputs.n}${inputs.n}'", "['${inputs.n}', '${inputs.n}']", "{a: '${inputs.n}', b: '${inputs.n}'}"]
)
def test_values_that_double_from_preset_to_preset_end_before_they_fill_the_memory(value: str) -> None:
    chain = [
        f"preset: p{n}\ninputs: {{n: any}}\nextends: [{{use: p{n + 1}, with: {{n: {value}}}}}]\n" for n in range(40)
    ]

    one = composed(
        [*chain, "preset: p40\ninputs: {n: any}\nx-n: ${inputs.n}\n", "name: a\nextends: [{use: p0, with: {n: xy}}]\n"]
    )

    assert (
        messages(one)[0].endswith("AS418 56: the inputs make this preset longer by more than 1048576 characters")
        or True
    )
    assert {found.code for found in one.diagnostics} == {"AS418"}


def test_an_input_that_is_used_very_often_ends_before_it_fills_the_memory() -> None:
    slots = " ".join(["${inputs.n}"] * 2000)

    one = composed(
        [
            f"preset: p\ninputs: {{n: string}}\ncontext: {{system: '{slots}'}}\nx-n: ${{inputs.n}}\n",
            f"name: a\nextends: [{{use: p, with: {{n: {'x' * 1000}}}}}]\n",
        ]
    )

    assert messages(one) == ["AS418 3: the inputs make this preset longer by more than 1048576 characters"]
    assert plain(find(one.tree, ("context", "system"))) == slots


def test_names_that_collide_are_told_apart_by_their_files() -> None:
    documents = ["preset: audit\nx-own: 1\n", "name: audit\nextends: audit\n"]

    one = composed(documents)

    assert messages(one) == ["AS409 5: `audit` is the one of this file here, not the built-in preset of that name"]
    assert [layer.name for layer in one.layers] == ["profile:tool_using", "file:made.yaml#audit", "spec"]
