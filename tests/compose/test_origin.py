"""Each effective value knows the chain that led to it, lowest layer first."""

from __future__ import annotations

from agentspec.compose.origin import Origin, closed_by, history
from agentspec.syntax.tree import Mapping, Scalar, dotted, find, plain, walk


def chains(composed) -> dict[str, list[str]]:
    """`LAYER FILE:LINE:COLUMN value` for each layer of each path."""
    return {dotted(path): [shown(origin) for origin in chain] for path, chain in composed.origins.items()}


def shown(origin: Origin) -> str:
    line, column = origin.span.first
    return f"{origin.layer} {origin.span.source.name}:{line}:{column} {origin.value!r}"


def test_every_layer_that_spoke_is_in_the_chain(folder) -> None:
    folder.write("house.yaml", "preset: house\nextends: audit\nexecution: {max_nudges: 6}\n")

    found = chains(
        folder.load("name: a\nextends: ./house.yaml\nexecution: {max_nudges: 7}\n", sets=["execution.max_nudges=9"])
    )

    assert found["execution.max_nudges"] == [
        "profile:verifier stdlib/profiles/verifier.yaml:6:15 0",
        "preset:audit stdlib/presets/audit.agent:19:17 1",
        "file:house.yaml house.yaml:3:25 6",
        "spec spec.yaml:3:25 7",
        "--set --set execution.max_nudges=9:1:22 9",
    ]
    assert found["model.timeout"] == ["preset:audit stdlib/presets/audit.agent:7:14 '120s'"]
    assert found["name"] == ["spec spec.yaml:1:7 'a'"]


def test_the_model_option_and_inputs_are_layers_of_their_own(folder) -> None:
    found = chains(
        folder.load(
            "name: a\ninputs: {branch: {type: string, default: main}}\nmodel: {provider: openai}\n",
            model="ollama:llama3:8b",
            inputs=["branch=dev"],
        )
    )

    assert found["model.provider"] == [
        "spec spec.yaml:3:19 'openai'",
        "--model --model ollama:llama3:8b:1:1 'ollama'",
    ]
    assert found["model.model"] == ["--model --model ollama:llama3:8b:1:8 'llama3:8b'"]
    assert found["inputs.branch.value"] == ["spec spec.yaml:2:42 'main'", "input --input branch=dev:1:8 'dev'"]


def test_a_list_has_a_chain_and_each_item_the_layer_that_wrote_it(folder) -> None:
    folder.write("house.yaml", "preset: house\nmodel: {stop: [a, b]}\n")

    found = chains(
        folder.load("name: a\nextends: ./house.yaml\nmodel: {+stop: [c]}\n", sets=["model.stop[1]=x"]),
    )

    assert {path: chain for path, chain in found.items() if path.startswith("model")} == {
        "model.stop": [
            "file:house.yaml house.yaml:2:15 ['a', 'b']",
            "spec spec.yaml:3:16 ['a', 'b', 'c']",
            "--set --set model.stop[1]=x:1:12 ['a', 'x', 'c']",
        ],
        "model.stop[0]": ["file:house.yaml house.yaml:2:16 'a'"],
        "model.stop[1]": ["--set --set model.stop[1]=x:1:15 'x'"],
        "model.stop[2]": ["spec spec.yaml:3:17 'c'"],
    }


def test_a_refused_override_is_shown_below_the_value_that_holds(folder) -> None:
    folder.write("house.yaml", "preset: house\nexecution: {tool_retries: !final 1}\n")

    found = chains(folder.load("name: a\nextends: ./house.yaml\nexecution: {tool_retries: 3}\n"))

    assert found["execution.tool_retries"] == [
        "file:house.yaml house.yaml:2:34 1",
        "spec spec.yaml:3:27 3",
        "file:house.yaml house.yaml:2:34 1",
    ]


def test_a_value_given_to_a_preset_stands_where_it_was_given(folder) -> None:
    folder.write("house.yaml", "preset: house\ninputs: {n: integer}\nexecution: {tool_retries: '${inputs.n}'}\n")

    found = chains(folder.load("name: a\nextends: [{use: ./house.yaml, with: {n: 2}}]\n"))

    assert found["execution.tool_retries"] == ["file:house.yaml spec.yaml:2:41 2"]


def test_every_effective_leaf_has_an_origin_that_holds(folder) -> None:
    folder.write(
        "house.yaml", "preset: house\nextends: oncall_captain\ncapability: {tools: {}, mcp: {s: {command: [x]}}}\n"
    )

    composed = folder.load(
        "name: a\nextends: [./house.yaml, summary]\nmodel: {headers: {}}\nlifecycle: {}\n", sets=["task=go"]
    )

    leaves = {
        path: plain(node)
        for path, node in walk(composed.tree)
        if isinstance(node, Scalar) or (isinstance(node, Mapping) and not node.entries)
    }
    assert leaves.keys() <= composed.origins.keys()
    assert {path: composed.origins[path][-1].value for path in leaves} == leaves
    assert all(composed.origins[path][-1].span == find(composed.tree, path).span for path in leaves)


def test_an_override_of_a_final_value_that_says_the_same_is_not_in_the_chain(folder) -> None:
    folder.write("house.yaml", "preset: house\nexecution: {max_nudges: !final 3}\n")

    composed = folder.load("name: a\nextends: ./house.yaml\nexecution: {max_nudges: 3}\n")

    assert chains(composed)["execution.max_nudges"] == [
        "profile:tool_using stdlib/profiles/tool_using.yaml:6:15 8",
        "file:house.yaml house.yaml:2:32 3",
    ]
    closing = closed_by(("execution", "max_nudges"), composed.layers)
    assert closing is not None
    assert shown(closing) == "file:house.yaml house.yaml:2:32 3"
    assert closed_by(("execution", "max_iterations"), composed.layers) is None


def test_what_every_layer_does_is_kept_also_where_it_does_not_hold(folder) -> None:
    folder.write("house.yaml", "preset: house\nmodel: {provider: openai, base_url: 'http://x', stop: [a]}\n")

    composed = folder.load("name: a\nextends: ./house.yaml\nmodel: {provider: script, +stop: [b]}\n")

    def said(*path: str) -> list[str]:
        return [f"{word.does} {shown(word.origin)}" for word in history(path, composed.layers)]

    assert said("model", "base_url") == [
        "sets file:house.yaml house.yaml:2:37 'http://x'",
        "removes spec spec.yaml:3:9 None",
    ]
    assert said("model", "stop") == ["sets file:house.yaml house.yaml:2:55 ['a']", "adds spec spec.yaml:3:34 ['b']"]
    assert said("context", "system") == []
