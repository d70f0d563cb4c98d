"""mask: secrets are taken out of what models, people and tools say, before anything is shown or stored.

Known values (`masking.known`), and what the author wants blanked (`text.blanks`). It guesses only at what tools bring:
what has the form of a key there is none of the model's words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from agentspec.core.messages import AssistantMessage, Failure, Message, Mirrored, Reply, ToolCall
from agentspec.ports import Output
from agentspec.runtime.masking.files import MaskedFiles
from agentspec.runtime.masking.known import KnownSecrets
from agentspec.runtime.masking.opaque import Opaque
from agentspec.text.blanks import Blanks, Reads, changed
from agentspec.text.secrets import blank_drawn

OWN = frozenset(("finish", "category", "origin", "limit", "request_hash"))  # words of the runtime, not of a model
LABELS = frozenset(("finish_text", "model", "provider", "request_id"))  # words that may come cut
NAMING = frozenset(("what", "call_id", "name", "run_id", "agent", "server", "policy"))  # fields that name a thing


class Mask:
    """Takes secrets out of texts and plain values.

    >>> Mask(["geheim-0123"]).text("the key is geheim-0123.")
    'the key is [redacted].'
    >>> Mask(["geheim-0123"]).text('{"key": "\\\\u0067eheim-0123"}')
    '{"key": "[redacted]"}'
    """

    def __init__(self, secrets: Iterable[str] = (), blanks: Blanks | None = None) -> None:
        self._blanks = blanks or Blanks()
        self._known = KnownSecrets(secrets)
        self._files = MaskedFiles(self._known)

    def __repr__(self) -> str:
        return f"<Mask of {len(self._known.plain)}>"

    @property
    def is_idle(self) -> bool:
        """Whether it knows of nothing to look for."""
        return not (self._known.forms or self._blanks)

    def text(self, text: str) -> str:
        """A text without the secrets in it: plain, encoded, escaped as in JSON however often, with noise inside."""
        return self._blanks.text(self._known.left_out(text)) if self._blanks else self._known.left_out(text)

    def wording(self, text: str) -> str:
        """The same for the words of a spec, in which names are keys of the language and blank nothing."""
        return self._blanks.words(self._known.left_out(text))

    def wording_beside(self, names: Iterable[str]) -> Reads:
        """The same without the patterns that find something in one of these names."""
        narrow = self._blanks.narrow(names)
        return lambda text: narrow.words(self._known.left_out(text))

    def name(self, text: str) -> str:
        """A name, an id, or another word that something is found by: known secrets alone are taken out of it."""
        return self._known.left_out(text)

    def arguments(self, text: str) -> str:
        """The arguments of a call, in JSON: patterns and names blank what they hold, never what it is called."""
        text = self._known.left_out(text)
        return self._blanks.arguments(text) if self._blanks else text

    def label(self, text: str) -> str:
        """A text that may have been cut: the beginning of a secret before a cut is hidden as well."""
        return self._known.beginnings_left_out(self.text(text))

    def value(self, value: Any) -> Any:
        """A plain value (text, number, list, mapping) without the secrets in it."""
        return value if self.is_idle else changed(value, self.text, self._blanks.keys, self.name)

    def _extra(self, value: Any, renamed: Mapping[str, str]) -> Any:
        return Opaque(self.text, self.name, self._blanks.keys, renamed).of(value)

    def record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """A record of the runtime, such as what a call waits for: its fields stay, and what names a thing in it."""
        return {
            field: self.name(value) if field in NAMING and isinstance(value, str) else self.value(value)
            for field, value in record.items()
        }

    def opening(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """The messages that a run begins with: what its author and its caller wrote, and what was said before."""
        return messages if self.is_idle else tuple(map(self._message, messages))

    def _message(self, message: Message) -> Message:
        match message:
            case AssistantMessage():
                words = {name: self.text(getattr(message, name)) for name in ("text", "reasoning", "raw")}
                extra = self._extra(message.extra, {})
                return replace(message, calls=tuple(map(self._call, message.calls)), extra=extra, **words)
            case _:
                return replace(message, text=self.text(message.text))

    def _call(self, call: ToolCall) -> ToolCall:
        return replace(call, id=self.name(call.id), name=self.name(call.name), arguments=self.arguments(call.arguments))

    def answer(self, answer: Reply | Failure, order: int = 0) -> Reply | Failure:
        """What a model said to the order of this number. A call id with a secret in it is replaced by one of ours.

        What only its maker understands is looked through as well: a signature that holds a key is not worth the key.
        """
        if self.is_idle:
            return answer
        words = self._words(answer)
        if isinstance(answer, Failure):
            return replace(answer, **words)
        ids = {
            call.id: call.id if self.name(call.id) == call.id else f"call_redacted_{order}_{place}"
            for place, call in enumerate(answer.calls)
        }
        calls = tuple(replace(self._call(call), id=ids[call.id]) for call in answer.calls)
        lost = tuple(self.label(each) for each in answer.lost)
        served = tuple(
            replace(each, id=self.name(each.id), arguments=self.value(each.arguments)) for each in answer.provider_calls
        )
        extra = self._extra(answer.extra, ids)
        mirrored = None if answer.mirrored is None else self._mirrored(answer.mirrored)
        return replace(answer, calls=calls, extra=extra, lost=lost, provider_calls=served, mirrored=mirrored, **words)

    def _mirrored(self, seen: Mirrored) -> Mirrored:
        calls = tuple(map(self._call, seen.calls))
        return replace(seen, text=self.text(seen.text), message=self.text(seen.message), calls=calls)

    def _words(self, answer: Reply | Failure) -> dict[str, str]:
        """All texts of an answer, whichever it has."""
        fields = ((name, getattr(answer, name)) for name in answer.__struct_fields__)
        return {name: self._word(name, value) for name, value in fields if isinstance(value, str)}

    def _word(self, field: str, value: str) -> str:
        if field in OWN:
            return self.name(value)
        if field in LABELS:
            return self._known.beginnings_left_out(self.name(value))
        return self.label(value) if field == "message" else self.text(value)

    def output(self, output: Output) -> Output:
        """What a tool brought, also without what has the form of a key, whoever's it is."""
        error = output.error
        if error is not None:
            error = replace(error, message=self._brought(error.message))
        text = self._brought(output.text)
        if output.data is output.text:  # of many tools the one is the other
            is_same = text is output.text and error is output.error
            return output if is_same else replace(output, text=text, data=text, error=error)
        data = self._blanks.written(output.data) if self._blanks else output.data
        data = changed(data, self._brought, self._blanks.keys, self._named)
        return replace(output, text=text, data=data, error=error)

    def _brought(self, text: str) -> str:
        return blank_drawn(self.text(text))

    def told(self, value: Any) -> Any:
        """What a tool tells while it works, as `output`; the fields of a record stay, and what names a thing in it."""
        if not isinstance(value, Mapping):
            return changed(value, self._brought, self._blanks.keys, self._named)
        return {
            field: self._named(inside)
            if field in NAMING and isinstance(inside, str)
            else changed(inside, self._brought, self._blanks.keys, self._named)
            for field, inside in value.items()
        }

    def _named(self, name: str) -> str:
        return blank_drawn(self.name(name))

    def file(self, path: Path) -> None:
        """Take the secrets out of a file in its place. Raises `OSError`; the file then still holds them."""
        self._blanks.file(path)
        self._files.rewrite(path)

    def settled(self, text: str) -> int:
        """How much of a text that goes on can be masked now: the rest may be the beginning of a secret."""
        # What a pattern finds in a whole text can't be told from its beginning.
        return 0 if self._blanks else self._known.settled(text)
