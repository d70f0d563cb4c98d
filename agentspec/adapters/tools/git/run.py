"""run: run git in one repository so that it starts nothing else: no hook, pager, editor, filter or helper.

Whole arguments, never a shell. What a repository's own settings would start is set to nothing on the command line,
which git reads last; names of revisions are made hashes before they stand in a command.
"""

from __future__ import annotations

import os
import posixpath
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from agentspec.adapters.tools.files.beneath import Beneath, Refused
from agentspec.adapters.tools.programs.decode import decode_captured
from agentspec.adapters.tools.programs.process import Command, Finished, run_process
from agentspec.adapters.tools.programs.starting import StartFailed
from agentspec.core.calls.cap import encodable
from agentspec.core.messages import ToolError
from agentspec.ports import Output

_SETTINGS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.pager": "cat",
    "core.editor": "false",
    "core.askPass": "",
    "core.sshCommand": "false",
    "core.quotePath": "false",
    "credential.helper": "",
    "protocol.allow": "never",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "log.showSignature": "false",
    "gpg.program": "false",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
    "diff.ignoreSubmodules": "dirty",
    "blame.ignoreRevsFile": "",
    "commit.template": "",
    "maintenance.auto": "false",
    "gc.auto": "0",
    "color.ui": "false",
    "column.ui": "never",
    "advice.detachedHead": "false",
}
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "false",
    "GIT_EDITOR": "false",
    "GIT_PAGER": "cat",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C.UTF-8",
}
_DRIVERS = r"^(filter|diff|merge)\..+\.(clean|smudge|process|required|command|textconv|driver)$"
# What `git lfs install --local` writes: without it large files would be added whole.
_KNOWN_DRIVERS = frozenset(
    (
        *("git-lfs clean -- %f", "git-lfs smudge -- %f", "git-lfs smudge --skip -- %f"),
        *("git-lfs filter-process", "git-lfs filter-process --skip"),
    )
)
_TRUSTED = ("system", "global", "command")  # scopes of settings that are this machine's and this user's own
_MOST_EXCLUDED = 500
_SAID = 2000  # characters of a complaint


class Failed(Exception):
    """git refused; `str()` is what it said."""


class Git(NamedTuple):
    """git in one repository. `most` is how many bytes of an output are kept in memory at each end."""

    beneath: Beneath
    env: Mapping[str, str]
    timeout: float
    grace: float
    most: int
    run_id: str = ""

    @property
    def folder(self) -> Path:
        return self.beneath.root

    async def output(self, *arguments: str, stdin: str = "") -> Output:
        """What a command printed. Raises `Failed`."""
        finished = await self.run(arguments, stdin)
        spill = finished.stdout.spill
        return Output(
            text=decode_captured(finished.stdout).text,
            overflow=spill,
            full_bytes=finished.stdout.size if spill else 0,
        )

    async def words(self, *arguments: str) -> list[str]:
        """What a command printed with `-z`: names that may hold anything. Raises `Failed`."""
        finished = await self.run(arguments)
        text = (finished.stdout.head + finished.stdout.tail).decode("utf-8", "surrogateescape")
        if finished.stdout.spill is not None:
            finished.stdout.spill.unlink(missing_ok=True)
            raise Failed("too many files for one call; name fewer paths")
        return [word for word in text.split("\0") if word]

    async def revision(self, name: str) -> str:
        """The hash of the commit that a name means. Raises `Failed`."""
        if name.startswith("-") or not name.isprintable() or not encodable(name):
            raise Failed(f"`{encodable(name)}` is no name of a commit")
        try:
            found = await self.run(("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"))
        except Failed as failure:
            raise Failed(f"there is no commit `{name}`") from failure
        return found.stdout.head.decode("ascii", "replace").strip()

    def path(self, path: str) -> str:
        """A path of the model, relative to the repository. Raises `Refused` where it leads out or holds secrets."""
        clean = posixpath.normpath(self.beneath.relative(path))
        if rule := self.beneath.secret(clean):
            raise Refused("denied", f"`{path}` may hold secrets (`{rule}`); such files are never read")
        return clean

    def paths(self, paths: Sequence[str] | None) -> list[str]:
        """Paths of the model as git takes them, with nothing special in them."""
        return [f":(literal){self.path(path)}" for path in paths or ()]

    def without_secrets(self, names: Sequence[str]) -> list[str]:
        """What keeps the secret ones of these files out of a command."""
        secret = [name for name in dict.fromkeys(names) if self.beneath.secret(name)]
        if len(secret) > _MOST_EXCLUDED:
            raise Failed("too many files that may hold secrets; name the paths that you need")
        return [f":(exclude,literal){name}" for name in secret]

    async def run(self, arguments: Sequence[str], stdin: str = "") -> Finished:
        """Run one command of git to its end. Raises `Failed`."""
        return self._succeeded(await self._finished(arguments, stdin, await self._drivers()))

    async def _drivers(self) -> dict[str, str]:
        """The programs that the repository's own settings name for its files, each set to nothing."""
        found = await self._finished(["config", "--show-scope", "-z", "--get-regexp", _DRIVERS])
        if found.exit_code == 1:  # there is none
            return {}
        fields = self._succeeded(found).stdout.head.decode("utf-8", "surrogateescape").split("\0")
        entries = [
            (key, value)
            for scope, entry in zip(fields[::2], fields[1::2], strict=False)
            for key, _, value in (entry.partition("\n"),)
            if scope not in _TRUSTED
        ]
        unknown = {
            _driver(key) for key, value in entries if not key.endswith(".required") and value not in _KNOWN_DRIVERS
        }
        keys = [key for key, _ in entries if _driver(key) in unknown]
        settings = {"GIT_CONFIG_COUNT": str(len(keys))} if keys else {}
        for count, key in enumerate(keys):
            settings[f"GIT_CONFIG_KEY_{count}"] = key
            settings[f"GIT_CONFIG_VALUE_{count}"] = "false" if key.endswith(".required") else ""
        return settings

    async def _finished(
        self, arguments: Sequence[str], stdin: str = "", settings: Mapping[str, str] | None = None
    ) -> Finished:
        static = [part for key, value in _SETTINGS.items() for part in ("-c", f"{key}={value}")]
        command = Command(
            argv=[program_of(self.env, self.folder), "--no-pager", *static, *arguments],
            cwd=self.folder,
            env={**self._environment(), **(settings or {})},
            timeout=self.timeout,
            grace=self.grace,
            keep=self.most,
            run_id=self.run_id,
            stdin=stdin.encode("utf-8", "replace"),
        )
        try:
            return await run_process(command)
        except StartFailed as failure:
            raise Failed(str(failure)) from failure

    def _succeeded(self, finished: Finished) -> Finished:
        if finished.stopped or finished.signal or finished.exit_code:
            if finished.stdout.spill is not None:
                finished.stdout.spill.unlink(missing_ok=True)
            raise Failed(_complaint(finished, self.timeout))
        return finished

    def _environment(self) -> dict[str, str]:
        """Only this folder's own repository is found, and only its own files belong to it."""
        real = os.path.realpath(self.folder)
        return {**self.env, **_QUIET, "GIT_CEILING_DIRECTORIES": str(Path(real).parent), "GIT_WORK_TREE": real}


def _driver(key: str) -> str:
    """The driver that a setting belongs to: `filter.lfs` of `filter.lfs.clean`."""
    return key.rpartition(".")[0]


def program_of(env: Mapping[str, str], folder: Path) -> str:
    """The file of git, absolute and not in the folder that tools may change; just its name where there is none."""
    real = os.path.realpath(folder)
    folders = [each for each in env.get("PATH", "").split(os.pathsep) if each.startswith("/")]
    outside = [each for each in folders if not Path(os.path.realpath(each)).is_relative_to(real)]
    return shutil.which("git", path=os.pathsep.join(outside)) or ""


def refused(failure: Failed) -> Output:
    """A refusal of git as the result of a call."""
    return Output(status="error", error=ToolError(category="git", message=str(failure)))


def _complaint(finished: Finished, timeout: float) -> str:
    if finished.stopped:
        return f"git had not finished after {timeout:g} s; it was stopped and may have acted"
    said = [decode_captured(stream).text.strip() for stream in (finished.stderr, finished.stdout)]
    return next(filter(None, said), f"git ended with exit {finished.exit_code or -finished.signal}")[:_SAID]
