"""check: everything that can be said about files before they run, in one pass.

Reading, composition, shape, expressions and rules each give findings; nothing stops at the first. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path as FilePath
from typing import NamedTuple

from agentspec.checker.discover import looking_rules
from agentspec.checker.ignores import Ignore, read_ignores, silence, unused
from agentspec.checker.meaning import meaning_findings
from agentspec.checker.report import Report, file_name, in_order
from agentspec.checker.settings import Settings, read_settings
from agentspec.checker.subject import PROFILES, Subject
from agentspec.checker.walk import find_specs
from agentspec.compose.documents import name_of
from agentspec.compose.files import Files
from agentspec.compose.load import Composed, load_all
from agentspec.errors import NotFound
from agentspec.spec.shape import survey
from agentspec.syntax.read import parse
from agentspec.syntax.tree import Entry, Mapping, Parsed
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source


class Options(NamedTuple):
    """What a check takes in and leaves out. Codes may be prefixes; an empty `select` takes all."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    shows_consequences: bool = False
    settings: Settings | None = None  # None: what `agentspec.toml` beside the files says


DEFAULTS = Options()


def check_paths(paths: Sequence[FilePath], options: Options = DEFAULTS, files: Files | None = None) -> Report:
    """The findings of all files that the paths stand for; folders are walked."""
    found = find_specs(list(paths))
    files = files or Files()
    raw: list[Diagnostic] = []
    checked: list[Parsed] = []
    missing = [f"no such file: `{path}`" for path in found.missing]
    for file in found.files:
        try:
            parsed, diagnostics = check_file(file, files)
        except NotFound as unreadable:
            missing.append(str(unreadable))
            continue
        checked.append(parsed)
        raw += diagnostics
    settings = options.settings or _settings(found.files, paths)
    _show_names(raw)
    left = _silenced(in_order(raw), checked)
    kept = [_weighed(one, settings) for one in left if _is_wanted(one, options, settings)]
    shown = kept if options.shows_consequences else [one for one in kept if one.caused_by is None]
    skipped = found.skipped if found.has_folder else None
    return Report(
        in_order(shown),
        tuple(parsed.source.name for parsed in checked),
        skipped,
        tuple(missing),
        len(kept) - len(shown),
        settings.is_strict,
    )


def check_file(path: FilePath, files: Files) -> tuple[Parsed, list[Diagnostic]]:
    """Every finding of one file, unsilenced; raises `NotFound` where there is nothing to read."""
    parsed, composed = load_all(path, files)
    agents = tuple(name for document in parsed.documents if (name := name_of(document)))
    found = [*parsed.diagnostics, *(one for each in composed for one in check_composed(each, agents))]
    return parsed, found


def check_composed(composed: Composed, agents: tuple[str, ...] = ()) -> list[Diagnostic]:
    """Every finding of one composed document, unsilenced; `agents` are the names of the agents of its file."""
    walked = survey(_authored(composed.tree), composed.kind, broken=composed.has_broken)
    found = [*composed.diagnostics, *walked.diagnostics, *meaning_findings(composed, walked.marks)]
    subject = Subject(
        composed.tree,
        composed.kind,
        composed.project,
        marks=tuple(walked.marks),
        errors=tuple(one for one in found if one.severity == "error"),
        is_whole=not composed.has_broken,
        agents=agents,
    )
    for rule in looking_rules():
        found += rule.look(subject)
    return found


def _authored(tree: Mapping) -> Mapping:
    """The tree without what a profile says: a key that nobody wrote is no neighbour of one that somebody misspelt."""
    if not any(PROFILES in source.name for source in _sources(tree)):
        return tree
    entries = [
        _with_value(entry, _authored(entry.value)) if isinstance(entry.value, Mapping) else entry
        for entry in tree.entries
        if PROFILES not in entry.key.span.source.name
    ]
    return Mapping(entries=entries, span=tree.span, flow=tree.flow, anchor=tree.anchor)


def _sources(tree: Mapping) -> Iterable[Source]:
    for entry in tree.entries:
        yield entry.key.span.source
        if isinstance(entry.value, Mapping):
            yield from _sources(entry.value)


def _with_value(entry: Entry, value: Mapping) -> Entry:
    return Entry(key=entry.key, value=value, operation=entry.operation, final=entry.final, merged=entry.merged)


def _show_names(diagnostics: list[Diagnostic]) -> None:
    """Give every file the name under which it is shown, so that one file has one name throughout a report."""
    for one in diagnostics:
        for span in (one.span, *(related.span for related in one.related)):
            span.source.name = file_name(span.source.name)


def _settings(files: list[FilePath], paths: Sequence[FilePath]) -> Settings:
    start = files[0].parent if files else next((path for path in paths if path.is_dir()), FilePath())
    return read_settings(start)


def _silenced(diagnostics: list[Diagnostic], checked: Iterable[Parsed]) -> list[Diagnostic]:
    comments: dict[str, list[Ignore]] = {parsed.source.name: read_ignores(parsed) for parsed in checked}
    own = [ignore for each in comments.values() for ignore in each]

    def ignores_of(source: Source) -> list[Ignore]:
        if source.name not in comments:
            comments[source.name] = read_ignores(parse(source))
        return comments[source.name]

    left, used = silence(diagnostics, ignores_of)
    unknown = {parsed.source.name for parsed in checked if any(one.has_broken for one in parsed.documents)}
    return left + unused([one for one in own if one.span.source.name not in unknown], used)


def _is_wanted(diagnostic: Diagnostic, options: Options, settings: Settings) -> bool:
    code = diagnostic.code
    if code.startswith((*options.ignore, *settings.ignore)):
        return False
    return not options.select or code.startswith(options.select)


def _weighed(diagnostic: Diagnostic, settings: Settings) -> Diagnostic:
    severity = settings.severities.get(diagnostic.code)
    if severity is None:
        return diagnostic
    from dataclasses import replace  # noqa: PLC0415 - only where a project changes severities

    return replace(diagnostic, severity=severity)
