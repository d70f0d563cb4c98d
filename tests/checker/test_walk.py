"""Which files of a folder are checked."""

from pathlib import Path

from agentspec.checker.walk import find_specs, looks_like_spec

SPEC = "name: a\nmodel:\n  provider: script\n"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def names(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in find_specs([folder]).files]


def test_a_folder_gives_agents_and_the_yaml_and_json_that_are_specs(tmp_path):
    write(
        tmp_path,
        {
            "a.agent": "agent a { }",
            "b.yaml": SPEC,
            "c.yml": "# a preset\npreset: c\n",
            "d.json": '{"name": "d", "execution": {"max_iterations": 3}}',
            "e.yaml": "scenario: works\nfor: b.yaml\n",
            "compose.yaml": "name: web\nservices:\n  model: {image: x}\n",
            "package.json": '{"name": "x", "scripts": {"model": "y"}, "version": "1"}',
            "notes.txt": SPEC,
        },
    )

    found = find_specs([tmp_path])

    assert [path.name for path in found.files] == ["a.agent", "b.yaml", "c.yml", "d.json", "e.yaml"]
    assert ([path.name for path in found.skipped], found.missing) == (["compose.yaml", "package.json"], [])
    assert found.has_folder


def test_hidden_foreign_and_ignored_folders_are_left_alone(tmp_path):
    write(
        tmp_path,
        {
            ".git/x.yaml": SPEC,
            ".agentspec/x.yaml": SPEC,
            "node_modules/x.yaml": SPEC,
            "env/pyvenv.cfg": "",
            "env/x.yaml": SPEC,
            ".gitignore": "build/\n*.tmp.yaml\n!keep.tmp.yaml\n/top.yaml\ndocs/**/old.yaml\n",
            "build/x.yaml": SPEC,
            "x.tmp.yaml": SPEC,
            "keep.tmp.yaml": SPEC,
            "top.yaml": SPEC,
            "sub/top.yaml": SPEC,
            "docs/a/b/old.yaml": SPEC,
            "sub/.gitignore": "private.yaml\n",
            "sub/private.yaml": SPEC,
            "private.yaml": SPEC,
        },
    )

    assert names(tmp_path) == ["keep.tmp.yaml", "private.yaml", "sub/top.yaml"]


def test_the_ignore_file_of_the_repository_holds_in_a_folder_below_it(tmp_path):
    write(tmp_path, {".git/HEAD": "", ".gitignore": "drafts\n", "specs/drafts/x.yaml": SPEC, "specs/y.yaml": SPEC})

    assert names(tmp_path / "specs") == ["y.yaml"]


def test_a_file_given_by_name_is_always_taken_and_only_once(tmp_path):
    write(tmp_path, {".gitignore": "*\n", "odd.txt": "x"})
    odd = tmp_path / "odd.txt"

    found = find_specs([odd, tmp_path / "." / "odd.txt", tmp_path / "none.yaml"])

    assert (found.files, found.missing, found.has_folder) == ([odd], [tmp_path / "none.yaml"], False)


def test_a_nested_name_or_a_quoted_key_is_told_apart(tmp_path):
    write(
        tmp_path,
        {
            "nested.yaml": "x:\n  name: a\n  model: b\n",
            "quoted.yaml": "'name': a\n\"model\": {}\n",
            "later.yaml": "services: []\n---\nname: a\ncontext: {}\n",
            "flow.json": '{"a": {"preset": 1}, "b": "preset: x"}',
        },
    )

    taken = {path.name: looks_like_spec(path) for path in sorted(tmp_path.iterdir())}

    assert taken == {"flow.json": False, "later.yaml": True, "nested.yaml": False, "quoted.yaml": True}
