"""accepted: the tools of servers that somebody has accepted, by name, as the lock of a project says.

Only names, and only where the lock can be read: a check tells nothing by what it can't see. Whether a server still is
what was accepted is the business of the run.
"""

from __future__ import annotations

import json
from pathlib import Path

from agentspec.compose.project import state_folder
from agentspec.errors import NotFound
from agentspec.syntax.plain_file import read_plain

LOCK_FILE = "mcp.lock"
MAX_BYTES = 32 * 1024 * 1024


def accepted_tools(project: Path) -> dict[str, tuple[str, ...]]:
    """The names of the accepted tools by server, in the servers' own names."""
    path = state_folder(project) / LOCK_FILE
    try:
        content = read_plain(path, MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            return {}
        stored = json.loads(content)
        return {str(name): tuple(map(str, server["tools"])) for name, server in stored["servers"].items()}
    except (NotFound, ValueError, RecursionError, AttributeError, KeyError, TypeError):
        return {}
