"""look: look at a repository: its state, its changes, its history.

Nothing is changed, and no secret file is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentspec.adapters.tools.git.run import Failed, Git
from agentspec.ports import Output

COMMITS = 20
_LINE = "%h %as %an: %s%d"
_WHOLE = "commit %H%d%nAuthor: %an <%ae>%nDate:   %aI%n%n%w(0,4,4)%B"


async def git_status(git: Git, arguments: Mapping[str, Any]) -> Output:
    """The branch, and each file that is changed, staged or new."""
    paths = git.paths(arguments.get("paths"))
    return await git.output("status", "--short", "--branch", "--ignore-submodules=dirty", "--", *paths)


async def git_diff(git: Git, arguments: Mapping[str, Any]) -> Output:
    """The changes of the files against the index, of the index against a commit, or between two commits."""
    base, other, is_staged = arguments.get("from"), arguments.get("to"), bool(arguments.get("staged"))
    if other is not None and (base is None or is_staged):
        raise Failed("`to` needs `from`, and goes without `staged`")
    what = ["--cached"] if is_staged else []
    what += [await git.revision(each) for each in (base, other) if each is not None]
    paths = git.paths(arguments.get("paths"))
    names = await git.words("diff", "--no-ext-diff", "--no-renames", "--name-only", "-z", *what, "--", *paths)
    return await git.output("diff", *_shape(arguments), *what, "--", *paths, *git.without_secrets(names))


async def git_log(git: Git, arguments: Mapping[str, Any]) -> Output:
    """Commits, the latest first, one a line unless `full`."""
    form = f"--format={_WHOLE if arguments.get('full') else _LINE}"
    picked = [f"--max-count={arguments.get('max_count') or COMMITS}", "--fixed-strings", "--no-show-signature"]
    limits = ("since", "until", "author", "grep")
    picked += [f"--{name}={arguments[name]}" for name in limits if arguments.get(name) is not None]
    commits = await _range(git, arguments.get("rev") or "HEAD")
    return await git.output("log", form, *picked, *commits, "--", *git.paths(arguments.get("paths")))


async def git_show(git: Git, arguments: Mapping[str, Any]) -> Output:
    """A commit with its changes, or a file as it was in it."""
    commit = await git.revision(arguments.get("rev") or "HEAD")
    if arguments.get("path") is not None:
        return await git.output("cat-file", "blob", f"{commit}:{git.path(arguments['path'])}")
    names = await git.words(
        "show", "--format=", "--no-renames", "--name-only", "-z", "--diff-merges=first-parent", commit
    )
    form = (f"--format={_WHOLE}", "--diff-merges=first-parent", "--no-show-signature")
    return await git.output("show", *form, *_shape(arguments), commit, "--", *git.without_secrets(names))


async def git_blame(git: Git, arguments: Mapping[str, Any]) -> Output:
    """Who changed each line of a file last."""
    first, last = arguments.get("first_line"), arguments.get("last_line")
    lines = [f"-L{first or 1},{last or ''}"] if first or last else []
    commit = [await git.revision(arguments["rev"])] if arguments.get("rev") is not None else []
    return await git.output(
        "blame", "--date=short", "--no-textconv", *lines, *commit, "--", git.path(arguments["path"])
    )


async def git_branch(git: Git, arguments: Mapping[str, Any]) -> Output:
    """The branches, the current one with a star."""
    every = ["--all"] if arguments.get("all") else []
    return await git.output("branch", "--list", "--no-color", "--no-column", "-vv", *every)


async def _range(git: Git, text: str) -> list[str]:
    """`a`, `a..b` or `a...b` as hashes."""
    for dots in ("...", ".."):
        if dots in text:
            ends = [await git.revision(end or "HEAD") for end in text.split(dots, 1)]
            return [dots.join(ends)]
    return [await git.revision(text)]


def _shape(arguments: Mapping[str, Any]) -> list[str]:
    stat = ["--stat"] if arguments.get("stat") else ["--patch"]
    context = [f"--unified={arguments['context']}"] if arguments.get("context") is not None else []
    return ["--no-ext-diff", "--no-textconv", "--no-color", *stat, *context]
