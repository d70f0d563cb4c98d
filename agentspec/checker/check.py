"""check: everything that can be said about files before they run, in one pass.

Reading, composition, shape, expressions and rules each give findings; nothing stops at the first. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path as FilePath
from typing import NamedTuple

from agentspec.checker.conceal import secrets_of
from agentspec.checker.consequences import Faults, across, apart, because_of, within
from agentspec.checker.discover import rules_for
from agentspec.checker.filled import open_slots, with_inputs
from agentspec.checker.ignores import Ignore, read_ignores, silence, unused
from agentspec.checker.meaning import meaning_findings
from agentspec.checker.outcome import Keeper, Outcome, outcome_of
from agentspec.checker.placing import at_the_author
from agentspec.checker.reading import UNKNOWN_KEY
from agentspec.checker.report import Report, file_name, in_order, show_names
from agentspec.checker.subject import Subject
from agentspec.checker.walk import Found, find_specs
from agentspec.compose.documents import name_of, split_reference
from agentspec.compose.files import Files
from agentspec.compose.load import Composed, load_all
from agentspec.compose.project import Settings, project_folder, read_settings
from agentspec.errors import NotFound
from agentspec.spec.structure.shape import VALUE_TEMPLATE, Mark, survey, unknown_unsets
from agentspec.syntax.absent import no_such_file
from agentspec.syntax.read import parse
from agentspec.syntax.tree import Document, Mapping, Parsed, find, holder
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.drafts import drafted
from agentspec.text.paths import is_file
from agentspec.text.source import Source, Span
from agentspec.text.witness import listening


class Options(NamedTuple):
    """What a check takes in and leaves out. Codes may be prefixes; an empty `select` takes all."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    shows_consequences: bool = False


DEFAULTS = Options()
UNEXPECTED = "AS050"  # a sign where another is due
MISSING_VALUE = "AS208"
INDENTATION = ("AS006", "AS028")
MISPLACED_HEAD = "AS057"  # `tool …` outside of `capability`


def check_paths(
    paths: Sequence[FilePath], options: Options = DEFAULTS, files: Files | None = None, cache: Keeper | None = None
) -> Report:
    """The findings of all files that the paths stand for; folders are walked, projects have their say.

    What `cache` still knows of a file is not found anew.
    """
    return check_found(find_specs(list(paths)), options, files, cache)


def check_found(
    found: Found, options: Options = DEFAULTS, files: Files | None = None, cache: Keeper | None = None
) -> Report:
    """The findings of files that were looked up before; those of an editor need not be on disk."""
    files = files or Files()
    with drafted(files.drafts):
        return _report(found, options, files, cache)


def _report(found: Found, options: Options, files: Files, cache: Keeper | None) -> Report:
    projects = Projects()
    raw: list[Diagnostic] = []
    checked: list[Outcome] = []
    missing = [_missing(path) for path in found.missing]
    for file in found.files:
        try:
            outcome = _outcome(file, files, cache)
        except NotFound as unreadable:
            missing.append(str(unreadable))
            continue
        checked.append(outcome)
        raw += outcome.diagnostics
        outcome.source.name = file_name(outcome.source.name)
        raw += projects.enter(file, outcome.source)
    if cache is not None:
        cache.save()
    show_names(raw)
    left = _silenced(in_order(raw), checked)
    kept = [projects.weighed(one) for one in left if projects.wants(one) and _is_wanted(one.code, options)]
    shown = kept if options.shows_consequences else apart(kept, raw)
    return Report(
        in_order(shown),
        tuple(outcome.source.name for outcome in checked),
        len(found.skipped) if found.has_folder else None,
        tuple(missing),
        len(kept) - len(shown),
        projects.is_strict,
        tuple(file_name(str(path)) for path in found.skipped),
        options.shows_consequences,
        secrets_of(raw),
    )


def _missing(path: FilePath) -> str:
    file, name = split_reference(str(path))
    if name and is_file(file):
        return f"no such file: `{path}`; a file is checked whole: `agentspec check {file}`"
    return no_such_file(path)


def _is_wanted(code: str, options: Options) -> bool:
    return not code.startswith(options.ignore or ("-",)) and (not options.select or code.startswith(options.select))


class Projects:
    """What the `agentspec.toml` of each checked file's project says about its findings."""

    def __init__(self) -> None:
        self._by_folder: dict[FilePath, Settings] = {}
        self._folder_of: dict[FilePath, FilePath] = {}
        self._by_source: dict[str, Settings] = {}

    def enter(self, file: FilePath, source: Source) -> tuple[Diagnostic, ...]:
        """Note the project of a file; gives what is wrong in its settings, once."""
        if file.parent not in self._folder_of:
            self._folder_of[file.parent] = project_folder(file)
        folder = self._folder_of[file.parent]
        is_new = folder not in self._by_folder
        if is_new:
            self._by_folder[folder] = read_settings(folder)
        settings = self._by_source[source.name] = self._by_folder[folder]
        if not is_new or not settings.organisation:
            return settings.findings if is_new else ()
        from agentspec.compose.libraries.organisation import idle_patterns  # noqa: PLC0415 - few projects have one

        return (*settings.findings, *idle_patterns(folder, settings))

    @property
    def is_strict(self) -> bool:
        """Whether some project lets warnings fail."""
        return any(settings.strict for settings in self._by_folder.values())

    def _of(self, diagnostic: Diagnostic) -> Settings:
        # A file that others build on is judged by the project of the first file that was checked.
        first = next(iter(self._by_folder.values()), Settings())
        return self._by_source.get(diagnostic.span.source.name, first)

    def wants(self, diagnostic: Diagnostic) -> bool:
        """Whether the project didn't ask to leave the code out."""
        return diagnostic.code not in self._of(diagnostic).ignore

    def weighed(self, diagnostic: Diagnostic) -> Diagnostic:
        """The finding with the severity that the project gives its code."""
        severity = dict(self._of(diagnostic).severities).get(diagnostic.code, diagnostic.severity)
        return diagnostic if severity == diagnostic.severity else diagnostic._replace(severity=severity)


def _outcome(file: FilePath, files: Files, cache: Keeper | None) -> Outcome:
    """What the check of a file comes to; raises `NotFound` where there is nothing to read."""
    known = None if cache is None else cache.find(file)
    if known is not None:
        return known
    if cache is None:
        outcome = outcome_of(*check_file(file, files))
    else:
        with listening() as witness:
            outcome = outcome_of(*check_file(file, files))
        cache.keep(file, outcome, witness)
    files.forget(str(file))
    return outcome


def check_file(path: FilePath, files: Files) -> tuple[Parsed, list[Diagnostic]]:
    """Every finding of one file, unsilenced; raises `NotFound` where there is nothing to read."""
    parsed, composed = load_all(path, files)
    agents = agents_in(parsed)
    found = [one for each in composed for one in check_composed(each, agents)]
    found = list(across([*linked(found, parsed.diagnostics)], parsed))
    return parsed, [*found, *_misplaced(parsed.diagnostics, found)]


def linked(found: Iterable[Diagnostic], reading: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings, those on a word that was itself misread linked to the error of reading.

    A name with an invisible character, a path with a tab in it: it is wrong in more ways than one, for one reason. So
    is a key whose value stands in the next line and could not be read there.
    """
    causes = [one for one in reading if one.severity == "error" and one.span.start < one.span.end]
    for one in found:
        cause = next((cause for cause in causes if _is_within(cause.span, one.span) or _is_below(cause, one)), None)
        if cause is None or one.caused_by is not None:
            yield one
        else:
            yield because_of(one, cause)


def _misplaced(reading: Iterable[Diagnostic], found: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings of reading; what is out of place only because its section or head is misspelt follows from that."""
    unknown = [one for one in found if one.code == UNKNOWN_KEY]
    for one in reading:
        cause = next((each.path for each in unknown if _follows(one, each)), None)
        yield one if cause is None else one._replace(caused_by=f"{UNKNOWN_KEY} {cause}")


def _follows(one: Diagnostic, unknown: Diagnostic) -> bool:
    if one.code == UNEXPECTED:  # the declarations of `inputs` are written as no other block is
        return one.path == unknown.path and unknown.fix is not None and unknown.fix.edits[0].text == "inputs"
    return one.code == MISPLACED_HEAD and one.path.startswith(unknown.path)


def _is_below(cause: Diagnostic, one: Diagnostic) -> bool:
    is_missing = one.code == MISSING_VALUE and cause.code in INDENTATION
    return is_missing and cause.span.first.line == one.span.first.line + 1


def _is_within(inner: Span, outer: Span) -> bool:
    if inner.source is not outer.source or not outer.start <= inner.start < inner.end <= outer.end:
        return False
    is_word = not outer.text.startswith(("{", "["))
    return is_word and inner.first.line == outer.last.line == outer.first.line


def agents_in(parsed: Parsed) -> dict[str, bool]:
    """The names of the documents of a file, each with whether it calls agents itself."""
    return {name: _calls_agents(document) for document in parsed.documents if (name := name_of(document))}


def check_composed(composed: Composed, agents: dict[str, bool]) -> list[Diagnostic]:
    """Every finding of one composed document, unsilenced; `agents` are those of its file."""
    return surveyed(composed, agents)[1]


def surveyed(composed: Composed, agents: dict[str, bool]) -> tuple[Subject, list[Diagnostic]]:
    """One composed document as the rules see it, and every finding of it."""
    document = composed.document
    is_read = not document.has_broken
    walked = survey(composed.root, composed.kind, broken=composed.has_broken, own=document.span, is_read=is_read)
    unknown_in = frozenset(holder(one.path) for one in walked.diagnostics if one.code == UNKNOWN_KEY)
    unset = unknown_unsets(composed.document.root, composed.kind)
    found = [*composed.diagnostics, *walked.diagnostics, *unset]
    slots = open_slots(composed, walked.marks)
    found += meaning_findings(composed, [*walked.marks, *_unknown_to(walked.marks, slots)], unknown_in)
    tree = with_inputs(composed, slots)
    if tree is not composed.tree:
        walked = survey(tree, composed.kind, broken=composed.has_broken, own=document.span, is_read=is_read)
        found += _in_slots(walked.diagnostics, slots)
    subject = Subject(
        tree,
        composed.kind,
        composed.project,
        composed.document.span.source,
        marks=tuple(walked.marks),
        errors=tuple(one for one in found if one.severity == "error"),
        is_whole=not composed.has_broken,
        agents=agents,
    )
    subject.written = composed.tree
    for rule in rules_for(subject):
        found += rule.look(subject)
    faults = Faults(composed.tree, subject.errors, _first_unread(composed))
    return subject, [at_the_author(one, composed) for one in within(found, faults)]


def _unknown_to(marks: Iterable[Mark], slots: Iterable[Mark]) -> list[Mark]:
    """The slots that are no templates for the schema: a reference, a folder."""
    known = {mark.path for mark in marks if mark.annotation is VALUE_TEMPLATE}
    return [slot for slot in slots if slot.path not in known]


def _in_slots(found: Iterable[Diagnostic], slots: Iterable[Mark]) -> list[Diagnostic]:
    """What is wrong with the values that slots have got; a fix would write over the slot."""
    places = {(slot.node.span.source.name, slot.node.span.start) for slot in slots}
    return [one._replace(fix=None) for one in found if (one.span.source.name, one.span.start) in places]


def _first_unread(composed: Composed) -> Diagnostic | None:
    """The error of reading because of which a part of a document is unknown."""
    errors = [one for one in composed.parsed.diagnostics if one.severity == "error"]
    return errors[0] if composed.has_broken and errors else None


def _calls_agents(document: Document) -> bool:
    """Whether a document calls agents by tools of its own."""
    tools = find(document.root, ("capability", "tools"))
    entries = tools.entries if isinstance(tools, Mapping) else ()
    calls = any(isinstance(entry.value, Mapping) and entry.value.get("agent") is not None for entry in entries)
    return calls or find(document.root, ("capability", "subagents")) is not None


def _silenced(diagnostics: list[Diagnostic], checked: Sequence[Outcome]) -> list[Diagnostic]:
    comments: dict[str, list[Ignore]] = {outcome.source.name: outcome.ignores for outcome in checked}
    own = [ignore for each in comments.values() for ignore in each]

    def ignores_of(source: Source) -> list[Ignore]:
        if source.name not in comments:
            comments[source.name] = read_ignores(parse(source))
        return comments[source.name]

    left, used = silence(diagnostics, ignores_of)
    unknown = {outcome.source.name for outcome in checked if outcome.has_broken}
    return left + unused([one for one in own if one.span.source.name not in unknown], used)
