"""AS651 table whose grants don't fit its verbs."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of, texts_of
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Entry, Path
from agentspec.text.diagnostic import Diagnostic


class EmptyGrant(Rule):
    """A verb of a resource has no column that it could write, or rows can't be named by what may be read.

    Why: no column may be written unless `columns.write` names it, so `update` would have nothing to change; and a row
    whose key can't be read can't be named in the next call. A run does not begin with either.

    Bad:

    ```yaml
    name: shop
    capability:
      resources:
        orders:
          url: "${env.DATABASE_URL}"
          table: orders
          verbs: [search, update]
          columns: {read: [id, item, qty]}
    ```

    Good:

    ```yaml
    name: shop
    capability:
      resources:
        orders:
          url: "${env.DATABASE_URL}"
          table: orders
          verbs: [search, update]
          columns: {read: [id, item, qty], write: [qty]}
    ```

    Fix: name the columns in `columns.write`, or leave the verb out; add the key to `columns.read`.
    """

    code = "AS651"
    title = "table whose grants don't fit its verbs"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole:
            return
        for entry in subject.entries("capability", "resources"):
            path: Path = ("capability", "resources", entry.name)
            if subject.is_sound(*path) and subject.has_all(*path):
                yield from self._unwritten(subject, path)
                yield from self._unnamed(subject, path, entry)

    def _unwritten(self, subject: Subject, path: Path) -> Iterator[Diagnostic]:
        written = {scalar.value for scalar in texts_of(subject.at(*path, "columns", "write"))}
        has_defaults = bool(subject.entries(*path, "defaults"))
        for place, verb in subject.items(*path, "verbs"):
            match text_of(verb):
                case "update" if not written - {subject.text(*path, "key")}:
                    what = "nothing can be updated"
                case "create" if not written and not has_defaults:
                    what = "a new row would be empty"
                case _:
                    continue
            yield self.finding(
                verb.span,
                f"{what}: no column may be written",
                path=place,
                help=f"name columns in `columns.write`, or leave `{text_of(verb)}` out",
            )

    def _unnamed(self, subject: Subject, path: Path, entry: Entry) -> Iterator[Diagnostic]:
        key, read = subject.text(*path, "key"), texts_of(subject.at(*path, "columns", "read"))
        if key is not None and read and key not in [scalar.value for scalar in read]:
            yield self.finding(
                read[0].span,
                f"rows of `{entry.name}` are named by `{key}`, which can't be read",
                path=(*path, "columns", "read"),
                help=f"add `{key}`",
            )
