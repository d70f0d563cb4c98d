"""tools: the toolkit that looks at a repository, and with `mutations` changes it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.adapters.tools.files.beneath import Beneath, Refused
from agentspec.adapters.tools.files.secret_files import SecretFiles
from agentspec.adapters.tools.files.tool import failed
from agentspec.adapters.tools.git.change import git_add, git_commit, git_switch
from agentspec.adapters.tools.git.look import git_blame, git_branch, git_diff, git_log, git_show, git_status
from agentspec.adapters.tools.git.run import Failed, Git, program_of, refused
from agentspec.adapters.tools.kit import KitTool, Offered, Setting, offer
from agentspec.core.orders import RepeatClass
from agentspec.errors import SpecInvalid, Unavailable
from agentspec.ports import Invocation, Output

_KEEP = 256 * 1024

Do = Callable[[Git, Mapping[str, Any]], Awaitable[Output]]


class Kind(NamedTuple):
    """One tool as the language fixes it. `repeat` "read" says that it changes nothing."""

    description: str
    parameters: Mapping[str, Any]
    do: Do
    repeat: RepeatClass = "read"


def _text(description: str, kind: str = "string?", **more: Any) -> dict[str, Any]:
    return {"type": kind, "description": description, **more}


def _paths(description: str, *, needed: bool = False) -> dict[str, Any]:
    return {"items": "string", "description": description, **({"minItems": 1} if needed else {"optional": True})}


_SOME = _paths("Only these files and folders.")
_REV = _text("A commit: a hash, a branch, a tag, `HEAD~2`.")
_STAT = _text("Only how much each file changed.", "boolean?")
_CONTEXT = _text("Lines around each change; 3 if not given.", "integer?", minimum=0, maximum=1000)

LOOKING: dict[str, Kind] = {
    "git_status": Kind("Show the branch and which files are changed, staged or new.", {"paths": _SOME}, git_status),
    "git_diff": Kind(
        "Show changes: of the files since they were staged, or between commits.",
        {
            "from": _text("The commit to compare with; what is staged if not given."),
            "to": _text("The commit that is compared; the files as they are now if not given."),
            "staged": _text("Whether to show what is staged instead of the files.", "boolean?"),
            "paths": _SOME,
            "stat": _STAT,
            "context": _CONTEXT,
        },
        git_diff,
    ),
    "git_log": Kind(
        "List commits, the latest first.",
        {
            "rev": _text("Where to begin, or a range such as `main..topic`; `HEAD` if not given."),
            "paths": _SOME,
            "max_count": _text("Most commits to list; 20 if not given.", "integer?", minimum=1, maximum=1000),
            "since": _text("Only commits after this time, such as `2024-05-01` or `2 weeks ago`."),
            "until": _text("Only commits before this time."),
            "author": _text("Only commits whose author's name or address has this text."),
            "grep": _text("Only commits whose message has this text."),
            "full": _text("Whether to show whole messages.", "boolean?"),
        },
        git_log,
    ),
    "git_show": Kind(
        "Show a commit with its changes, or a file as it was in that commit.",
        {"rev": _REV, "path": _text("The file to show as it was."), "stat": _STAT, "context": _CONTEXT},
        git_show,
    ),
    "git_blame": Kind(
        "Show which commit changed each line of a file last.",
        {
            "path": _text("Path of the file.", "string"),
            "rev": _REV,
            "first_line": _text("Number of the first line, from 1.", "integer?", minimum=1),
            "last_line": _text("Number of the last line.", "integer?", minimum=1),
        },
        git_blame,
    ),
    "git_branch": Kind(
        "List branches.", {"all": _text("Whether to list those of remotes too.", "boolean?")}, git_branch
    ),
}
CHANGING: dict[str, Kind] = {
    "git_add": Kind(
        "Stage files as they are now, also deleted ones.",
        {"paths": _paths("Files and folders; `.` for everything.", needed=True)},
        git_add,
        "idempotent",
    ),
    "git_commit": Kind(
        "Commit what is staged.", {"message": _text("The message.", "string", minLength=1)}, git_commit, "once"
    ),
    "git_switch": Kind(
        "Switch to another branch.",
        {
            "branch": _text("Name of the branch.", "string", minLength=1),
            "create": _text("Whether to make it.", "boolean?"),
            "start": _text("The commit that a new branch begins at; the current one if not given."),
        },
        git_switch,
        "once",
    ),
}


class GitTool:
    """One tool: `do` answers a call; a refusal of git or of its paths becomes an error for the model."""

    def __init__(self, do: Do, git: Git) -> None:
        self._do, self._git = do, git

    async def call(self, invocation: Invocation) -> Output:
        try:
            return await self._do(self._git._replace(run_id=str(invocation.run.get("id", ""))), invocation.arguments)
        except Failed as failure:
            return refused(failure)
        except Refused as refusal:
            return failed(refusal.category, str(refusal))

    async def close(self) -> None: ...


def kinds_of(options: Mapping[str, Any]) -> dict[str, Kind]:
    """The tools that there are with these options."""
    return {**LOOKING, **CHANGING} if options.get("mutations") else LOOKING


def git_of(options: Mapping[str, Any], setting: Setting) -> Git:
    """git in the repository of a toolkit."""
    return Git(
        beneath=Beneath(_folder(options, setting), SecretFiles(setting.secrets)),
        env=setting.environment,
        timeout=setting.timeout,
        grace=setting.grace,
        most=max(_KEEP, setting.result_max),
    )


def toolkit(options: Mapping[str, Any], setting: Setting) -> Offered:
    """The tools of `git`. Nothing is started: the repository need not be there to know its tools."""
    git = git_of(options, setting)
    tools = [
        KitTool(
            name,
            kind.description,
            kind.parameters,
            GitTool(kind.do, git),
            effect="read" if kind.repeat == "read" else "write",
            repeat=kind.repeat,
        )
        for name, kind in kinds_of(options).items()
    ]
    return offer("git", tools, _fitting(options), setting)


def _fitting(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options without words about tools that are not there anyway. Raises `SpecInvalid` where one is wanted."""
    kinds = kinds_of(options)
    wanted = next((name for name in options.get("enabled") or () if name in CHANGING and name not in kinds), None)
    if wanted is not None:
        raise SpecInvalid(f"the tool `{wanted}` of the toolkit `git` is there only with `mutations: true`")
    named = options.get("names") or {}
    disabled = [name for name in options.get("disabled") or () if name in kinds or name not in CHANGING]
    names = {name: other for name, other in named.items() if name in kinds or name not in CHANGING}
    return {**options, "disabled": disabled, "names": names}


def require(options: Mapping[str, Any], setting: Setting) -> None:
    """Raise `Unavailable` where git or the repository isn't there."""
    folder = _folder(options, setting)
    if not (folder / ".git").exists():
        raise Unavailable(f"the folder `{folder}` is no git repository; `repo` of `git` names its top folder")
    if not program_of(setting.environment, folder):
        raise Unavailable("the toolkit `git` needs the program `git`, which is not on the PATH")


def _folder(options: Mapping[str, Any], setting: Setting) -> Path:
    return Path(setting.project, options.get("repo") or ".").absolute()
