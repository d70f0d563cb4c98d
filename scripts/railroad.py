"""railroad: the grammar of the DSL as diagrams, read from `grammar/agentspec.lark`: what is drawn is what is parsed.

Left-recursive lists become loops, and rules that only help the parser are drawn into those that use them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import NamedTuple, TypeAlias


class Box(NamedTuple):
    """A sign or word of the language, or, with `is_rule`, something that has a diagram or a sentence of its own."""

    text: str
    is_rule: bool = False


class Row(NamedTuple):
    """Parts one after another; none is a line that passes by."""

    parts: tuple[Part, ...]


class Fork(NamedTuple):
    """One of several ways."""

    ways: tuple[Part, ...]


class Loop(NamedTuple):
    """A part once or more, with another between each two."""

    part: Part
    between: Part


Part: TypeAlias = "Box | Row | Fork | Loop"
PASS = Row(())
TOKEN = re.compile(r'"(?P<sign>[^"]+)"|(?P<name>[A-Za-z_]+)|->\s*(?P<alias>\w+)|(?P<mark>[\[\]()|?])|\s+|//.*')
RULE = re.compile(r"^([a-z_]+):(.*(?:\n(?:[ \t].*)?$)*)", re.MULTILINE)
WORDS = re.compile(r'^([A-Z]+): "([^"]+)"', re.MULTILINE)


# --- reading


def read_grammar(text: str) -> dict[str, Part]:
    """The rules of a grammar by name, with lists as loops and without what only error recovery puts in."""
    words = dict(WORDS.findall(text))
    document = text[: text.index("// ---- expression")]
    return {name: _joined(name, _Reader(body, words).ways()) for name, body in RULE.findall(document)}


class _Reader:
    """Reads the right side of one rule."""

    def __init__(self, body: str, words: dict[str, str]) -> None:
        self.tokens = [found for found in TOKEN.finditer(body) if found.lastgroup]
        self.words = words
        self.at = 0

    def ways(self) -> list[Part]:
        """The alternatives, up to a closing bracket or the end."""
        found: list[Part] = []
        parts: list[Part] = []
        is_broken = False
        while True:
            token = self.tokens[self.at] if self.at < len(self.tokens) else None
            if token is None or token[0] in ("|", "]", ")"):
                found += [] if is_broken else [_row(parts)]
                parts, is_broken = [], False
                if token is None or token[0] != "|":
                    return found
                self.at += 1
            else:
                is_broken |= token[0].startswith("BROKEN")
                self._part(token, parts)

    def _part(self, token: re.Match[str], parts: list[Part]) -> None:
        self.at += 1
        match token.lastgroup, token[0]:
            case "mark", "?":
                parts.append(_fork([parts.pop(), PASS]))
            case "mark", opening:
                inner = _fork(self.ways())
                self.at += 1
                parts.append(_fork([inner, PASS]) if opening == "[" else inner)
            case "sign", _:
                parts.append(Box(token["sign"]))
            case "name", name:
                parts.append(Box(self.words[name]) if name in self.words else Box(name, is_rule=True))


def _row(parts: list[Part]) -> Part:
    return parts[0] if len(parts) == 1 else Row(tuple(parts))


def _fork(ways: list[Part]) -> Part:
    flat = [way for each in ways for way in (each.ways if isinstance(each, Fork) else (each,))]
    unique = list(dict.fromkeys(flat))
    return unique[0] if len(unique) == 1 else Fork(tuple(unique))


def _joined(name: str, ways: list[Part]) -> Part:
    """A rule; `x: | x item` and `x: item | x "," item` are loops."""
    own = Box(name, is_rule=True)
    more = [way for way in ways if isinstance(way, Row) and way.parts and way.parts[0] == own]
    first = [way for way in ways if way not in more]
    if not more or not isinstance(more[0], Row):
        return _fork(ways)
    added = [_row([*way.parts[1:]]) for way in more if isinstance(way, Row)]
    if first == [PASS]:
        return _fork([Loop(_fork(added), PASS), PASS])
    item = _fork(first)
    if added == [item]:
        return Loop(item, PASS)
    match added:
        case [Row((*between, last))] if last == item:
            return Loop(item, _row(between))
    return _row([item, _fork([Loop(_fork(added), PASS), PASS])])


def drawn(
    rules: dict[str, Part], shown: tuple[str, ...], kept: tuple[str, ...], said: dict[str, str]
) -> dict[str, Part]:
    """The rules to show, with every other but the `kept` ones drawn into them, under the names that `said` has."""

    def inlined(part: Part) -> Part:
        match part:
            case Box(text, is_rule=True) if text in rules and text not in shown and text not in kept:
                return inlined(rules[text])
            case Box(text, is_rule=True):
                name = said.get(text, text)
                return Box(name.strip('"'), is_rule=name[0] != '"')
            case Box():
                return part
            case Row(parts):
                flat = [each for one in map(inlined, parts) for each in (one.parts if isinstance(one, Row) else (one,))]
                return _row(flat)
            case Fork(ways):
                return _fork([inlined(way) for way in ways])
            case Loop(inner, between):
                return Loop(inlined(inner), inlined(between))

    return {name: inlined(rules[name]) for name in shown}


# --- as text


def as_text(part: Part) -> str:
    """A rule in EBNF: `[ ]` is optional, `{ }` once or more."""
    match part:
        case Box(text, is_rule):
            return text if is_rule else f'"{text}"'
        case Row(parts):
            return " ".join(f"({as_text(each)})" if _is_open(each) else as_text(each) for each in parts)
        case Fork(ways):
            inner = " | ".join(as_text(way) for way in ways if way != PASS)
            return f"[{inner}]" if PASS in ways else inner
        case Loop(inner, between):
            text = as_text(inner)
            return f"{{{text}}}" if between == PASS else f"{text} {{{as_text(between)} {text}}}"


def _is_open(part: Part) -> bool:
    return isinstance(part, Fork) and PASS not in part.ways


# --- as a drawing

HEIGHT, CHARACTER, PAD, GAP, ARC = 22, 8, 10, 10, 8  # whole numbers: their sums are the same on every Python
STYLE = (
    "path{fill:none;stroke:#57606a;stroke-width:1.5}rect{stroke:#57606a;stroke-width:1.2;fill:#f6f8fa}"
    ".word{fill:#ddf4ff}text{font:13px ui-monospace,Menlo,Consolas,monospace;text-anchor:middle;fill:#1f2328}"
    "@media(prefers-color-scheme:dark){path,rect{stroke:#8b949e}rect{fill:#21262d}.word{fill:#0c2d4a}text{fill:#e6edf3}}"
)


class Size(NamedTuple):
    """The room of a part: its width, and how far it reaches above and below its line."""

    width: float
    up: float
    down: float


def size(part: Part) -> Size:
    """How much room a part takes."""
    match part:
        case Box(text):
            return Size(len(text) * CHARACTER + 2 * PAD, HEIGHT / 2, HEIGHT / 2)
        case Row(parts):
            sizes = [size(each) for each in parts]
            width = sum(one.width for one in sizes) + GAP * max(0, len(sizes) - 1)
            return Size(width, max((one.up for one in sizes), default=0), max((one.down for one in sizes), default=0))
        case Fork(ways):
            sizes = [size(way) for way in ways]
            below = sum(max(one.up + one.down, 2 * ARC) + GAP for one in sizes[1:])
            return Size(max(one.width for one in sizes) + 4 * ARC, sizes[0].up, sizes[0].down + below)
        case Loop(inner, between):
            one, other = size(inner), size(between)
            below = max(other.up + other.down, ARC) + GAP
            return Size(max(one.width, other.width) + 4 * ARC, one.up, one.down + below)


def as_svg(part: Part, label: str) -> str:
    """The diagram of a rule as an SVG file, with its text for those who don't see it."""
    room = size(part)
    width, height = room.width + 60, room.up + room.down + 20
    y = room.up + 10
    inside = "".join(_draw(part, 30, y, room.width))
    ends = f'<path d="M10 {y - 7}v14M10 {y}h20"/><path d="M{width - 30:g} {y}h20m0 -7v14"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" role="img">'
        f"<title>{escape(label)}</title><style>{STYLE}</style>{ends}{inside}</svg>\n"
    )


def _draw(part: Part, x: float, y: float, width: float) -> Iterator[str]:
    """A part from `x` on along the line `y`; what is left of `width` is line."""
    own = size(part).width
    if own < width:
        yield f'<path d="M{x + own:g} {y:g}h{width - own:g}"/>'
    match part:
        case Box(text, is_rule):
            shape = "" if is_rule else ' rx="11" class="word"'
            yield f'<rect x="{x:g}" y="{y - HEIGHT / 2:g}" width="{own:g}" height="{HEIGHT}"{shape}/>'
            yield f'<text x="{x + own / 2:g}" y="{y + 4:g}">{escape(text)}</text>'
        case Row(parts):
            yield from _draw_row(parts, x, y)
        case Fork(ways):
            yield from _draw_fork(ways, x, y, own)
        case Loop(inner, between):
            yield from _draw_loop(inner, between, x, y, own)


def _draw_row(parts: tuple[Part, ...], x: float, y: float) -> Iterator[str]:
    for index, each in enumerate(parts):
        if index:
            yield f'<path d="M{x:g} {y:g}h{GAP}"/>'
            x += GAP
        width = size(each).width
        yield from _draw(each, x, y, width)
        x += width


def _draw_fork(ways: tuple[Part, ...], x: float, y: float, own: float) -> Iterator[str]:
    inner = own - 4 * ARC
    yield f'<path d="M{x:g} {y:g}h{2 * ARC}M{x + own - 2 * ARC:g} {y:g}h{2 * ARC}"/>'
    yield from _draw(ways[0], x + 2 * ARC, y, inner)
    below = y + size(ways[0]).down + GAP
    for way in ways[1:]:
        room = size(way)
        line = below + max(room.up, ARC)
        drop = line - y - 2 * ARC
        curve = f"q{ARC} 0 {ARC} {ARC}v{drop:g}q0 {ARC} {ARC} {ARC}"
        back = f"q{ARC} 0 {ARC} -{ARC}v{-drop:g}q0 -{ARC} {ARC} -{ARC}"
        yield f'<path d="M{x:g} {y:g}{curve}M{x + own - 2 * ARC:g} {line:g}{back}"/>'
        yield from _draw(way, x + 2 * ARC, line, inner)
        below = line + max(room.down, ARC) + GAP


def _draw_loop(part: Part, between: Part, x: float, y: float, own: float) -> Iterator[str]:
    inner, first = own - 4 * ARC, x + 2 * ARC
    yield f'<path d="M{x:g} {y:g}h{2 * ARC}M{x + own - 2 * ARC:g} {y:g}h{2 * ARC}"/>'
    yield from _draw(part, first, y, inner)
    line = y + size(part).down + GAP + size(between).up
    drop = line - y - 2 * ARC
    down = f"q{ARC} 0 {ARC} {ARC}v{drop:g}q0 {ARC} -{ARC} {ARC}"
    up = f"q-{ARC} 0 -{ARC} -{ARC}v{-drop:g}q0 -{ARC} {ARC} -{ARC}"
    yield f'<path d="M{first + inner:g} {y:g}{down}M{first:g} {line:g}{up}"/>'
    yield from _draw(between, first, line, inner)
