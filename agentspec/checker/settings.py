"""settings: what a project's `agentspec.toml` says about checking: `[check]` with `ignore`, `severities`, `strict`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from agentspec.errors import NotAllowed
from agentspec.text.diagnostic import Severity
from agentspec.text.suggest import nearest

NAME = "agentspec.toml"
KEYS = ("ignore", "severities", "strict")
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Settings(NamedTuple):
    """The `[check]` table of a project."""

    ignore: tuple[str, ...] = ()
    severities: dict[str, Severity] = {}
    is_strict: bool = False


def read_settings(start: Path) -> Settings:
    """The settings of the nearest `agentspec.toml` at or above a folder; raises `NotAllowed` where it is wrong."""
    folder = start.resolve()
    for each in (folder, *folder.parents):
        if (each / NAME).is_file():
            return _parse(each / NAME)
    return Settings()


def _parse(path: Path) -> Settings:
    import tomllib  # noqa: PLC0415 - only projects that have the file pay for the parser

    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise NotAllowed(f"`{NAME}` cannot be read: {wrong}") from wrong
    check = table.get("check", {})
    if not isinstance(check, dict):
        raise NotAllowed(f"`check` in `{NAME}` is a table: write `[check]`")
    for key in check:
        if key not in KEYS:
            near = nearest(key, KEYS)
            meant = f"did you mean `{near[0]}`?" if near else f"it takes {', '.join(f'`{one}`' for one in KEYS)}"
            raise NotAllowed(f"unknown key `{key}` in `[check]` of `{NAME}`; {meant}")
    return Settings(_codes(check.get("ignore", [])), _severities(check.get("severities", {})), _strict(check))


def _codes(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(code, str) for code in value):
        raise NotAllowed(f'`check.ignore` in `{NAME}` is a list of codes: `ignore = ["AS512"]`')
    return tuple(value)


def _severities(value: object) -> dict[str, Severity]:
    if not isinstance(value, dict) or not all(one in SEVERITIES for one in value.values()):
        raise NotAllowed(
            f'`check.severities` in `{NAME}` gives codes a severity: `AS512 = "error"`, or warning, or note'
        )
    return {str(code): severity for code, severity in value.items()}


def _strict(check: dict[str, object]) -> bool:
    value = check.get("strict", False)
    if not isinstance(value, bool):
        raise NotAllowed(f"`check.strict` in `{NAME}` is true or false")
    return value
