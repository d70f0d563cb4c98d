"""conceal: findings and values as they may be shown: no secret in a sentence, an excerpt, or the text of a fix.

Reports go into logs and to other services. What a finding says and where it stands are never changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agentspec.syntax.tree import Path
from agentspec.text.credentials import is_secret, is_telling
from agentspec.text.diagnostic import Diagnostic, Fix, Related
from agentspec.text.secrets import SHORTEST, hide, starred
from agentspec.text.source import Source, Span

LITERAL = "AS701"


def concealed(diagnostics: Iterable[Diagnostic], secrets: Iterable[Span] = ()) -> list[Diagnostic]:
    """The findings without what looks like a secret. `secrets` are places known to hold one, whatever its form.

    A fix that would have to print one is left out.
    """
    found = list(diagnostics)
    veil = Veil([*secrets, *secrets_of(found)])
    return [veil.diagnostic(one) for one in found]


def secrets_of(diagnostics: Iterable[Diagnostic]) -> tuple[Span, ...]:
    """The places that the findings call secrets."""
    found = [one for one in diagnostics if one.code == LITERAL]
    return tuple(span for one in found for span in (one.span, *(other.span for other in one.related)))


def without_secrets(value: Any, path: Path = ()) -> Any:
    """A plain value of a spec as it may be printed: stars in place of what looks like a secret, or is called one.

    >>> without_secrets({"headers": {"X-Api-Key": "geheim", "X-Title": "Shop"}})
    {'headers': {'X-Api-Key': '******', 'X-Title': 'Shop'}}
    """
    match value:
        case str():
            return starred(value) if _is_called_secret(value, path) else hide(value)
        case dict():
            return {name: without_secrets(inner, (*path, name)) for name, inner in value.items()}
        case list() | tuple():
            return [without_secrets(inner, path) for inner in value]
        case _:
            return value


def _is_called_secret(value: str, path: Path) -> bool:
    if "${" in value or len(path) < 2:
        return False
    name = str(path[-1])
    if path[-2] == "headers":
        return is_secret(name, value)
    return ("env" in path[:-1] or "options" in path[:-1]) and is_telling(name)


class Veil:
    """Hides secrets; each source is looked through once, however many findings it has."""

    def __init__(self, secrets: Iterable[Span]) -> None:
        # What has a form is found by it, without the prose around it.
        self._known = [span for span in dict.fromkeys(secrets) if hide(span.text) == span.text]
        words = {word for span in self._known for word in span.text.strip("\"'").split() if len(word) >= SHORTEST}
        self._words = sorted(words, key=len, reverse=True)
        self._sources: dict[int, tuple[Source, Source]] = {}  # the first one is kept alive: its id is the key

    def diagnostic(self, one: Diagnostic) -> Diagnostic:
        """One finding; itself where it holds no secret."""
        span, message, way_out = self._span(one.span), self._text(one.message), one.help and self._text(one.help)
        related = tuple(Related(self._span(other.span), self._text(other.message)) for other in one.related)
        fix, path, cause = one.fix and self._fix(one.fix), self._text(one.path), one.caused_by
        shown = Diagnostic(
            one.code, one.severity, message, span, path, way_out, fix, related, cause and self._text(cause)
        )
        return one if shown == one else shown

    def _fix(self, fix: Fix) -> Fix | None:
        if any(self._text(edit.text) != edit.text for edit in fix.edits):
            return None
        title = self._text(fix.title)
        return fix if title == fix.title else fix._replace(title=title)

    def _text(self, text: str) -> str:
        for word in self._words:
            text = text.replace(word, starred(word))
        return hide(text)

    def _span(self, span: Span) -> Span:
        shown = self._source(span.source)
        return span if shown is span.source else Span(shown, span.start, span.end)

    def _source(self, source: Source) -> Source:
        if id(source) not in self._sources:
            text = hide(source.text)
            for span in self._known:
                if span.source.name == source.name and len(span.source.text) == len(text):
                    text = text[: span.start] + starred(text[span.start : span.end]) + text[span.end :]
            self._sources[id(source)] = (source, source if text == source.text else Source(source.name, text))
        return self._sources[id(source)][1]
