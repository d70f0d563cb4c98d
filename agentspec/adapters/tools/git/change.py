"""change: change a repository: stage files, commit them, switch branches. Only where a spec says `mutations`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agentspec.adapters.tools.git.run import Failed, Git
from agentspec.ports import Output
from agentspec.text.suggest import nearest

_BRANCH = re.compile(r"(?!-)[^\x00-\x20\x7f~^:?*\[\\]+\Z")


async def git_add(git: Git, arguments: Mapping[str, Any]) -> Output:
    """Files as they are now, also their absence, into the index. Secret files are left out."""
    paths = git.paths(arguments["paths"])
    if not paths:
        raise Failed("`paths` names nothing")
    looked = ("ls-files", "-z", "--others", "--modified", "--exclude-standard", "--", *paths)
    left_out = git.without_secrets(await git.words(*looked))
    await git.run(["add", "--all", "--", *paths, *left_out])
    output = await git.output("status", "--short", "--branch", "--ignore-submodules=dirty")
    note = f"\n[{len(left_out)} files that may hold secrets were left out]" if left_out else ""
    return Output(text=output.text + note, data={"left_out": len(left_out)})


async def git_commit(git: Git, arguments: Mapping[str, Any]) -> Output:
    """A commit of what is in the index."""
    message = str(arguments["message"])
    if not message.strip():
        raise Failed("`message` is empty")
    await git.run(["commit", "--no-verify", "--no-gpg-sign", "--quiet", "--cleanup=whitespace", "--file=-"], message)
    commit = await git.revision("HEAD")
    shown = await git.output(
        "show", "--stat", "--no-color", "--no-ext-diff", "--format=%h %s", "--no-show-signature", commit
    )
    return Output(text=shown.text, data={"commit": commit})


async def git_switch(git: Git, arguments: Mapping[str, Any]) -> Output:
    """Another branch, with `create` a new one from `start` or from here."""
    branch = str(arguments["branch"])
    if not _BRANCH.match(branch) or branch.startswith("@"):
        raise Failed(f"`{branch}` is no name of a branch")
    known = await _branches(git)
    if arguments.get("create"):
        start = [await git.revision(arguments["start"])] if arguments.get("start") is not None else []
        await git.run(["switch", "--quiet", "--no-guess", "--no-track", "--create", branch, *start])
    elif branch in known:
        await git.run(["switch", "--quiet", "--no-guess", branch])
    else:
        near = nearest(branch, known)
        raise Failed(
            f"there is no branch `{branch}`; " + (f"did you mean `{near[0]}`?" if near else "`create: true` makes it")
        )
    return Output(text=f"on branch `{branch}`", data={"branch": branch, "commit": await git.revision("HEAD")})


async def _branches(git: Git) -> list[str]:
    listed = await git.output("for-each-ref", "--format=%(refname:short)", "refs/heads/")
    return listed.text.splitlines()
