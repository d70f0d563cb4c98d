"""AS902 key that is not yet in effect."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.in_effect import is_in_effect
from agentspec.syntax.tree import Mapping, Node, Path, Scalar, Sequence
from agentspec.text.diagnostic import Diagnostic

SHOWN = 6  # of a preset's keys


class NotInEffect(Rule):
    """A key is part of the language and is checked, but nothing acts on it yet.

    Why: this version accepts the whole language; a run behaves as if the key were not there.
    `agentspec explain pending` lists all such keys.

    Bad:

    ```yaml
    name: helper
    observability:
      transcript_dir: transcripts
    ```

    Good:

    ```yaml
    name: helper
    context:
      system: You help.
    ```

    Fix: nothing needs to be done; a later version acts on the key.
    """

    code = "AS902"
    title = "key that is not yet in effect"
    severity = "note"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        inherited: list[str] = []
        for path in _pending(subject.root, ()) if subject.kind in ("agent", "preset") else ():
            span = subject.key(*path)
            if not subject.is_authored(*path) or subject.is_unknown(path):
                continue
            if not subject.is_own(span) and not span.source.name.startswith("--"):  # `--set` has a place of its own
                inherited.append(f"`{span.text}`")
            else:
                yield self.finding(span, f"`{span.text}` is accepted, but not yet in effect", path=path)
        if inherited:
            listed = ", ".join(inherited[:SHOWN]) + (f" and {len(inherited) - SHOWN} more" * (len(inherited) > SHOWN))
            message = f"what this extends sets keys that are not yet in effect: {listed}"
            yield self.finding(subject.span("extends"), message, path=("extends",))


def _pending(node: Node, path: Path) -> Iterator[Path]:
    match node:
        case Mapping():
            for entry in node.entries:
                below = (*path, entry.name)
                if entry.operation == "unset" or entry.name.startswith("x-"):
                    continue
                if is_in_effect(below):
                    yield from _pending(entry.value, below)
                else:
                    yield below
        case Sequence():
            for index, item in enumerate(node.items):
                yield from _pending(item, (*path, index))
        case Scalar(value=str(name)) if path[:-1] == ("capability", "toolkits") and not is_in_effect((*path, name)):
            yield path
