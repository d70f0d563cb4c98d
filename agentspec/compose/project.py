"""project: where a spec's project begins, where it keeps its state, and what its `agentspec.toml` asks for.

Nothing is written and no folder is made here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from agentspec.compose.findings import clip, finding
from agentspec.compose.inputs import did_you_mean
from agentspec.errors import NotFound
from agentspec.syntax.limits import MAX_BYTES
from agentspec.syntax.plain_file import read_plain
from agentspec.syntax.private import STATE_FOLDER
from agentspec.syntax.read import decode
from agentspec.text.diagnostic import Diagnostic, Severity
from agentspec.text.paths import is_file, is_folder, real_path
from agentspec.text.source import Source, Span

SETTINGS_FILE = "agentspec.toml"
LOCK_FILE = "agentspec.lock"
MANIFESTS: Final = ("library.yaml", "library.agent", "library.yml", "library.json")
HOME_VARIABLE = "AGENTSPEC_HOME"

_CODE = r"AS[0-9]{3}"
_PREFIX = r"AS[0-9]{1,3}"  # `AS9` stands for a whole family
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
_KEYS = ("ignore", "severities", "strict")
_TABLES = {"check": _KEYS, "python": ("trust",), "libraries": ("organisation",)}
_PACKAGE = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"


class Settings(NamedTuple):
    """What a project asks of `check`: codes (or their first digits) to leave out, severities, strictness.

    `trust` are the Python packages whose functions may be rules without `--allow-python`; `organisation` are patterns
    of the sources of libraries that are the organisation's own.
    """

    ignore: tuple[str, ...] = ()
    severities: tuple[tuple[str, Severity], ...] = ()
    strict: bool = False
    source: Source | None = None
    findings: tuple[Diagnostic, ...] = ()
    trust: tuple[str, ...] = ()
    organisation: tuple[str, ...] = ()


def is_trusted(function: str, trust: tuple[str, ...]) -> bool:
    """Whether a function (`package.module:name`) belongs to a trusted package, or is in a trusted module.

    >>> is_trusted("acme.rules:decide", ("acme",)), is_trusted("acmeforge:decide", ("acme",))
    (True, False)
    """
    module = function.partition(":")[0]
    return any(module == package or module.startswith(f"{package}.") for package in trust)


def project_folder(path: str | os.PathLike[str]) -> Path:
    """The nearest folder upward from a spec, or from a folder, that has `agentspec.toml`, `agentspec.lock` or
    `.agentspec/`; else the spec's own folder.
    """
    place = Path(path).absolute()
    start = place if is_folder(place) else place.parent
    return next((folder for folder in (start, *start.parents) if project_mark(folder) is not None), start)


def project_mark(folder: Path) -> str | None:
    """What makes a folder a project: the name of what it holds, or None."""
    for name in (SETTINGS_FILE, LOCK_FILE):
        if is_file(folder / name):
            return name
    return STATE_FOLDER if is_folder(folder / STATE_FOLDER) else None


def manifest_between(path: str, folder: str) -> Path | None:
    """The folder of a manifest's name that a path leads into from a folder outside, every link followed; None where
    both lie in the same ones.
    """
    inner, outer = Path(real_path(path)).parent, Path(real_path(folder or "."))
    around = (outer, *outer.parents)
    entered = (each for each in (inner, *inner.parents) if each not in around)
    return next((each for each in entered if any(is_file(each / name) for name in MANIFESTS)), None)


def state_folder(project: Path, environment: Mapping[str, str] | None = None) -> Path:
    """Where a project keeps its runs and artifacts: `.agentspec` in it, or what `AGENTSPEC_HOME` says."""
    known = os.environ if environment is None else environment
    home = known.get(HOME_VARIABLE)
    return Path(home).absolute() if home else project / STATE_FOLDER


def read_settings(project: Path) -> Settings:
    """The project's `agentspec.toml`. What is wrong in it is in `findings`, and left out of the rest."""
    path = project / SETTINGS_FILE
    if not os.path.lexists(path):
        return Settings()
    try:
        source, problem = decode(str(path), read_plain(path, MAX_BYTES + 1))
    except NotFound as gone:
        place, reason = Span(Source(str(path), ""), 0, 0), str(gone)
    else:
        if problem is None:
            return parse_settings(source)
        place, reason = problem.span, problem.message
    return Settings(findings=(finding("AS430", place, f"cannot read `{SETTINGS_FILE}`: {reason}"),))


def parse_settings(source: Source) -> Settings:
    """The settings that a text of `agentspec.toml` holds."""
    import tomllib  # noqa: PLC0415 - only a project that has settings pays for it

    try:
        tables = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as problem:
        place, message = toml_problem(source, str(problem))
        return Settings(source=source, findings=(finding("AS430", place, f"cannot read `{SETTINGS_FILE}`: {message}"),))
    found = [_unknown(source, "", name, tuple(_TABLES)) for name in tables if name not in _TABLES]
    check, python, libraries = (_table(source, tables, name, found) for name in _TABLES)
    strict = check.get("strict", False)
    if not isinstance(strict, bool):
        found.append(_wrong(source, "strict", "it is `true` or `false`"))
    return Settings(
        _ignore(source, check.get("ignore", []), found),
        _severities(source, check.get("severities", {}), found),
        strict is True,
        source,
        trust=_trust(source, python.get("trust", []), found),
        organisation=_sources(source, libraries.get("organisation", []), found),
        findings=tuple(found),
    )


def _table(source: Source, tables: dict[str, object], name: str, found: list[Diagnostic]) -> dict[str, object]:
    """A table of the file, with its unknown keys told; empty where it is none."""
    table = tables.get(name, {})
    if not isinstance(table, dict):
        found.append(_wrong(source, name, f"it is a table: `[{name}]`"))
        return {}
    found.extend(_unknown(source, name, key, _TABLES[name]) for key in table if key not in _TABLES[name])
    return table


def _trust(source: Source, value: object, found: list[Diagnostic]) -> tuple[str, ...]:
    if not isinstance(value, list):
        found.append(_wrong(source, "trust", 'it is a list of packages: `["acme_rules"]`'))
        return ()
    packages = [package for package in value if isinstance(package, str) and re.fullmatch(_PACKAGE, package)]
    wrong = [package for package in value if package not in packages]
    found.extend(_wrong(source, str(package), "a package is written like `acme_rules`") for package in wrong)
    return tuple(packages)


def _sources(source: Source, value: object, found: list[Diagnostic]) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(pattern, str) for pattern in value):
        found.append(_wrong(source, "organisation", 'it is a list of sources: `["git+https://git.example.org/*"]`'))
        return ()
    return tuple(value)


def _ignore(source: Source, value: object, found: list[Diagnostic]) -> tuple[str, ...]:
    if not isinstance(value, list):
        found.append(_wrong(source, "ignore", 'it is a list of codes: `["AS512"]`'))
        return ()
    codes = [code for code in value if isinstance(code, str) and re.fullmatch(_PREFIX, code)]
    found.extend(_wrong(source, str(code), "a code is written like `AS512`") for code in value if code not in codes)
    return tuple(codes)


def _severities(source: Source, value: object, found: list[Diagnostic]) -> tuple[tuple[str, Severity], ...]:
    if not isinstance(value, dict):
        found.append(_wrong(source, "severities", 'it is a table of codes: `AS512 = "note"`'))
        return ()
    chosen: list[tuple[str, Severity]] = []
    for code, severity in value.items():
        if not re.fullmatch(_CODE, code):
            found.append(_wrong(source, code, "a code is written like `AS512`"))
        elif severity not in _SEVERITIES:
            allowed = ", ".join(f"`{known}`" for known in _SEVERITIES)
            found.append(_wrong(source, code, f"its severity is one of {allowed}"))
        else:
            chosen.append((code, severity))
    return tuple(chosen)


def _unknown(source: Source, table: str, name: str, known: tuple[str, ...]) -> Diagnostic:
    place = f" in `[{table}]`" if table else ""
    message = f"unknown key `{clip(name)}`{place} of `{SETTINGS_FILE}`{did_you_mean(name, known)}"
    help_ = f"known here: {', '.join(f'`{key}`' for key in known)}"
    return finding("AS431", place_in(source, name), message, help=help_)


def _wrong(source: Source, name: str, reason: str) -> Diagnostic:
    return finding("AS432", place_in(source, name), f"`{clip(name)}` in `{SETTINGS_FILE}` does not fit: {reason}")


def place_in(source: Source, name: str) -> Span:
    """Where a name is written, the first time outside comments; `tomllib` keeps no places."""
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    for line in re.finditer(r"[^\r\n]+", source.text):
        match = word.search(line[0].partition("#")[0])
        if match is not None:
            return Span(source, line.start() + match.start(), line.start() + match.end())
    return Span(source, 0, 0)


def toml_problem(source: Source, message: str) -> tuple[Span, str]:
    """The place that `tomllib` names at the end of its messages: `(at line 3, column 5)`, `(at end of document)`."""
    match = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    if match is None:
        end = len(source.text)
        return Span(source, end, end), message.removesuffix(" (at end of document)")
    start = min(source.line_starts[int(match[1]) - 1] + int(match[2]) - 1, len(source.text))
    return Span(source, start, min(start + 1, len(source.text))), message[: match.start()]
