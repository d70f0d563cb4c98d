"""AS808 script that cannot be played."""

import re
from collections.abc import Iterator
from pathlib import Path as FilePath

from agentspec.checker.questions.looked_for import looked_for
from agentspec.checker.questions.meant import rename, way_out
from agentspec.checker.rule import Rule
from agentspec.checker.scalars import number_of, text_of
from agentspec.checker.subject import Subject
from agentspec.errors import NotFound
from agentspec.spec.structure.words import found, quoted
from agentspec.syntax.read import read_file
from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Path, Scalar, Sequence, plain
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import is_file

AS_A_LIST = "put the turns in a list: `[…]`"
OPTIONS = ("turns", "file")
TURN_KEYS = (
    *("text", "tool_calls", "finish_reason", "usage", "error", "delay", "raw", "match", "role", "reasoning"),
    *("said", "interrupt"),
)
MATCH_KEYS = ("text", "role")
CALL_KEYS = ("name", "arguments", "id")
HOLDING = ("turns", "model")  # the keys of a script, and of a scenario, under which turns stand
TEXTS = ("text", "match", "role", "finish_reason", "reasoning", "said")
VALUES: dict[str, tuple[type, str]] = {
    "tool_calls": (Sequence, "a list of calls"),
    "usage": (Mapping, "a mapping"),
    "error": (Mapping, "a mapping with `status` and `message`"),
}
DELAY = r"\d+(\.\d+)?\s*(ms|s|m|h|d)"
ROLES = ("worker", "judge", "summary", "repair")
CLASSES = (
    *("auth", "rate_limited", "timeout", "server_error", "invalid_request", "content_filter", "connection"),
    *("bad_response", "circuit_open", "context_overflow"),
)
ERROR_KEYS = ("status", "message", "retry_after", "code", "type")


class UnplayableScript(Rule):
    """The options of `provider: script` are not those of a script.

    Why: the answers of a script stand in `options.turns`, or in the file that `options.file` names. A run refuses what
    is neither, and a turn with a key that it does not know.

    Bad:

    ```yaml
    name: helper
    model:
      provider: script
      options:
        turns: [{txt: Hello.}]
    ```

    Good:

    ```yaml
    name: helper
    model:
      provider: script
      options:
        turns: [{text: Hello.}]
    ```

    What stands in the file is checked with the spec, at its own places.

    Fix: correct the key, or name a file that exists. Without `options` the turns come from `--script FILE`.
    """

    code = "AS808"
    title = "script that cannot be played"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind == "scenario":
            yield from self._of_scenario(subject)
            return
        path = ("model", "options")
        options = subject.at(*path)
        if subject.text("model", "provider") != "script" or not isinstance(options, Mapping):
            return
        given = [entry for entry in options.entries if entry.operation != "unset"]
        names = {entry.name for entry in given}
        unknown = list(self._unknown(given, OPTIONS, path, "the options of a script"))
        yield from unknown
        if not names & set(OPTIONS) and not unknown:
            yield self.finding(subject.key(*path), "a script needs `turns` or `file`", path=path)
        if names >= set(OPTIONS):
            message = "`file` and `turns` stand side by side, and a script has one of them"
            yield self.finding(subject.key(*path, "turns"), message, path=(*path, "turns"), help="remove one of them")
        yield from self._turns(options.get("turns"), (*path, "turns"))
        yield from self._file(subject, options.get("file"), (*path, "file"))

    def _of_scenario(self, subject: Subject) -> Iterator[Diagnostic]:
        """The turns of a scenario, as far as their form is right."""
        for path, turn in subject.items("model"):
            if subject.is_sound(*path):
                yield from self._turn(turn, path)

    def _file(self, subject: Subject, node: Node | None, path: Path) -> Iterator[Diagnostic]:
        name = text_of(node)
        if node is None or name is None or "${" in name:
            return
        file = subject.project / name
        if is_file(file):
            yield from self._content(file, node)
            return
        message = f"there is no script `{name}`"
        yield self.finding(node.span, message, path=path, help=looked_for(subject, name, node.span))

    def _content(self, file: FilePath, node: Node) -> Iterator[Diagnostic]:
        """What is wrong inside the file, at its own places: its text, then its turns."""
        try:
            parsed = read_file(file)
        except NotFound as unreadable:
            yield self.finding(node.span, str(unreadable))
            return
        yield from (one for one in parsed.diagnostics if one.severity == "error")
        document = parsed.documents[0] if parsed.documents else None
        turns: Node | None = document.root if document else None
        path: Path = ()
        if isinstance(turns, Mapping):
            held = [name for name in HOLDING if turns.get(name) is not None]
            path = tuple(held[:1])
            turns = turns.get(held[0]) if held else turns
        if isinstance(turns, Sequence):
            yield from self._turns(turns, path)
        elif turns is not None and document is not None and not document.has_broken:
            message = f"the script `{file.name}` is no list of turns, and holds none under `turns` or `model`"
            yield self.finding(turns.span, message, path=path, help=AS_A_LIST)

    def _turns(self, node: Node | None, path: Path) -> Iterator[Diagnostic]:
        if isinstance(node, Scalar | Mapping):
            yield self.finding(node.span, "`turns` is a list of turns", path=path, help=AS_A_LIST)
        for index, turn in enumerate(node.items if isinstance(node, Sequence) else []):
            yield from self._turn(turn, (*path, index))

    def _turn(self, turn: Node, path: Path) -> Iterator[Diagnostic]:
        if not isinstance(turn, Mapping):
            if not isinstance(turn, Broken) and text_of(turn) is None:
                yield self.finding(turn.span, f"a turn is a mapping or a text, not {found(turn)}", path=path)
            return
        yield from self._unknown(turn.entries, TURN_KEYS, path, "a turn")
        yield from self._values(turn, path)
        error, calls = turn.get("error"), turn.get("tool_calls")
        if isinstance(error, Mapping):
            yield from self._unknown(error.entries, ERROR_KEYS, (*path, "error"), "an error")
            yield from self._status(error.get("status"), (*path, "error", "status"))
            yield from self._after(error.get("retry_after"), (*path, "error", "retry_after"))
        for index, call in enumerate(calls.items if isinstance(calls, Sequence) else []):
            yield from self._call(call, (*path, "tool_calls", index))

    def _call(self, call: Node, path: Path) -> Iterator[Diagnostic]:
        names = []
        if isinstance(call, Mapping):
            yield from self._unknown(call.entries, CALL_KEYS, path, "a call")
            names = [entry.name for entry in call.entries if entry.name not in CALL_KEYS]
        if isinstance(call, Broken) or names or (isinstance(call, Mapping) and text_of(call.get("name")) is not None):
            return
        yield self.finding(call.span, "a tool call needs a `name`", path=path, help="write `{name: …, arguments: {…}}`")

    def _values(self, turn: Mapping, path: Path) -> Iterator[Diagnostic]:
        """The values of a turn that are of another kind than their key takes."""
        yield from self._texts(turn, TEXTS, path)
        match = turn.get("match")
        if isinstance(match, Mapping):
            yield from self._unknown(match.entries, MATCH_KEYS, (*path, "match"), "`match`")
            yield from self._texts(match, MATCH_KEYS, (*path, "match"))
        for key, (kind, expected) in VALUES.items():
            value = turn.get(key)
            if value is not None and not _is_nothing(value) and not isinstance(value, kind):
                yield self.finding(value.span, f"`{key}` is {expected}, not {found(value)}", path=(*path, key))
        flag = turn.get("interrupt")
        is_flag = isinstance(flag, Scalar) and isinstance(flag.value, bool)
        if flag is not None and not _is_nothing(flag) and not is_flag:
            message = f"`interrupt` is `true` or `false`, not {found(flag)}"
            yield self.finding(flag.span, message, path=(*path, "interrupt"))
        yield from self._delay(turn.get("delay"), (*path, "delay"))

    def _texts(self, within: Mapping, keys: tuple[str, ...], path: Path) -> Iterator[Diagnostic]:
        for key in keys:
            value = within.get(key)
            if value is None or _is_nothing(value) or text_of(value) is not None:
                continue
            if key == "match" and isinstance(value, Mapping):
                continue
            help_text = "write it in quotes" if isinstance(value, Scalar) else None
            yield self.finding(value.span, f"`{key}` is a text, not {found(value)}", path=(*path, key), help=help_text)
        yield from self._role(within.get("role"), (*path, "role"))

    def _role(self, node: Node | None, path: Path) -> Iterator[Diagnostic]:
        name = text_of(node)
        if node is not None and name is not None and name not in ROLES:
            message, help_text = f"there is no role `{name}`", way_out(name, ROLES, "roles are")[1]
            yield self.finding(node.span, message, path=path, help=help_text)

    def _delay(self, delay: Node | None, path: Path) -> Iterator[Diagnostic]:
        if delay is not None and not isinstance(delay, Broken) and not _is_delay(delay):
            message, help_text = (
                f"`delay` is a duration, not {found(delay)}",
                "write `50ms`, `2s` or a number of seconds",
            )
            yield self.finding(delay.span, message, path=path, help=help_text)

    def _status(self, node: Node | None, path: Path) -> Iterator[Diagnostic]:
        if node is None or isinstance(node, Broken) or text_of(node) in CLASSES:
            return
        number = number_of(node)
        if number is None or not 300 <= number <= 599:
            message = f"`status` is an HTTP status from 300 to 599 or the class of a failure, not {found(node)}"
            yield self.finding(node.span, message, path=path, help=f"classes are {quoted(CLASSES, 'and')}")

    def _after(self, node: Node | None, path: Path) -> Iterator[Diagnostic]:
        if node is not None and plain(node) is not None and not isinstance(node, Broken) and not _is_delay(node):
            message = f"`retry_after` is a duration or a number of seconds, not {found(node)}"
            yield self.finding(node.span, message, path=path)

    def _unknown(self, entries: list[Entry], known: tuple[str, ...], path: Path, where: str) -> Iterator[Diagnostic]:
        for entry in entries:
            if entry.name in known:
                continue
            meant, help_text = way_out(entry.name, known, "known are")
            span = entry.key.span
            fix = rename(span, entry.name, meant)
            message = f"unknown key `{entry.name}` in {where}"
            yield self.finding(span, message, path=(*path, entry.name), help=help_text, fix=fix)


def _is_nothing(value: Node) -> bool:
    return isinstance(value, Broken) or (isinstance(value, Scalar) and value.value is None)


def _is_delay(value: Node) -> bool:
    number, text = number_of(value), text_of(value)
    return (number is not None and number >= 0) or (text is not None and re.fullmatch(DELAY, text) is not None)
