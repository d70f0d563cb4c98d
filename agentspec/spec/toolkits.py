"""toolkits: the ready families of tools and the options of each.

The names of tools and options are fixed by the language; what the tools do stands with their adapters.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agentspec.spec.base import Items, Maybe, Record, Some, key
from agentspec.spec.kinds import Count, Glob, Host, Line, Mark, Name, PathText, Period, Size, ToolName, Variable

Word = Annotated[str, Field(pattern=r"^\S+$"), Mark("word")]
ArgvPrefix = Annotated[Word | Some[str], Mark("argv_prefix")]
"""The first elements of a command: `ls`, or `[git, status]`."""

FilesReadTool = Literal["read_file", "read_file_tail", "list_directory", "search_files", "find_files", "file_outline"]
FilesEditTool = Literal["write_file", "edit_file", "patch_file", "create_directory", "delete_path"]
CommandTool = Literal["run_command", "read_command_output", "read_command_output_tail", "cancel_command"]
GitTool = Literal[
    "git_status", "git_diff", "git_log", "git_show", "git_blame", "git_branch", "git_add", "git_commit", "git_switch"
]
GitCompactTool = Literal["find_git_tool", "run_git_tool"]
WebFetchTool = Literal["fetch"]
TextTool = Literal[
    "count_chars",
    "count_words",
    "count_lines",
    "regex_match",
    "regex_replace",
    "replace_text",
    "split_text",
    "join_text",
    "slice_text",
    "reverse_text",
    "change_case",
    "sort_lines",
    "sha256",
    "base64_encode",
    "base64_decode",
    "url_encode",
    "url_decode",
    "diff_text",
]
JsonTool = Literal["json_query", "json_get", "json_set", "json_remove", "json_merge", "json_format", "json_validate"]
TimeTool = Literal["now", "date_add", "date_diff", "date_info", "convert_zone", "format_time", "parse_time"]
TodoTool = Literal["todo_write", "todo_read"]
ScratchTool = Literal["scratch_write", "scratch_read", "scratch_delete"]
AskUserTool = Literal["ask_user"]
MathTool = Literal["calc", "statistics", "convert_units", "convert_base"]


ENABLED = key("Only these of its tools.", None, shown="all")
DISABLED = key("All but these of its tools.", None)
NAMES = key("Other names for its tools.", None)
DESCRIPTIONS = key("Other descriptions of its tools.", None)


class Options(Record):
    """What every toolkit takes beside the names of its tools."""

    not_both = (("enabled", "disabled"),)

    namespace: Maybe[Name] = key("The group that its tools are found in.", None)
    defer: bool = key("Whether the model finds its tools by search only.", default=False)


class FilesRead(Options):
    """Reading files below a root."""

    enabled: Maybe[Some[FilesReadTool]] = ENABLED
    disabled: Maybe[Some[FilesReadTool]] = DISABLED
    names: Maybe[dict[FilesReadTool, ToolName]] = NAMES
    descriptions: Maybe[dict[FilesReadTool, Line]] = DESCRIPTIONS
    root: PathText = key("The folder that nothing is read outside of.", ".")
    max_matches: Count = key("The most matches of a search.", 200)
    max_line_bytes: Size = key("The longest line that is shown.", "2KiB")
    exclude: Items[Glob] = key("Paths that are never listed, searched or read.", [])


class FilesEdit(Options):
    """Changing files below a root."""

    enabled: Maybe[Some[FilesEditTool]] = ENABLED
    disabled: Maybe[Some[FilesEditTool]] = DISABLED
    names: Maybe[dict[FilesEditTool, ToolName]] = NAMES
    descriptions: Maybe[dict[FilesEditTool, Line]] = DESCRIPTIONS
    root: PathText = key("The folder that nothing is written outside of.", ".")


class Command(Options):
    """Running commands."""

    enabled: Maybe[Some[CommandTool]] = ENABLED
    disabled: Maybe[Some[CommandTool]] = DISABLED
    names: Maybe[dict[CommandTool, ToolName]] = NAMES
    descriptions: Maybe[dict[CommandTool, Line]] = DESCRIPTIONS
    root: PathText = key("The folder that commands start in.", ".")
    allow: Maybe[Some[ArgvPrefix]] = key("Commands that run without a question, by their first elements.", None)
    allow_else: Literal["deny", "ask"] = key("What becomes of a command that `allow` doesn't name.", "deny")
    shell: bool = key("Whether a command may be a line for a shell.", default=False)
    env: Items[Variable] = key("Environment variables that commands see.", [])
    max_inline: Size = key("Output that is shown at once; the rest is read on demand.", "48KiB")
    background_after: Maybe[Period] = key("A command that runs longer goes on in the background.", None)
    progress_interval: Maybe[Period] = key("How often a running command reports.", None)
    progress_max_inline: Maybe[Size] = key("The most output of one such report.", None)
    preserve_filtered_output: bool = key("Keep the whole output of a pipeline that ends in a filter.", default=True)


class Git(Options):
    """Looking at a repository, and with `mutations` changing it."""

    enabled: Maybe[Some[GitTool]] = ENABLED
    disabled: Maybe[Some[GitTool]] = DISABLED
    names: Maybe[dict[GitTool, ToolName]] = NAMES
    descriptions: Maybe[dict[GitTool, Line]] = DESCRIPTIONS
    repo: PathText = key("The repository.", ".")
    mutations: bool = key("Whether `git_add`, `git_commit` and `git_switch` exist.", default=False)


class GitCompact(Options):
    """The same as two tools: one finds, one runs."""

    enabled: Maybe[Some[GitCompactTool]] = ENABLED
    disabled: Maybe[Some[GitCompactTool]] = DISABLED
    names: Maybe[dict[GitCompactTool, ToolName]] = NAMES
    descriptions: Maybe[dict[GitCompactTool, Line]] = DESCRIPTIONS
    repo: PathText = key("The repository.", ".")
    mutations: bool = key("Whether tools that change the repository are found.", default=False)


class WebFetch(Options):
    """Fetching pages."""

    enabled: Maybe[Some[WebFetchTool]] = ENABLED
    disabled: Maybe[Some[WebFetchTool]] = DISABLED
    names: Maybe[dict[WebFetchTool, ToolName]] = NAMES
    descriptions: Maybe[dict[WebFetchTool, Line]] = DESCRIPTIONS
    hosts: Maybe[Some[Host]] = key('Hosts that may be fetched from; `["*"]` is any public one.', None, shown="asked")
    private: bool = key("Whether addresses of private networks are allowed.", default=False)


class TextHelpers(Options):
    """Counting, cutting and comparing text."""

    enabled: Maybe[Some[TextTool]] = ENABLED
    disabled: Maybe[Some[TextTool]] = DISABLED
    names: Maybe[dict[TextTool, ToolName]] = NAMES
    descriptions: Maybe[dict[TextTool, Line]] = DESCRIPTIONS


class MathHelpers(Options):
    """Calculating in decimals."""

    enabled: Maybe[Some[MathTool]] = ENABLED
    disabled: Maybe[Some[MathTool]] = DISABLED
    names: Maybe[dict[MathTool, ToolName]] = NAMES
    descriptions: Maybe[dict[MathTool, Line]] = DESCRIPTIONS


class JsonHelpers(Options):
    """Looking into JSON documents, changing and checking them."""

    enabled: Maybe[Some[JsonTool]] = ENABLED
    disabled: Maybe[Some[JsonTool]] = DISABLED
    names: Maybe[dict[JsonTool, ToolName]] = NAMES
    descriptions: Maybe[dict[JsonTool, Line]] = DESCRIPTIONS


class TimeHelpers(Options):
    """Reckoning with days and times."""

    enabled: Maybe[Some[TimeTool]] = ENABLED
    disabled: Maybe[Some[TimeTool]] = DISABLED
    names: Maybe[dict[TimeTool, ToolName]] = NAMES
    descriptions: Maybe[dict[TimeTool, Line]] = DESCRIPTIONS


class TodoHelpers(Options):
    """A working list for one run."""

    enabled: Maybe[Some[TodoTool]] = ENABLED
    disabled: Maybe[Some[TodoTool]] = DISABLED
    names: Maybe[dict[TodoTool, ToolName]] = NAMES
    descriptions: Maybe[dict[TodoTool, Line]] = DESCRIPTIONS


class ScratchHelpers(Options):
    """Named notes for one run."""

    enabled: Maybe[Some[ScratchTool]] = ENABLED
    disabled: Maybe[Some[ScratchTool]] = DISABLED
    names: Maybe[dict[ScratchTool, ToolName]] = NAMES
    descriptions: Maybe[dict[ScratchTool, Line]] = DESCRIPTIONS


class AskUser(Options):
    """Asking the person."""

    enabled: Maybe[Some[AskUserTool]] = ENABLED
    disabled: Maybe[Some[AskUserTool]] = DISABLED
    names: Maybe[dict[AskUserTool, ToolName]] = NAMES
    descriptions: Maybe[dict[AskUserTool, Line]] = DESCRIPTIONS
    timeout: Maybe[Period] = key("How long an answer is waited for before the run is suspended.", None, shown="no end")


class Toolkit(Record):
    """A toolkit with its options."""

    one_of = (
        *("files.read", "files.edit", "command", "git", "git.compact", "web.fetch"),
        *("text", "math", "json", "time", "todo", "scratch", "ask_user"),
    )

    files_read: Maybe[FilesRead] = key("Reading files below a root.", None, alias="files.read")
    files_edit: Maybe[FilesEdit] = key("Changing files below a root.", None, alias="files.edit")
    command: Maybe[Command] = key("Running commands.", None)
    git: Maybe[Git] = key("Looking at a repository.", None)
    git_compact: Maybe[GitCompact] = key("The same as two tools.", None, alias="git.compact")
    web_fetch: Maybe[WebFetch] = key("Fetching pages.", None, alias="web.fetch")
    text: Maybe[TextHelpers] = key("Helpers for text.", None)
    math: Maybe[MathHelpers] = key("Helpers for numbers.", None)
    json_: Maybe[JsonHelpers] = key("Helpers for JSON.", None, alias="json")
    time: Maybe[TimeHelpers] = key("Helpers for dates and times.", None)
    todo: Maybe[TodoHelpers] = key("A working list.", None)
    scratch: Maybe[ScratchHelpers] = key("The scratchpad.", None)
    ask_user: Maybe[AskUser] = key("A question to the person.", None)


ToolkitName = Literal[
    "files.read",
    "files.edit",
    "command",
    "git",
    "git.compact",
    "web.fetch",
    "text",
    "math",
    "json",
    "time",
    "todo",
    "scratch",
    "ask_user",
]
Toolkits = Items[ToolkitName | Toolkit]
