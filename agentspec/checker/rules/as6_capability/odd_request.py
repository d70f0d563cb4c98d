"""AS638 request that is not sent as it is written."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related

BODIES = ("body", "json")
WITHOUT = ("GET", "HEAD")


class OddRequest(Rule):
    """A tool's request has a body where its method takes none, or a header twice.

    Why: what a body of `GET` or `HEAD` means is not defined (RFC 9110, 9.3.1): most servers do not read it, some refuse
    it. A request without `method` is a `GET`. Names of headers are the same in capitals, so one of the two is lost.

    Bad:

    ```yaml
    name: desk
    capability:
      tools:
        book:
          description: Books a room
          parameters: {room: string}
          http: {url: "https://rooms.example.org/bookings", json: {room: "${args.room}"}}
    ```

    Good:

    ```yaml
    name: desk
    capability:
      tools:
        book:
          description: Books a room
          parameters: {room: string}
          http: {method: POST, url: "https://rooms.example.org/bookings", json: {room: "${args.room}"}}
    ```

    Fix: write the method, or put the values into `query`.
    """

    code = "AS638"
    title = "request that is not sent as it is written"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for tool in subject.tools_with("http"):
            http: Path = (*tool.path, "http")
            if tool.kind == "http" and subject.is_sound(*http):
                yield from self._body(subject, http)
                yield from self._headers(subject, http)

    def _body(self, subject: Subject, http: Path) -> Iterator[Diagnostic]:
        written = subject.text(*http, "method")
        method = written or "GET"
        key = next((key for key in BODIES if subject.at(*http, key) is not None), None)
        if key is None or method not in WITHOUT or not subject.has_all(*http):
            return
        message = f"a `{method}` has no `{key}`" + ("" if written else ", and a request without `method` is one")
        help_text = "write `method: POST`, or put the values into `query`"
        yield self.finding(subject.key(*http, key), message, path=(*http, key), help=help_text)

    def _headers(self, subject: Subject, http: Path) -> Iterator[Diagnostic]:
        seen: dict[str, Path] = {}
        for entry in subject.entries(*http, "headers"):
            path = (*http, "headers", entry.name)
            first = seen.setdefault(entry.name.lower(), path)
            if first != path:
                related = (Related(subject.key(*first), "it is the same as this one"),)
                message = f"the header `{entry.name}` is given twice"
                yield self.finding(entry.key.span, message, path=path, help="take one away", related=related)
