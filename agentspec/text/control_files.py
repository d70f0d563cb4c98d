"""control_files: which files no tool changes: those that decide what later runs and programs may do.

Whoever writes `.git/config` or a hook runs a program with the next `git status`; `agentspec.toml` says whose Python is
trusted, and `.agentspec` holds what runs have done.
"""

from __future__ import annotations

_FOLDERS = frozenset((".git", ".hg", ".svn", ".agentspec"))
_NAMES = frozenset(("agentspec.toml", "agentspec.lock"))


def control_rule(relative: str) -> str:
    """The rule that keeps a path below the root from being changed, or nothing; capitals make no difference.

    >>> control_rule("lib/.GIT/hooks/pre-commit"), control_rule(".gitignore")
    ('.git/**', '')
    """
    steps = relative.casefold().split("/")
    folder = next((f"{step}/**" for step in steps if step in _FOLDERS), "")
    return folder or (steps[-1] if steps[-1] in _NAMES else "")
