"""texts: files on a desk, with `‸` where the cursor is, and what is said about them."""

from __future__ import annotations

from pathlib import Path

from agentspec.lsp.completion.offer import Offer
from agentspec.lsp.completion.offers import heads_at, offers_at
from agentspec.lsp.desk import Desk
from agentspec.lsp.sheet import Part
from agentspec.text.diagnostic import Edit
from agentspec.text.source import Span

CURSOR = "‸"


class Texts:
    """Open texts in a folder; the one with the cursor is the one that is asked about."""

    def __init__(self, folder: Path, **files: str) -> None:
        self.folder, self.desk = folder, Desk()
        self.desk.folders = frozenset([str(folder)])
        for name, text in files.items():
            path = str(folder / name.replace("_", ".", 1))
            if CURSOR in text:
                self.path, self.offset = path, text.index(CURSOR)
            self.desk.put(path, text.replace(CURSOR, ""))

    @property
    def at(self) -> tuple[Part, int]:
        part = self.desk.sheet(self.path).part_at(self.offset)
        assert part is not None
        return part, self.offset

    def offers(self) -> list[Offer]:
        cursor = self.desk.cursor(self.path, self.offset)
        return heads_at(self.path, self.desk.texts[self.path], self.offset) if cursor is None else offers_at(cursor)

    def labels(self, beginning: str = "") -> list[str]:
        return [offer.label for offer in self.offers() if offer.label.startswith(beginning)]

    def taken(self, label: str) -> str:
        """The text after an offer was taken, the cursor where it goes."""
        offer = next(one for one in self.offers() if one.label == label)
        text = self.desk.texts[self.path]
        written = offer.text if "$0" in offer.text else f"{offer.text}$0"
        return f"{text[: offer.start]}{written}{text[offer.end :]}".replace("$0", CURSOR)

    def place(self, span: Span) -> str:
        return f"{Path(span.source.name).name}:{span.first.line}:{span.first.column} {span.text}"

    def after(self, edits: list[Edit]) -> dict[str, str]:
        """The texts after some edits, by the names of their files."""
        changed = dict(self.desk.texts)
        for edit in sorted(edits, key=lambda one: -one.span.start):
            text = changed[edit.span.source.name]
            changed[edit.span.source.name] = text[: edit.span.start] + edit.text + text[edit.span.end :]
        return {Path(path).name: text for path, text in changed.items()}
