"""`agentspec init`: a project that checks, and nothing written over."""

import shutil


def test_a_new_project_checks_without_findings(agentspec, tmp_path):
    done = agentspec("init", "agents")

    written = sorted(path.relative_to(tmp_path).as_posix() for path in (tmp_path / "agents").iterdir())
    listed, _, following = done.out.partition("\n\n")
    assert (done.code, done.err, sorted(listed.splitlines())) == (0, "", written)
    spec = next(name for name in written if name.endswith((".yaml", ".agent")))
    assert following == f"Now: agentspec check {spec}\n     agentspec run {spec}\n"
    assert agentspec("check", "--strict", "agents") == (0, "no findings in 1 file\n", "")


def test_the_folder_itself_is_the_default(agentspec, tmp_path):
    assert agentspec("init").code == 0
    assert (tmp_path / "agentspec.toml").is_file()


def test_a_spec_that_is_there_is_never_written_over(agentspec, tmp_path):
    agentspec("init")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    done = agentspec("init")

    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(" are there already\n  choose another folder\n")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_settings_that_are_there_stay_and_the_rest_is_written(agentspec, tmp_path):
    (tmp_path / "agentspec.toml").write_text("[check]\nstrict = true\n")

    done = agentspec("init")

    assert done.code == 0
    assert done.err == "agentspec: `agentspec.toml` is there already and stays as it is\n"
    assert (tmp_path / "agentspec.toml").read_text() == "[check]\nstrict = true\n"


def test_a_list_of_ignored_files_stays_and_what_it_lacks_is_told(agentspec, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / ".gitignore").write_text("*.log\n")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / ".gitignore").write_text("*.log\n.agentspec/\n")

    lacking, whole = agentspec("init", "one"), agentspec("init", "two")

    stays = "is there already and stays as it is\n"
    assert lacking.err == f"agentspec: `one/.gitignore` {stays}  add `.agentspec/` to it: runs are kept there\n"
    assert whole.err == f"agentspec: `two/.gitignore` {stays}"
    assert (tmp_path / "one" / ".gitignore").read_text() == "*.log\n"


def test_a_new_project_runs_offline_from_anywhere(agentspec, tmp_path):
    agentspec("init", "agents")

    done = agentspec("run", "agents/reader.yaml", "--quiet")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Two files matter here: `agentspec.toml` holds the settings of the project")
    assert (tmp_path / "agents" / ".agentspec" / "runs.db").is_file()


def test_a_folder_that_cannot_be_made_is_told(agentspec, tmp_path):
    (tmp_path / "file").write_text("x")

    done = agentspec("init", "file/below")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("agentspec: `file/below/")
    assert "cannot be written" in done.err


def test_the_template_can_be_moved_away_whole(agentspec, tmp_path):
    agentspec("init", "one")
    shutil.move(tmp_path / "one", tmp_path / "two")

    assert agentspec("check", "two").code == 0
