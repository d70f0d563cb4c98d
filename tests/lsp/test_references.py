"""From words to what they name, and back, through files, presets and documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.errors import NotAllowed
from agentspec.lsp.references import declaration_at, definitions
from agentspec.lsp.rename import renamable
from tests.lsp.texts import Texts

BASE = """\
preset: base
inputs:
  budget: {type: integer, default: 3}
execution:
  max_iterations: ${inputs.budget}
capability:
  tools:
    calc: {description: d, parameters: {lhs: number}, returns: number, expr: args.lhs}
"""
TEAM = """\
agent one {
  extends: [{ use: "./base.yaml", with: { budget: 5 } }]
  inputs { who: string }
  execution {
    require_successful_tools: [calc, read_file]
    max_iterations: 4
  }
  capability {
    toolkit files.read
    tool helper() { agent: two  description: "Asks." }
    tool echo(word: string) { run: [echo, "${args.word}"]  description: "Says it." }
  }
  context { system: "Hello, ${inputs.who}." }
}

agent two extends audit {
  model { provider: openai  fallback: [cheap]  routes: [{ label: cheap, model: "m" }] }
}

scenario "it greets" for one {
  inputs: { who: "Ada" }
}
"""


def team(folder: Path, word: str) -> Texts:
    """The two files, the cursor in a word: `calc,` is the one before a comma."""
    files = {"base_yaml": BASE, "team_agent": TEAM}
    name = next(name for name in reversed(files) if word.replace("‸", "") in files[name])
    files[name] = files[name].replace(word.replace("‸", ""), word, 1)
    return Texts(folder, **files)


@pytest.mark.parametrize(
    ("word", "places"),
    [
        ("[ca‸lc", ["base.yaml:8:5 calc"]),
        ("read_‸file", ["team.agent:9:13 files.read"]),
        ("agent: t‸wo", ["team.agent:16:7 two"]),
        ("./bas‸e", ["base.yaml:1:9 base"]),
        ("bud‸get: 5", ["base.yaml:3:3 budget"]),
        ("inputs.w‸ho", ["team.agent:3:12 who"]),
        ("args.wo‸rd", ["team.agent:11:15 word"]),
        ("[che‸ap]", ["team.agent:17:66 cheap"]),
        ("for o‸ne", ["team.agent:1:7 one"]),
        ('w‸ho: "Ada"', ["team.agent:3:12 who"]),
        ("inputs.bud‸get", ["base.yaml:3:3 budget"]),
        ("max_iter‸ations: 4", ["team.agent:2:51 5", "tool_using.yaml:5:19 50"]),
        ("extends au‸dit", ["audit.agent:1:8 audit"]),
    ],
)  # fmt: skip
def test_a_word_leads_to_where_it_is_declared(tmp_path, word: str, places: list[str]) -> None:
    texts = team(tmp_path, word)

    assert [texts.place(span) for span in definitions(*texts.at)] == places


def test_a_path_leads_to_its_file(tmp_path) -> None:
    (tmp_path / "said.md").write_text("Be kind.\n")
    texts = Texts(tmp_path, a_yaml="name: a\ncontext: {system: {file: sa‸id.md}}\n")

    assert [texts.place(span) for span in definitions(*texts.at)] == ["said.md:1:1 "]


@pytest.mark.parametrize(
    ("word", "places"),
    [
        ("inputs { w‸ho", ["team.agent:13:38 who", "team.agent:21:13 who"]),
        ("agent o‸ne", ["team.agent:20:26 one"]),
        ("ca‸lc: {", ["team.agent:5:32 calc"]),
        ("[ca‸lc", ["team.agent:5:32 calc"]),
        ("bud‸get: {", ["base.yaml:5:28 budget", "team.agent:2:43 budget"]),
        ("preset: ba‸se", ['team.agent:2:20 "./base.yaml"']),
        ("label: che‸ap", ["team.agent:17:40 cheap"]),
    ],
)  # fmt: skip
def test_a_name_is_found_wherever_it_is_meant(tmp_path, word: str, places: list[str]) -> None:
    texts = team(tmp_path, word)
    found = declaration_at(*texts.at)

    assert found is not None
    assert [texts.place(use.word or use.span) for use in texts.desk.references(found)] == places


@pytest.mark.parametrize(
    ("word", "name", "changed"),
    [
        ("inputs { w‸ho", "person", {"who": "person"}),
        ("inputs.w‸ho", "person", {"who": "person"}),
        ("agent: t‸wo", "second", {"two": "second"}),
        ("tool ec‸ho", "say_it", {"tool echo": "tool say_it"}),
        ("[ca‸lc", "sum", {"calc": "sum"}),
        ("bud‸get: {", "most", {"budget": "most"}),
        ("[che‸ap]", "low", {"cheap": "low"}),
        ("(wo‸rd", "term", {"word: string": "term: string", "args.word": "args.term"}),
    ],
)
def test_a_name_is_changed_wherever_it_is_meant(tmp_path, word: str, name: str, changed: dict[str, str]) -> None:
    texts = team(tmp_path, word)
    expected = {"base.yaml": BASE, "team.agent": TEAM}
    for before, after in changed.items():
        expected = {file: text.replace(before, after) for file, text in expected.items()}

    edits = texts.desk.renamed(renamable(*texts.at), name)

    assert texts.after(edits) == expected


@pytest.mark.parametrize(
    ("word", "name", "reason"),
    [
        ("read_‸file", "x", "`read_file` is not named by a spec; it comes with `files.read`"),
        ("extends au‸dit", "x", "`audit` stands in `stdlib/presets/audit.agent`, too, which does not belong to what is open"),
        ("tool ec‸ho", "helper", "`helper` cannot be the name: "),
        ("tool ec‸ho", "a b", "`a b` cannot be the name: "),
        ("max_iter‸ations: 4", "x", "nothing here has a name that can be changed"),
    ],
)  # fmt: skip
def test_a_name_that_would_break_something_is_refused(tmp_path, word: str, name: str, reason: str) -> None:
    texts = team(tmp_path, word)

    with pytest.raises(NotAllowed) as refused:
        texts.desk.renamed(renamable(*texts.at), name)

    assert str(refused.value).startswith(reason)


def test_a_file_of_the_folder_that_is_not_open_is_changed_too(tmp_path) -> None:
    (tmp_path / "closed.yaml").write_text(
        "name: closed\nextends: ./base.yaml\nexecution: {require_successful_tools: [calc]}\n"
    )
    texts = Texts(tmp_path, base_yaml=BASE.replace("calc:", "ca‸lc:"))

    edits = texts.desk.renamed(renamable(*texts.at), "sum")

    assert sorted(texts.place(edit.span) for edit in edits) == ["base.yaml:8:5 calc", "closed.yaml:3:40 calc"]


def test_what_a_library_exports_is_found_and_renamed_in_all_that_use_it(tmp_path) -> None:
    platform = tmp_path / "platform"
    platform.mkdir()
    (platform / "library.yaml").write_text(
        "library: platform\nversion: 1.0.0\nexports: {presets: [safe]}\n---\npreset: safe\n"
    )
    texts = Texts(
        tmp_path,
        a_yaml="name: a\nuse: {plat: {source: ./platform, version: '^1.0'}}\nextends: plat.sa‸fe\nmodel: {provider: script}\n",
    )

    [use] = [texts.place(span) for span in definitions(*texts.at)]
    edits = texts.desk.renamed(renamable(*texts.at), "calm")

    assert use == "library.yaml:5:9 safe"
    assert sorted(texts.place(edit.span) for edit in edits) == [
        "a.yaml:3:15 safe",
        "library.yaml:3:21 safe",
        "library.yaml:5:9 safe",
    ]


def test_exports_of_a_library_are_offered(tmp_path) -> None:
    platform = tmp_path / "platform"
    platform.mkdir()
    (platform / "library.yaml").write_text(
        "library: platform\nversion: 1.0.0\nexports: {presets: [safe]}\n---\npreset: safe\n"
    )
    texts = Texts(tmp_path, a_yaml="name: a\nuse: {plat: {source: ./platform, version: '^1.0'}}\nextends: plat.‸\n")

    assert texts.labels("plat") == ["plat.safe"]
    assert texts.taken("plat.safe").endswith("extends: plat.safe‸\n")


def test_a_tool_that_a_condition_names_is_renamed_there(tmp_path) -> None:
    text = (
        "name: a\nexecution: {loop_control: [{when: '\"calc\" in turn.tool_names', extend: 1}]}\n"
        "capability:\n  approval: {rules: [{when: tool.name == 'calc', decision: allow}]}\n"
        "  tools:\n    ca‸lc: {description: calc, expr: '1'}\n"
    )
    texts = Texts(tmp_path, a_yaml=text)

    edits = texts.desk.renamed(renamable(*texts.at), "sum")

    assert sorted(texts.place(edit.span) for edit in edits) == [
        "a.yaml:2:37 calc",
        "a.yaml:4:43 calc",
        "a.yaml:6:5 calc",
    ]


def test_a_server_is_found_in_tools_and_rules(tmp_path) -> None:
    text = (
        "name: a\ncapability:\n  mcp: {tick‸ets: {url: 'http://127.0.0.1:1'}}\n"
        "  tools: {find: {mcp: tickets/search, description: d}}\n"
        "  approval: {rules: [{mcp: tickets, decision: ask}]}\n"
    )
    texts = Texts(tmp_path, a_yaml=text)

    edits = texts.desk.renamed(renamable(*texts.at), "desk")

    assert sorted(texts.place(edit.span) for edit in edits) == [
        "a.yaml:3:9 tickets",
        "a.yaml:4:23 tickets",
        "a.yaml:5:28 tickets",
    ]


def test_a_file_that_does_not_say_its_name_is_a_place_all_the_same(tmp_path) -> None:
    (tmp_path / "base.yaml").write_text("execution: {max_nudges: 2}\nmodel: {provider: script}\n")
    texts = Texts(tmp_path, a_yaml="name: a\nextends: ./ba‸se.yaml\n")

    assert [texts.place(span) for span in definitions(*texts.at)] == ["base.yaml:1:1 "]
    with pytest.raises(NotAllowed):
        renamable(*texts.at)


@pytest.mark.parametrize(
    ("text", "name", "after"),
    [
        (
            "tools: {t: {description: d, parameters: {wo‸rd: string}, examples: [{args: {word: x}}], expr: args.word}}",
            "term",
            "tools: {t: {description: d, parameters: {term: string}, examples: [{args: {term: x}}], expr: args.term}}",
        ),
        (
            (
                "components: {Per‸son: {type: object}}\n  tools: {t: {description: d, parameters: "
                "{who: {schema: {$ref: '#/components/Person'}}}, expr: '1'}}"
            ),
            "Human",
            (
                "components: {Human: {type: object}}\n  tools: {t: {description: d, parameters: "
                "{who: {schema: {$ref: '#/components/Human'}}}, expr: '1'}}"
            ),
        ),
        (
            "toolkits: [{files.read: {names: {read_file: lo‸ok}}}]\n  tool_search: {always_loaded: [look]}",
            "peek",
            "toolkits: [{files.read: {names: {read_file: peek}}}]\n  tool_search: {always_loaded: [peek]}",
        ),
    ],
)
def test_less_common_names_are_changed_too(tmp_path, text: str, name: str, after: str) -> None:
    texts = Texts(tmp_path, a_yaml=f"name: a\ncapability:\n  {text}\n")

    edits = texts.desk.renamed(renamable(*texts.at), name)

    assert texts.after(edits) == {"a.yaml": f"name: a\ncapability:\n  {after}\n"}


def test_the_alias_of_a_library_is_a_name_of_its_own(tmp_path) -> None:
    texts = Texts(tmp_path, a_yaml="name: a\nuse: {pl‸at: {source: ./nowhere, version: '1'}}\nextends: plat.safe\n")

    edits = texts.desk.renamed(renamable(*texts.at), "house")

    assert texts.after(edits) == {
        "a.yaml": "name: a\nuse: {house: {source: ./nowhere, version: '1'}}\nextends: house.safe\n"
    }
