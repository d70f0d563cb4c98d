"""options: what a caller may say about one run, beside its spec and its task."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict

from agentspec.adapters.people.person import OnQuestion, OnTool, Prompt
from agentspec.errors import NotAllowed
from agentspec.syntax.absent import no_such_file
from agentspec.text.paths import is_file, is_folder
from agentspec.text.suggest import nearest

Approve = Literal["ask", "allow", "deny"]
ToolOutcome = Literal["ask", "assume_failed", "rerun"]
FilePath: TypeAlias = str | os.PathLike[str]
Inputs: TypeAlias = Mapping[str, Any] | Iterable[str]
WORDS = {"approve": ("ask", "allow", "deny"), "tool_outcome": ("ask", "assume_failed", "rerun")}
IDENTITY = ("user", "roles", "tenant")
OF_LOADING = ("inputs", "sets", "model")  # what `load` takes as well


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a run is started. Everything has a default that is safe.

    `inputs` gives the spec's inputs their values, `sets` puts values over its keys (`["execution.max_iterations=3"]`),
    and `model` (`PROVIDER:MODEL`) replaces who answers. `script` answers the model's calls from a file instead of a
    provider, and questions to the person where it is a scenario with a `user`; `record` writes the run as a scenario.
    `images` are files of images that the model is shown with the task (PNG, JPEG, GIF, WebP).
    `session` is the session that the run belongs to, `store` the folder that keeps it instead of the project's
    `.agentspec`. `trace` puts all turns into the result. `on_event` hears every event of the stream as a plain mapping,
    `on_notice` single lines for people: which provider was chosen, and the like.

    `allow_python` lets the spec's Python functions run, with all that this process may do. `approve` answers what a
    person would be asked: `allow` and `deny` answer all of it, `ask` leaves it to `on_approval`, which is given the
    call as a mapping and returns (or awaits) `allow`, `deny` or None; without an answer the run is suspended. What the
    spec denies stays denied. `on_question` answers what the model asks with `ask_user`: it is given the call and
    returns (or awaits) a text, or None where nobody is there. `on_tool` carries out tools that the spec says are
    `external`: it returns (or awaits) the result; without it the run waits for `resume`, as well. `identity`
    (`user`, `roles`, `tenant`) is who the run acts for. With `dry_run` tools that may change something are answered
    without being carried out. With `offline` no tool asks a server (`http`, MCP, `fetch`): what the
    script has for it under `tool_results` is its answer. With `skip_waits` the delays of a script and the pauses
    before another try are not slept where nothing else goes on: the run's clock is put forward.

    >>> RunOptions(inputs={"folder": "orders"}, model="openai:gpt-5.4-mini").approve
    'ask'
    """

    inputs: Inputs = field(default_factory=dict)
    sets: Iterable[str] = ()
    model: str | None = None
    script: FilePath | None = None
    images: Iterable[FilePath] = ()
    session: str | None = None
    store: FilePath | None = None
    approve: Approve = "ask"
    on_approval: Prompt | None = None
    on_question: OnQuestion | None = None
    on_tool: OnTool | None = None
    identity: Mapping[str, Any] = field(default_factory=dict)
    allow_python: bool = False
    dry_run: bool = False
    offline: bool = False
    skip_waits: bool = False
    record: FilePath | None = None
    trace: bool = False
    on_event: Callable[[dict[str, Any]], None] | None = None
    on_notice: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        """Refuse what would be taken for something else, or be ignored although it guards something."""
        require_list("sets", self.sets, '["execution.max_iterations=3"]')
        require_list("images", self.images, '["chart.png"]')
        require_list("inputs", self.inputs, '{"folder": "inbox"}')
        require_word("approve", self.approve)
        require_identity(self.identity)

    @property
    def script_path(self) -> Path | None:
        """The script as a path. Raises `NotAllowed` where there is no such file."""
        if self.script is None:
            return None
        path = Path(self.script)
        if not is_file(path):
            what = f"`{path}` is a folder" if is_folder(path) else no_such_file(path)
            raise NotAllowed(f"`script`: {what}")
        return path

    @property
    def record_path(self) -> Path | None:
        """The file that the run is recorded to, as a path."""
        return None if self.record is None else Path(self.record)

    def notice(self, line: str) -> None:
        """Say one line to people, where anybody listens."""
        if self.on_notice is not None:
            self.on_notice(line)


class ResumeKeywords(TypedDict, total=False):
    """The options of a run that can be said anew when it goes on."""

    store: FilePath | None
    record: FilePath | None
    trace: bool
    on_approval: Prompt | None
    on_question: OnQuestion | None
    on_tool: OnTool | None
    on_event: Callable[[dict[str, Any]], None] | None
    on_notice: Callable[[str], None] | None


class RunKeywords(ResumeKeywords, total=False):
    """The fields of `RunOptions` as keywords, so that editors and type checkers know them."""

    inputs: Inputs
    sets: Iterable[str]
    model: str | None
    script: FilePath | None
    images: Iterable[FilePath]
    session: str | None
    approve: Approve
    record: FilePath | None
    identity: Mapping[str, Any]
    allow_python: bool
    dry_run: bool
    offline: bool
    skip_waits: bool


OF_A_RUN = tuple(each.name for each in fields(RunOptions))


def options_of(caller: str, given: Mapping[str, Any], known: Iterable[str] | None = None) -> RunOptions:
    """The options that a caller gave. Raises `NotAllowed`, with what was meant, for a name that is none.

    >>> options_of("run", {"modle": "openai:m"})
    Traceback (most recent call last):
    agentspec.errors.NotAllowed: `run` has no option `modle`; did you mean `model`?
    """
    allowed = OF_A_RUN if known is None else tuple(known)
    for name in given:
        if name not in allowed:
            raise _unknown(caller, name, allowed, of_a_run=name in OF_A_RUN)
    return RunOptions(**given)


def _unknown(caller: str, name: str, known: tuple[str, ...], *, of_a_run: bool) -> NotAllowed:
    near = nearest(name, known)
    if near:
        way_out = f"did you mean `{near[0]}`?"
    else:
        way_out = f"it has {', '.join(f'`{one}`' for one in known)}"
        way_out = f"the run keeps the one that it was started with; {way_out}" if of_a_run else way_out
    return NotAllowed(f"`{caller}` has no option `{name}`; {way_out}")


def require_list(name: str, given: object, example: str) -> None:
    """Raise `NotAllowed` for a bare text where several are asked for: its characters would be taken one by one."""
    if isinstance(given, str | bytes):
        raise NotAllowed(f"`{name}` is one text where several may stand: write it as `{example}`")


def require_identity(given: Mapping[str, Any]) -> None:
    """Raise `NotAllowed` for an identity with another key, or with a value of another kind."""
    for name, value in given.items():
        if name not in IDENTITY:
            raise NotAllowed(f"`identity` has no `{name}`: it has {', '.join(f'`{each}`' for each in IDENTITY)}")
        is_list = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
        if not (is_list if name == "roles" else isinstance(value, str)):
            raise NotAllowed(f"`identity`: `{name}` is {'a list of texts' if name == 'roles' else 'a text'}")


def require_word(name: str, given: str) -> None:
    """Raise `NotAllowed` for a word that the option doesn't know."""
    if given not in WORDS[name]:
        raise NotAllowed(f"`{name}` can't be `{given}`: it is {', '.join(f'`{word}`' for word in WORDS[name])}")
