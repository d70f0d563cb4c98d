"""outline: the lines of a file that name its parts: headings, classes, functions."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_PYTHON = re.compile(r"\s*(?:async\s+def|def|class)\s+\w")
_MARKDOWN = re.compile(r"#{1,6}\s+\S")
_SCRIPT = re.compile(
    r"\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?"
    r"(?:(?:async\s+)?function\b|class\s+\w|interface\s+\w|enum\s+\w|namespace\s+\w|type\s+\w+\s*[=<]"
    r"|(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>)"
)
_GO = re.compile(r"(?:func|type)\s+\S")
_RUST = re.compile(r"\s*(?:pub(?:\([^()]*\))?\s+)?(?:async\s+|unsafe\s+|const\s+)*(?:fn|struct|enum|trait|impl|mod)\b")
_CURLY = re.compile(
    r"\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|virtual|override|export)\s+)*"
    r"(?:class|interface|struct|enum|record|namespace|union|trait|object|fun)\s+\w"
    r"|\s*[A-Za-z_][\w:<>,*&\s]{0,80}\s[*&]?[\w:~]+\([^;{}]*\)\s*(?:const\s*)?\{?\s*$"
)
_RUBY = re.compile(r"\s*(?:def|class|module)\s+\S")
_SHELL = re.compile(r"\s*(?:function\s+[\w-]+|[\w-]+\s*\(\))")
_SQL = re.compile(r"\s*create\s", re.IGNORECASE)
_YAML = re.compile(r"[A-Za-z_\"'][^:#]{0,80}:(?:\s|$)|---")
_TOML = re.compile(r"\s*\[")
_AGENT = re.compile(r"\s*(?:agent|preset|library|scenario|tool|toolkit|resource|skill|mcp)\s+\S|\s{0,2}\w+\s*\{\s*$")

_BY_SUFFIX = {
    **dict.fromkeys((".py", ".pyi"), _PYTHON),
    **dict.fromkeys((".md", ".markdown"), _MARKDOWN),
    **dict.fromkeys((".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs"), _SCRIPT),
    ".go": _GO,
    ".rs": _RUST,
    **dict.fromkeys((".java", ".kt", ".cs", ".c", ".h", ".cc", ".cpp", ".hpp", ".swift", ".php", ".scala"), _CURLY),
    ".rb": _RUBY,
    **dict.fromkeys((".sh", ".bash"), _SHELL),
    ".sql": _SQL,
    **dict.fromkeys((".yaml", ".yml"), _YAML),
    **dict.fromkeys((".toml", ".ini", ".cfg"), _TOML),
    ".agent": _AGENT,
}


def pattern_for(path: str) -> re.Pattern[str] | None:
    """What a part's line looks like in a file of this name, or None where that isn't known."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())
