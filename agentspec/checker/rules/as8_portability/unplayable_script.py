"""AS808 script that cannot be played."""

from collections.abc import Iterator

from agentspec.checker.meant import rename, way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject, text_of
from agentspec.syntax.tree import Entry, Mapping, Node, Path, Scalar, Sequence
from agentspec.text.diagnostic import Diagnostic

OPTIONS = ("turns", "file")
TURN_KEYS = ("text", "tool_calls", "finish_reason", "usage", "error", "delay", "raw", "match", "role", "reasoning")
CALL_KEYS = ("name", "arguments", "id")
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

    Fix: correct the key, or name a file that exists. Without `options` the turns come from `--script FILE`.
    """

    code = "AS808"
    title = "script that cannot be played"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
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

    def _file(self, subject: Subject, node: Node | None, path: Path) -> Iterator[Diagnostic]:
        name = text_of(node)
        if node is None or name is None or "${" in name or (subject.project / name).is_file():
            return
        message = f"there is no script `{name}`"
        help_text = "a path begins in the folder of the project: that of `agentspec.toml`, else that of the spec"
        yield self.finding(node.span, message, path=path, help=help_text)

    def _turns(self, node: Node | None, path: Path) -> Iterator[Diagnostic]:
        if isinstance(node, Scalar | Mapping):
            help_text = "begin each turn with `- `"
            yield self.finding(node.span, "`turns` is a list of turns", path=path, help=help_text)
        for index, turn in enumerate(node.items if isinstance(node, Sequence) else []):
            yield from self._turn(turn, (*path, index))

    def _turn(self, turn: Node, path: Path) -> Iterator[Diagnostic]:
        if not isinstance(turn, Mapping):
            return
        yield from self._unknown(turn.entries, TURN_KEYS, path, "a turn")
        error, calls = turn.get("error"), turn.get("tool_calls")
        if isinstance(error, Mapping):
            yield from self._unknown(error.entries, ERROR_KEYS, (*path, "error"), "an error")
        for index, call in enumerate(calls.items if isinstance(calls, Sequence) else []):
            if isinstance(call, Mapping):
                yield from self._unknown(call.entries, CALL_KEYS, (*path, "tool_calls", index), "a call")

    def _unknown(self, entries: list[Entry], known: tuple[str, ...], path: Path, where: str) -> Iterator[Diagnostic]:
        for entry in entries:
            if entry.name in known:
                continue
            meant, help_text = way_out(entry.name, known, "known are")
            span = entry.key.span
            fix = rename(span, entry.name, meant)
            message = f"unknown key `{entry.name}` in {where}"
            yield self.finding(span, message, path=(*path, entry.name), help=help_text, fix=fix)
