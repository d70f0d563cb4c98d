"""desk: the texts that an editor has open, and what they come to, each worked out once until something changes.

An open text holds instead of its file, also in whatever builds on it. One thread at a time works here.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from agentspec.checker.check import Options, check_found
from agentspec.checker.fixes import apply
from agentspec.checker.likeness import is_like_spec
from agentspec.checker.report import Report, file_name
from agentspec.checker.walk import Found, find_specs
from agentspec.compose.files import Files
from agentspec.errors import NotAllowed, NotFound
from agentspec.lsp.completion.cursor import Cursor, cursor_at
from agentspec.lsp.places import file_of, place_of
from agentspec.lsp.references import Declaration, references
from agentspec.lsp.rename import rename, require_sound, require_untaken
from agentspec.lsp.sheet import Sheet, sheet_of
from agentspec.lsp.uses.use import Use
from agentspec.syntax.read import DSL_SUFFIXES
from agentspec.text.diagnostic import Edit, Fix
from agentspec.text.source import Source, Span
from agentspec.text.witness import Witness, listening

ALL = Options()
LISTING = ("files", "below")  # kinds of looks at a folder (`text.paths`)
MOST_FILES = 2000  # of the folders of an editor that are looked through for a name


class Desk:
    """The open texts by real path; `ours` are those that are, or were while they were open, like a spec.

    One whose file is gone from disk holds no more, and is as good as closed, until it changes or the file is back.
    """

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self._orphans: dict[str, str] = {}  # open texts whose files are gone
        self.ours: set[str] = set()
        self.folders: frozenset[str] = frozenset()  # replaced as a whole: the worker may be looking at it
        self.files = Files(self.texts)
        self._checked_files = Files(self.texts)  # apart: a check notes what it sees, and lets go of what it has checked
        self._reports: dict[str, tuple[Report, frozenset[str]]] = {}

    def put(self, path: str, text: str) -> list[str]:
        """An editor opened a text, or changed it; gives the open texts that have to be checked."""
        self._orphans.pop(path, None)
        self.texts[path] = text
        if path not in self.ours and (path.endswith(tuple(DSL_SUFFIXES)) or is_like_spec(text)):
            self.ours.add(path)
        return [path, *self.refresh({path})]

    def drop(self, path: str) -> list[str]:
        """An editor closed a text: from now on its file holds again."""
        self._orphans.pop(path, None)
        self.texts.pop(path, None)
        self.ours.discard(path)
        return self.refresh({path})

    def change_on_disk(self, paths: set[str]) -> list[str]:
        """Files came, changed or went; gives the open texts that have to be checked, or are no more."""
        gone = [path for path in paths & self.texts.keys() if not os.path.exists(path)]  # noqa: PTH110 - as text
        back = [path for path in paths & self._orphans.keys() if os.path.exists(path)]  # noqa: PTH110 - as text
        for path in gone:
            self._orphans[path] = self.texts.pop(path)
            self.ours.discard(path)
        again = [stale for path in back for stale in self.put(path, self._orphans[path])]
        folders = {f"{folder}/" for path in paths for folder in Path(path).parents}
        return [*gone, *again, *self.refresh(paths | folders)]

    def refresh(self, changed: set[str]) -> list[str]:
        """Forget what was worked out with files that have changed; gives the open specs that have to be checked."""
        self.files, self._checked_files = Files(self.texts), Files(self.texts)
        stale = [path for path, (_, seen) in self._reports.items() if path in changed or changed & seen]
        for path in stale:
            del self._reports[path]
        return [path for path in stale if path in self.ours]

    def report(self, path: str) -> Report:
        """What `check` says of an open text."""
        if path not in self._reports:
            with listening() as witness:
                report = _checked([path], self._checked_files)
            self._reports[path] = report, _seen(witness)
        return self._reports[path][0]

    def sheet(self, path: str) -> Sheet:
        """A file, open or not, read and composed. Raises `NotFound` where there is none."""
        return sheet_of(path, self.files)

    def mentioning(self, target: Span) -> Iterator[Sheet]:
        """The open specs, and those in the folders of the editor, that may mean what is declared at a place."""
        words = {each.encode(errors="surrogatepass") for each in (target.text, Path(target.source.name).stem)}
        found = find_specs([Path(folder) for folder in sorted(self.folders)]).files[:MOST_FILES]
        for path in dict.fromkeys([*sorted(self.ours), *map(os.path.realpath, found)]):
            with contextlib.suppress(NotFound):
                content = self.files.content(path)
                if any(word in content for word in words):
                    yield self.sheet(path)

    def references(self, found: Declaration) -> Iterator[Use]:
        """Every word that means what is declared, in all files that may."""
        return references(self.mentioning(found.target), place_of(found.target))

    def cursor(self, path: str, offset: int) -> Cursor | None:
        """Where an offset of an open text is, for what could be written there."""
        return cursor_at(path, self.texts[path], offset, self.texts)

    def renamed(self, found: Declaration, new: str) -> list[Edit]:
        """The changes that give a name another one. Raises `NotAllowed` where that can't be done in all places."""
        sheets = [*self.mentioning(found.target)]
        edits = rename(sheets, found, new)
        sources = {file_of(edit.span.source): edit.span.source for edit in edits}
        for path, source in sources.items():
            if path not in self.texts and not any(Path(path).is_relative_to(folder) for folder in self.folders):
                name = file_name(source.name)
                raise NotAllowed(f"`{found.span.text}` stands in `{name}`, too, which does not belong to what is open")
        drafts, paths = self._with(edits, sources), [sheet.path for sheet in sheets]
        after = [one for one in _checked(paths, Files(drafts)).diagnostics if one.severity == "error"]
        require_sound(_checked(paths, Files(self.texts)).diagnostics if after else (), after, new)
        files = Files(drafts)
        require_untaken(sheets, [sheet_of(path, files) for path in paths], found, edits)
        return edits

    def _with(self, edits: list[Edit], sources: dict[str, Source]) -> dict[str, str]:
        """The open texts, and those of files, as they are after some edits."""
        changed = dict(self.texts)
        for path, source in sources.items():
            own = [edit for edit in edits if file_of(edit.span.source) == path]
            spans = [Span(source, edit.span.start, edit.span.end) for edit in own]  # of a file that was read twice
            fix = Fix("", tuple(Edit(span, edit.text) for span, edit in zip(spans, own, strict=True)))
            changed[path] = apply(source.text, source.name, [fix])
        return changed


def _checked(paths: list[str], files: Files) -> Report:
    return check_found(Found([Path(path) for path in paths], [], [], has_folder=False), ALL, files)


def _seen(witness: Witness) -> frozenset[str]:
    """The files that a piece of work depended on; a folder whose files it listed ends in `/`."""
    return frozenset(os.path.realpath(path) + "/" * (kind in LISTING) for kind, path in witness.seen)
