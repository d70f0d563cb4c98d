"""reference: find the document that a word in `extends` means: one of the same file, a built-in preset, or a file.

Finding never raises for an author's mistake; nothing is expanded here.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from agentspec.compose.diamond import Ident
from agentspec.compose.documents import FILE_ENDINGS, Kind, kind_of, looks_like_file, name_of, split_reference
from agentspec.compose.files import Files, builtin_names
from agentspec.compose.findings import clip, finding
from agentspec.compose.project import manifest_between
from agentspec.errors import NotFound
from agentspec.syntax.tree import Document, Mapping, Parsed, Scalar, Sequence
from agentspec.text.diagnostic import Diagnostic, Edit, Fix, Related
from agentspec.text.paths import files_in
from agentspec.text.source import Span
from agentspec.text.suggest import nearest

_EXTENDABLE = ("agent", "preset")
PRESETS = "presets"  # the folder of `stdlib`


class Target(NamedTuple):
    """A document that is composed or extended. `folder` is where its own references begin."""

    parsed: Parsed
    document: Document
    folder: str
    layer: str
    shown: str
    is_own_file: bool = False
    library: str = ""  # the folder of the library that it is read from

    @property
    def kind(self) -> Kind:
        return kind_of(self.document)

    @property
    def root(self) -> Mapping:
        """Its mapping; an empty one where the author wrote something else."""
        root = self.document.root
        return root if isinstance(root, Mapping) else Mapping(entries=[], span=root.span)

    @property
    def ident(self) -> Ident:
        """The parsed file and the place in it, to tell documents apart."""
        return Ident(id(self.parsed), self.document.span.start)

    @property
    def is_broken(self) -> bool:
        """Whether some part of the document could not be read."""
        return self.document.has_broken or (not self.is_own_file and bool(_errors(self.parsed)))

    def problem(self, place: Span) -> Diagnostic | None:
        """Why the document cannot be extended at a place, or None. What its own file reports is not said again."""
        errors = [] if self.is_own_file else _errors(self.parsed)
        if errors:
            message = f"`{self.shown}` cannot be read: {errors[0].message}"
            related = (Related(errors[0].span, "the first error"),)
            return finding("AS404", place, message, path=("extends",), related=related)
        if self.kind not in _EXTENDABLE:
            message = f"`{self.shown}` is a {self.kind}; only presets and agents can be extended"
            return finding("AS406", place, message, path=("extends",))
        if not isinstance(self.document.root, Mapping) and not self.document.has_broken:
            what = "a list" if isinstance(self.document.root, Sequence) else "a single value"
            return finding("AS406", place, f"`{self.shown}` holds {what}, not a preset", path=("extends",))
        return None


def find_target(reference: Scalar, asking: Target, files: Files) -> Target | Diagnostic:
    """The document that a reference means where `asking` extends it, or why there is none."""
    text = str(reference.value)
    if looks_like_file(text):
        return (_in_library(reference, asking, files) if asking.library else None) or find_file(
            reference, asking, files
        )
    here = _of_use(reference, asking, files) or _same_file(text, asking, files)
    if here is None and asking.library:
        here = _in_library(reference, asking, files)
    if here is not None:
        return here
    builtin = files.builtin(PRESETS, text)
    if builtin is not None and builtin.documents:
        return Target(builtin, builtin.documents[0], asking.folder, f"preset:{text}", text)
    if text and text == name_of(asking.document):
        return asking  # a circle of one
    # What is not read as a library's may lie in one all the same: a file of it that is checked by itself.
    return (None if asking.library else _in_library(reference, asking, files)) or _unknown(reference, asking, files)


def _of_use(reference: Scalar, asking: Target, files: Files) -> Target | Diagnostic | None:
    """What `alias.preset` means where the document's `use` has the alias."""
    alias, dot, _ = str(reference.value).partition(".")
    uses = asking.root.get("use") if dot else None
    entry = uses.entry(alias) if isinstance(uses, Mapping) else None
    if entry is None or asking.library:
        return None
    from agentspec.compose.libraries.find import find_export  # noqa: PLC0415 - few specs use libraries

    return find_export(reference, entry, asking, files)


def _in_library(reference: Scalar, asking: Target, files: Files) -> Target | Diagnostic | None:
    """What a reference means by the library that its file lies in; None where it means nothing there."""
    from agentspec.compose.libraries.find import find_inside  # noqa: PLC0415 - as above

    return find_inside(reference, asking, files)


def _same_file(text: str, asking: Target, files: Files) -> Target | None:
    named = [document for document in files.named(asking.parsed, text) if document is not asking.document]
    named.sort(key=lambda document: kind_of(document) not in _EXTENDABLE)
    if not named:
        return None
    layer = f"file:{asking.parsed.source.name}#{text}"
    return Target(asking.parsed, named[0], asking.folder, layer, text, is_own_file=True, library=asking.library)


def find_file(reference: Scalar, asking: Target, files: Files) -> Target | Diagnostic:
    """The document that a path means, `FILE` or `FILE#NAME`, from the folder of the file that names it."""
    file, name = split_reference(str(reference.value))
    path = os.path.normpath(os.path.join(asking.folder, file))  # noqa: PTH118 - `Path` would drop `./` and keep `..`
    try:
        parsed = files.read(path)
    except NotFound as problem:
        return _no_file(reference, file, str(problem))
    found = choose(parsed, name, reference.span, file, _EXTENDABLE)
    if isinstance(found, Diagnostic):
        return found
    border = _border(reference, path, asking, files)
    if border is not None:
        return border
    shown = file if name is None else f"{file}#{name}"
    layer = f"file:{path}" if name is None else f"file:{path}#{name}"
    is_own = parsed is asking.parsed
    return Target(parsed, found, os.path.dirname(path), layer, shown, is_own)  # noqa: PTH120 - as above


def _border(reference: Scalar, path: str, asking: Target, files: Files) -> Diagnostic | None:
    """The finding for a path that leads into a library from outside, past its exports and its ceiling."""
    folder = manifest_between(path, asking.folder)
    if folder is None:
        return None
    from agentspec.compose.libraries.border import passed_by  # noqa: PLC0415 - few specs use libraries

    return passed_by(reference, folder, asking, files)


def choose(parsed: Parsed, name: str | None, place: Span, file: str, kinds: tuple[str, ...]) -> Document | Diagnostic:
    """The document of a file that `FILE` or `FILE#NAME` means; without a name the only one of the kinds, or the only
    one at all.
    """
    names = {found: document for document in parsed.documents if (found := name_of(document)) is not None}
    if name is not None:
        return names[name] if name in names else _no_document(name, names, place, file)
    fitting = [document for document in parsed.documents if kind_of(document) in kinds]
    if len(fitting) == 1 or len(parsed.documents) == 1:
        return (fitting or parsed.documents)[0]
    if not parsed.documents:
        first = _errors(parsed)
        message = f"`{file}` cannot be read: {first[0].message}" if first else f"`{file}` holds no document"
        return finding("AS404", place, message, path=("extends",))
    listed = [str(found) for document in fitting or parsed.documents if (found := name_of(document)) is not None]
    if len(fitting) > 1 and len(set(listed)) == 1:
        return fitting[0]  # the reader has told that they have one name
    message = f"`{file}` holds {_listing(listed)}; which one is meant?"
    return finding("AS407", place, message, help=f"write `{file}#{listed[0]}`" if listed else None)


def _no_document(name: str, names: dict[str, Document], place: Span, file: str) -> Diagnostic:
    close = nearest(name, names)
    message = f"`{file}` holds no `{name}`" + (f"; did you mean `{close[0]}`?" if close else "")
    return finding("AS408", place, message, help=f"it holds {_listing(list(names))}" if names else None)


def _listing(names: list[str]) -> str:
    shown = [f"`{clip(name)}`" for name in names[:10]]
    return ", ".join(shown[:-1]) + (" and " if shown[:-1] else "") + shown[-1] if shown else "unnamed documents"


def _errors(parsed: Parsed) -> list[Diagnostic]:
    return [found for found in parsed.diagnostics if found.severity == "error"]


def _no_file(reference: Scalar, file: str, message: str) -> Diagnostic:
    if "://" in file:
        message = f"`{clip(str(reference.value))}` is an address, and only files are extended"
        help_ = "put a copy beside the spec, and extend that: `./NAME.yaml`"
        return finding("AS402", reference.span, message, path=("extends",), help=help_)
    help_ = f"`{clip(file)}` is looked for from the folder of the file that names it"
    return finding("AS402", reference.span, message, path=("extends",), help=help_)


def _files_in(folder: str) -> list[str]:
    return [name for name in files_in(folder or ".") if name.endswith(FILE_ENDINGS)]


def _unknown(reference: Scalar, asking: Target, files: Files) -> Diagnostic:
    text = str(reference.value)
    if isinstance(asking.root.get("use"), Mapping):
        from agentspec.compose.libraries.find import of_some_library  # noqa: PLC0415 - as above

        meant_there = of_some_library(text, asking, files)
        if meant_there:
            return _of_libraries(reference, meant_there)
    builtin = builtin_names(PRESETS)
    near = {found for document in asking.parsed.documents if (found := name_of(document)) and found != text}
    beside = {os.path.splitext(name)[0]: f"./{name}" for name in _files_in(asking.folder)}  # noqa: PTH122 - as above
    close = nearest(text, [*builtin, *near, *beside])
    help_ = f"built-in presets: {', '.join(f'`{name}`' for name in builtin)}; a file is written `./NAME.yaml`"
    if not close:
        return finding("AS401", reference.span, f"unknown preset `{clip(text)}`", path=("extends",), help=help_)
    meant = close[0] if close[0] in builtin or close[0] in near else beside[close[0]]
    message = f"unknown preset `{clip(text)}`; did you mean `{meant}`?"
    return finding("AS401", reference.span, message, path=("extends",), help=help_, fix=_rename(reference, meant))


def _of_libraries(reference: Scalar, exports: list[str]) -> Diagnostic:
    """A word that is exported by libraries which the spec uses, and has to be said with the name of one."""
    message = (
        f"unknown preset `{clip(str(reference.value))}`; did you mean {' or '.join(f'`{each}`' for each in exports)}?"
    )
    help_ = "an export is named with its library: `NAME_IN_USE.EXPORT`"
    fix = _rename(reference, exports[0]) if len(exports) == 1 else None
    return finding("AS401", reference.span, message, path=("extends",), help=help_, fix=fix)


def _rename(reference: Scalar, meant: str) -> Fix | None:
    """The edit that writes another word in place; none where the word is reached through an alias."""
    if reference.anchor is not None or reference.style not in ("plain", "word", "single", "double", "string"):
        return None
    is_bare = reference.style in ("plain", "word") and looks_like_file(meant) is False
    return Fix(f"write `{meant}`", (Edit(reference.span, meant if is_bare else json.dumps(meant)),), fix_class="local")
