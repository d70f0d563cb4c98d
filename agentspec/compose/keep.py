"""keep: write down the parsed trees of the built-in presets, so that no check has to parse them again.

Run by `python -m agentspec.compose.keep` after a change of `stdlib/presets/`; a test holds the file to the presets.
"""

from __future__ import annotations

import json

from agentspec.compose.files import KEPT, builtin_files
from agentspec.syntax.kept import kept
from agentspec.syntax.read import read_file


def text() -> str:
    """The text of the file, a line for each preset."""
    lines = (f"{json.dumps(path.name)}: {json.dumps(kept(read_file(path)))}" for path in builtin_files("presets"))
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    KEPT.write_text(text(), encoding="utf-8")
