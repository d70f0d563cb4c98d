"""A file that a spec names and that isn't there is told with where it was looked for, and what may be meant."""

import pytest

from agentspec import check
from agentspec.text.paths import is_there

FILES = {
    "context: {system: {file: it.md}}": "AS711",
    "capability: {skills: {s: it.md}}": "AS641",
    "model: {provider: script, options: {file: it.md}}": "AS808",
    "execution: {output: {schema: it.md}}": "AS215",
    "capability: {tools: {t: {description: d, parameters: {a: {schema: it.md}}, expr: args.a}}}": "AS215",
    "capability: {tools: {t: {description: d, returns: {items: {fields: {b: {schema: it.md}}}}, expr: '[]'}}}": "AS215",
}


def helps(path):
    return [(found.code, found.help) for found in check(path).diagnostics if found.severity == "error"]


@pytest.mark.parametrize("section", FILES)
@pytest.mark.parametrize("place", ["spec", "preset"])
def test_where_a_file_of_the_project_was_looked_for(tmp_path, section, place):
    (tmp_path / "agentspec.toml").touch()
    (tmp_path / "sub").mkdir()
    spec, preset = tmp_path / "sub/a.yaml", tmp_path / "sub/p.yaml"
    spec.write_text("name: a\nextends: ./p.yaml\n" + section * (place == "spec"))
    preset.write_text("preset: p\n" + section * (place == "preset"))

    looked = f"it is looked for in the project folder `{tmp_path}`"
    assert helps(spec) == [(FILES[section], looked)]

    (tmp_path / "sub/it.md").touch()
    assert is_there(tmp_path / "sub/it.md")
    assert helps(spec) == [(FILES[section], f"{looked}; beside this file stands `sub/it.md`")]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"type": "object"}', []),
        ('{"type": "strng"}', ["`it.json` is no JSON Schema: "]),
        ('{"type": ', ["`it.json` can't be read: "]),
        ("a: 1\n---\nb: 2\n", ["`it.json` can't be read: it holds 2 documents"]),
    ],
)
def test_what_a_file_holds_has_to_be_a_schema(tmp_path, text, told):
    (tmp_path / "it.json").write_text(text)
    (tmp_path / "a.yaml").write_text("name: a\nexecution: {output: {schema: it.json}}\n")

    found = check(tmp_path / "a.yaml").diagnostics

    assert [one.message[: len(words)] for one, words in zip(found, told, strict=True)] == told
