"""Repositories are looked at and changed by git itself, which starts nothing that they name, and shows no secrets."""

import os
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentspec.adapters.tools.git import compact as git_compact
from agentspec.adapters.tools.git import tools as git_tools
from agentspec.adapters.tools.kit import Setting
from agentspec.adapters.tools.programs.environment import child_environment
from agentspec.errors import SpecInvalid, Unavailable
from agentspec.ports import Invocation

CHANGING = {"mutations": True}


def git(folder, *arguments):
    environment = {
        **os.environ,
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@example.org",
        "GIT_AUTHOR_DATE": "2024-05-01T10:00:00Z",
        "GIT_COMMITTER_DATE": "2024-05-01T10:00:00Z",
    }
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True, encoding="utf-8"
    )
    return done.stdout


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "user.name", "Ada")
    git(folder, "config", "user.email", "ada@example.org")
    (folder / "a.txt").write_text("one\ntwo\n")
    (folder / ".env").write_text("KEY=first-secret\n")
    (folder / "grüße.txt").write_text("hallo\n")
    git(folder, "add", "--force", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    (folder / "a.txt").write_text("one\n2\n")
    (folder / ".env").write_text("KEY=second-secret\n")
    git(folder, "commit", "--quiet", "-am", "second: change a")
    git(folder, "branch", "topic", "HEAD~1")
    return folder


async def call(folder, name, options=None, kit=git_tools, /, **arguments):
    setting = Setting(folder, environment=child_environment(os.environ))
    tools = kit.toolkit(options or {}, setting)
    return await tools[name][1].call(Invocation(name=name, call_id="c", arguments=arguments, key="k"))


async def text(folder, name, options=None, /, **arguments):
    output = await call(folder, name, options, **arguments)
    assert output.error is None, output.error
    return output.text


async def error(folder, name, options=None, /, **arguments):
    output = await call(folder, name, options, **arguments)
    assert output.status == "error"
    return output.error.message


# --- the toolkit


def test_what_changes_is_there_only_where_it_was_asked_for(tmp_path):
    looking = git_tools.toolkit({}, Setting(tmp_path))
    changing = git_tools.toolkit(CHANGING, Setting(tmp_path))

    assert list(looking) == ["git_status", "git_diff", "git_log", "git_show", "git_blame", "git_branch"]
    assert {plan.effect for plan, _ in looking.values()} == {"read"}
    assert {name: plan.effect for name, (plan, _) in changing.items() if name not in looking} == {
        "git_add": "write",
        "git_commit": "write",
        "git_switch": "write",
    }


def test_a_changing_tool_that_is_not_there_is_wanted_in_vain(tmp_path):
    words = {"disabled": ["git_commit", "git_blame"], "names": {"git_add": "stage", "git_log": "history"}}

    assert list(git_tools.toolkit(words, Setting(tmp_path))) == [
        *("git_status", "git_diff", "history", "git_show", "git_branch")
    ]
    with pytest.raises(SpecInvalid, match="`git_commit` of the toolkit `git` is there only with `mutations: true`"):
        git_tools.toolkit({"enabled": ["git_commit"]}, Setting(tmp_path))


def test_what_is_no_repository_is_told_before_a_run(tmp_path, repository):
    setting = Setting(tmp_path, environment=child_environment(os.environ))

    git_tools.require({"repo": "repository"}, setting)
    with pytest.raises(Unavailable, match="is no git repository; `repo` of `git` names its top folder"):
        git_tools.require({}, setting)
    with pytest.raises(Unavailable, match="needs the program `git`, which is not on the PATH"):
        git_tools.require({"repo": "repository"}, setting._replace(environment={"PATH": str(repository)}))


# --- looking


async def test_the_state_names_what_changed(repository):
    (repository / "a.txt").write_text("changed\n")
    (repository / "new file.txt").write_text("")

    assert await text(repository, "git_status") == '## main\n M a.txt\n?? "new file.txt"\n'
    assert await text(repository, "git_status", paths=["a.txt"]) == "## main\n M a.txt\n"


async def test_changes_are_shown(repository):
    (repository / "a.txt").write_text("one\nthree\n")
    git(repository, "add", "a.txt")
    (repository / "a.txt").write_text("one\nfour\n")

    assert "-three\n+four\n" in await text(repository, "git_diff")
    assert "-2\n+three\n" in await text(repository, "git_diff", staged=True)
    assert "-two\n+four\n" in await text(repository, "git_diff", **{"from": "HEAD~1"})
    assert "-two\n+2\n" in await text(repository, "git_diff", **{"from": "topic", "to": "main"})
    assert "a.txt | 2 +-" in await text(repository, "git_diff", stat=True)
    assert await text(repository, "git_diff", paths=["grüße.txt"]) == ""
    assert await error(repository, "git_diff", to="HEAD") == "`to` needs `from`, and goes without `staged`"


async def test_commits_are_listed(repository):
    hashes = git(repository, "log", "--format=%h").split()

    assert await text(repository, "git_log") == (
        f"{hashes[0]} 2024-05-01 Ada: second: change a (HEAD -> main)\n{hashes[1]} 2024-05-01 Ada: first (topic)\n"
    )
    assert await text(repository, "git_log", rev="topic..main") == await text(repository, "git_log", max_count=1)
    assert await text(repository, "git_log", grep="a.*", max_count=9) == ""
    assert await text(repository, "git_log", paths=["grüße.txt"]) == f"{hashes[1]} 2024-05-01 Ada: first (topic)\n"
    assert "Author: Ada <ada@example.org>" in await text(repository, "git_log", full=True, max_count=1)


async def test_a_commit_and_a_file_of_it_are_shown(repository):
    shown = await text(repository, "git_show", rev="HEAD")

    assert "    second: change a\n" in shown
    assert "-two\n+2\n" in shown
    assert await text(repository, "git_show", rev="HEAD~1", path="a.txt") == "one\ntwo\n"
    assert await text(repository, "git_show", rev="main", path="./grüße.txt") == "hallo\n"


async def test_who_changed_a_line_and_the_branches_are_shown(repository):
    lines = (await text(repository, "git_blame", path="a.txt")).splitlines()

    assert [line.partition("Ada 2024-05-01 ")[2] for line in lines] == ["1) one", "2) 2"]
    assert len((await text(repository, "git_blame", path="a.txt", first_line=2)).splitlines()) == 1
    assert (await text(repository, "git_branch")).splitlines()[0].startswith("* main ")


async def test_secret_files_are_not_shown(repository):
    (repository / ".env").write_text("KEY=third-secret\n")
    (repository / "a.txt").write_text("x\n")
    blob = git(repository, "rev-parse", "HEAD:.env").strip()

    seen = [
        await text(repository, "git_diff"),
        await text(repository, "git_diff", **{"from": "HEAD~1"}),
        await text(repository, "git_show"),
        await text(repository, "git_show", rev="HEAD~1"),
        await text(repository, "git_log", full=True),
    ]
    for arguments in ({"path": ".env"}, {"path": "x/../.ENV"}, {"rev": "HEAD:.env"}, {"rev": blob}, {"rev": ":.env"}):
        output = await call(repository, "git_show", **arguments)
        assert output.status == "error"
        seen.append(output.text + output.error.message)
    seen.append(await error(repository, "git_blame", path=".env"))
    seen.append(await error(repository, "git_diff", paths=[".env"]))

    assert not [each for each in seen if "-secret" in each]
    assert "a.txt" in seen[0]


HOSTILE = [
    "--output=x",
    "-c core.pager=id",
    "--exec=id",
    "HEAD:a.txt",
    "a\nb",
    "",
    "\ud800",
    "$(id)",
    "ext::id",
    "a\0b",
    ":/",
]


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_a_hostile_name_of_a_commit_is_none(repository, hostile):
    for name, key in (("git_show", "rev"), ("git_log", "rev"), ("git_diff", "from"), ("git_blame", "rev")):
        arguments = {key: hostile, **({"path": "a.txt"} if name == "git_blame" else {})}
        if not hostile and name in ("git_show", "git_log"):
            continue  # nothing is `HEAD` there
        assert (await call(repository, name, **arguments)).status == "error"
    assert sorted(path.name for path in repository.iterdir()) == [".env", ".git", "a.txt", "grüße.txt"]


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a\0b", "\ud800", ".."])
async def test_a_path_outside_is_refused(repository, path):
    for name, arguments in {
        "git_status": {"paths": [path]},
        "git_diff": {"paths": [path]},
        "git_log": {"paths": [path]},
        "git_show": {"path": path},
        "git_blame": {"path": path},
        "git_add": {"paths": [path]},
    }.items():
        assert (await call(repository, name, CHANGING, **arguments)).error.category in ("denied", "invalid")


async def test_a_path_is_a_name_and_no_pattern(repository):
    (repository / "a*").write_text("star\n")

    assert await text(repository, "git_status", paths=["a*"]) == "## main\n?? a*\n"
    assert await text(repository, "git_status", paths=[":(glob)**"]) == "## main\n"
    assert await text(repository, "git_log", paths=[":(top)a.txt"]) == ""
    assert await text(repository, "git_status", paths=["--porcelain"]) == "## main\n"


async def test_a_repository_further_up_is_not_taken(repository):
    (repository / "sub").mkdir()

    assert "not a git repository" in await error(repository / "sub", "git_status")


async def test_large_changes_are_kept_whole_in_a_file(repository):
    (repository / "a.txt").write_text("".join(f"line {number}\n" for number in range(100_000)))

    output = await call(repository, "git_diff")

    assert output.overflow.stat().st_size == output.full_bytes > 1_000_000
    assert len(output.text) < 600_000
    output.overflow.unlink()


# --- changing


async def test_files_are_staged_and_committed(repository):
    (repository / "a.txt").write_text("new\n")
    (repository / "b.txt").write_text("b\n")
    (repository / "grüße.txt").unlink()
    (repository / "key.pem").write_text("secret")

    staged = await text(repository, "git_add", CHANGING, paths=["."])
    output = await call(repository, "git_commit", CHANGING, message="third\n\nwith 'quotes' and $(id)\n")

    assert (
        staged
        == "## main\nM  a.txt\nA  b.txt\nD  grüße.txt\n?? key.pem\n\n[1 files that may hold secrets were left out]"
    )
    assert output.data == {"commit": git(repository, "rev-parse", "HEAD").strip()}
    assert git(repository, "log", "-1", "--format=%B") == "third\n\nwith 'quotes' and $(id)\n\n"
    names = git(repository, "show", "--name-status", "--format=", "-z").split("\0")
    assert names == ["M", "a.txt", "A", "b.txt", "D", "grüße.txt", ""]


async def test_nothing_to_commit_is_what_git_says(repository):
    assert "nothing to commit" in await error(repository, "git_commit", CHANGING, message="x")
    assert await error(repository, "git_commit", CHANGING, message=" \n") == "`message` is empty"


async def test_branches_are_switched_and_made(repository):
    await text(repository, "git_switch", CHANGING, branch="topic")
    assert (repository / "a.txt").read_text() == "one\ntwo\n"

    output = await call(repository, "git_switch", CHANGING, branch="fresh/one", create=True, start="main")
    assert output.text == "on branch `fresh/one`"
    assert git(repository, "branch", "--show-current") == "fresh/one\n"
    assert await error(repository, "git_switch", CHANGING, branch="topik") == (
        "there is no branch `topik`; did you mean `topic`?"
    )
    for name in ("-f", "--detach", "a b", "@{-1}", "a~1", "", "a..b"):
        assert (await call(repository, "git_switch", CHANGING, branch=name, create=True)).status == "error"


async def test_work_that_a_switch_would_lose_stays(repository):
    (repository / "a.txt").write_text("not committed\n")

    assert "would be overwritten" in await error(repository, "git_switch", CHANGING, branch="topic")
    assert (repository / "a.txt").read_text() == "not committed\n"


# --- a hostile repository


@pytest.fixture
def hostile(repository, tmp_path):
    """A repository whose own settings would start a program at every turn."""
    marker = tmp_path / "started"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {marker}\ncat\n')
    program.chmod(0o755)
    for hook in (
        "pre-commit",
        "post-commit",
        "commit-msg",
        "post-checkout",
        "reference-transaction",
        "post-index-change",
    ):
        path = repository / ".git" / "hooks" / hook
        path.write_text(f"#!/bin/sh\necho {hook} >> {marker}\n")
        path.chmod(0o755)
    for key in (
        *("core.fsmonitor", "core.pager", "core.editor", "core.askPass", "core.sshCommand", "diff.external"),
        *("gpg.program", "credential.helper", "pager.log", "pager.diff", "pager.show", "sequence.editor"),
        *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.command", "diff.evil.textconv"),
        *("filter.a=b.clean", "filter.a=b.smudge", "merge.evil.driver", "interactive.diffFilter"),
    ):
        git(repository, "config", key, str(program))
    for key in ("filter.evil.required", "log.showSignature", "commit.gpgSign", "tag.gpgSign"):
        git(repository, "config", key, "true")
    git(repository, "config", "alias.status", f"!{program}")
    git(repository, "config", "core.hooksPath", str(repository / ".git" / "hooks"))
    (repository / ".gitattributes").write_text("*.txt filter=evil diff=evil merge=evil\n*.md filter=a=b\n")
    (repository / "b.md").write_text("b\n")
    (repository / "a.txt").write_text("changed\n")
    marker.unlink(missing_ok=True)
    return repository, marker


def test_git_by_itself_starts_what_the_repository_names(hostile):
    repository, marker = hostile

    subprocess.run(["git", "add", "--", "b.md"], cwd=repository, check=False, capture_output=True)

    assert marker.exists()


async def test_nothing_that_a_repository_names_is_started(hostile):
    repository, marker = hostile

    for name, arguments in {
        "git_status": {},
        "git_diff": {},
        "git_log": {"full": True},
        "git_show": {},
        "git_blame": {"path": "a.txt"},
        "git_branch": {},
        "git_add": {"paths": ["."]},
        "git_commit": {"message": "hostile"},
        "git_switch": {"branch": "topic"},
    }.items():
        output = await call(repository, name, CHANGING, **arguments)
        assert output.error is None, (name, output.error)
        assert not marker.exists(), (name, marker.read_text())
    assert (repository / "a.txt").read_text() == "one\ntwo\n"


async def test_a_work_tree_elsewhere_is_not_read(repository, tmp_path):
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "a.txt").write_text("OUTSIDE\n")
    git(repository, "config", "core.worktree", str(tmp_path / "else"))

    assert "OUTSIDE" not in await text(repository, "git_diff")


async def test_a_bare_repository_made_of_files_is_none(tmp_path):
    folder = tmp_path / "made"
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(f"[core]\n\tbare = true\n\tfsmonitor = touch {tmp_path / 'started'}\n")

    assert (await call(folder, "git_status")).status == "error"
    assert not (tmp_path / "started").exists()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.text(max_size=20), name=st.sampled_from(["git_show", "git_log", "git_status", "git_blame"]))
async def test_no_argument_raises_or_changes_anything(repository, name, value):
    arguments = {"git_show": {"rev": value}, "git_log": {"grep": value}, "git_status": {"paths": [value]}}
    before = git(repository, "rev-parse", "HEAD")

    output = await call(repository, name, **arguments.get(name, {"path": value}))

    assert output.status in ("ok", "error")
    assert git(repository, "rev-parse", "HEAD") == before
    assert sorted(path.name for path in repository.iterdir()) == [".env", ".git", "a.txt", "grüße.txt"]


# --- git.compact


async def compact(folder, name, options=None, /, **arguments):
    return await call(folder, name, options, git_compact, **arguments)


def test_the_two_tools_say_what_they_may_do(tmp_path):
    looking = git_compact.toolkit({}, Setting(tmp_path))
    changing = git_compact.toolkit(CHANGING, Setting(tmp_path))

    assert {name: plan.effect for name, (plan, _) in looking.items()} == {
        "find_git_tool": "none",
        "run_git_tool": "read",
    }
    assert changing["run_git_tool"][0].effect == "write"
    assert changing["run_git_tool"][0].repeat == "once"


QUERIES = {
    "what changed between two commits": "git_diff",
    "who wrote this line": "git_blame",
    "list the latest commits": "git_log",
    "which files are staged": "git_status",
    "switch to another branch": "git_switch",
}


@pytest.mark.parametrize(("query", "name"), QUERIES.items())
async def test_a_tool_is_found_by_what_it_does(tmp_path, query, name):
    output = await compact(tmp_path, "find_git_tool", CHANGING, query=query)

    assert name in output.data["tools"][:3]
    assert f"{name}: " in output.text


async def test_changing_tools_are_not_found_where_nothing_may_change(repository):
    assert "git_commit" not in (await compact(repository, "find_git_tool", query="commit")).text
    assert (await compact(repository, "run_git_tool", name="git_commit", args={"message": "x"})).error.message == (
        "there is no tool `git_commit`; there is `git_status`, `git_diff`, `git_log`, `git_show`, `git_blame`, `git_branch`"
    )


async def test_a_found_tool_runs_with_arguments_that_fit(repository):
    output = await compact(repository, "run_git_tool", name="git_log", args={"max_count": 1})
    wrong = await compact(repository, "run_git_tool", name="git_log", args={"max_count": 0, "pretty": "x"})
    near = await compact(repository, "run_git_tool", name="git_lag")

    assert output.text == await text(repository, "git_log", max_count=1)
    assert wrong.error.category == "invalid_arguments"
    assert "`pretty`" in wrong.error.message
    assert near.error.message == "there is no tool `git_lag`; there is `git_log`"
