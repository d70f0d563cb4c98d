"""read: the toolkit that looks at the files below one folder and changes nothing.

Every path goes through `beneath`; every answer is bounded, and says how to ask for the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from agentspec.adapters.tools.files.beneath import Beneath
from agentspec.adapters.tools.files.search import find_files, search_files
from agentspec.adapters.tools.files.secret_files import SecretFiles
from agentspec.adapters.tools.files.show import file_outline, list_directory, read_file, read_file_tail
from agentspec.adapters.tools.files.tool import FilesTool, Look, Reading, folder_of, require_folder
from agentspec.adapters.tools.kit import KitTool, Offered, Setting, offer
from agentspec.adapters.tools.quantities import bytes_of

_NOTES = 1024  # bytes of an answer that are left for what is said about it


class _Kind(NamedTuple):
    """One tool as the language fixes it."""

    description: str
    parameters: Mapping[str, Any]
    look: Look


def _text(description: str, kind: str = "string") -> dict[str, Any]:
    return {"type": kind, "description": description}


def _count(description: str) -> dict[str, Any]:
    return {"type": "integer?", "minimum": 1, "description": description}


_PATH = _text("Path of a file, relative to the project folder.")
_FOLDER = _text("Folder to look in; the whole project folder if not given.", "string?")

TOOLS: dict[str, _Kind] = {
    "read_file": _Kind(
        "Read a text file. Long files come in parts; the answer says how to go on.",
        {
            "path": _PATH,
            "offset": _count("Number of the first line to show, from 1."),
            "limit": _count("Most lines to show."),
        },
        read_file,
    ),
    "read_file_tail": _Kind(
        "Read the last lines of a text file, for example of a log.",
        {"path": _PATH, "lines": _count("How many lines; 50 if not given.")},
        read_file_tail,
    ),
    "list_directory": _Kind(
        "List a folder: names of folders end with `/`, files have their size.", {"path": _FOLDER}, list_directory
    ),
    "search_files": _Kind(
        "Search the lines of files with a regular expression (RE2). Answers `path:line: text`.",
        {
            "pattern": _text("Regular expression; no look-around, no back-references."),
            "path": _text("File or folder to search; the whole project folder if not given.", "string?"),
            "glob": _text("Only files that fit, such as `*.py` or `src/**/*.ts`.", "string?"),
            "ignore_case": _text("Whether upper and lower case are the same.", "boolean?"),
            "max_matches": _count("Most matches to show."),
        },
        search_files,
    ),
    "find_files": _Kind(
        "Find files by name. Answers one path a line.",
        {"glob": _text("Pattern such as `*.md`, `tests/**/*.py` or `**/config.*`."), "path": _FOLDER},
        find_files,
    ),
    "file_outline": _Kind(
        "Show the lines of a file that name its parts (headings, classes, functions), with their numbers.",
        {"path": _PATH},
        file_outline,
    ),
}


def toolkit(options: Mapping[str, Any], setting: Setting) -> Offered:
    """The tools of `files.read`. Nothing is opened: the folder need not be there to know its tools."""
    reading = Reading(
        Beneath(folder_of(options, setting).absolute(), SecretFiles(setting.secrets), options.get("exclude") or ()),
        max_matches=int(options.get("max_matches") or 200),
        max_line_bytes=bytes_of("max_line_bytes", options.get("max_line_bytes") or 2048),
        max_bytes=max(setting.result_max - _NOTES, setting.result_max // 2),
    )
    tools = [
        KitTool(name, kind.description, kind.parameters, FilesTool(kind.look, reading), effect="read")
        for name, kind in TOOLS.items()
    ]
    return offer("files.read", tools, options, setting)


def require(options: Mapping[str, Any], setting: Setting) -> None:
    """Raise `Unavailable` where the folder that the tools are to read isn't there."""
    require_folder("files.read", options, setting)
