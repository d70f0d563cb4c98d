"""assigned: values that stand behind a name which tells of a secret, in texts and plain values, and these without them.

For copies that are handed on, where a wrong guess costs a word: `password: x` may be a sentence, and is hidden. What
has a form of its own is known by `text.secrets`, whatever stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agentspec.text.blanks import changed
from agentspec.text.secrets import REDACTED

LONGEST = 4096  # characters of a value in quotes

NAME = r"""(?:
    pass[_-]?(?:words?|wd|phrase|code|wort) | kennwort | (?<![a-z]) (?:pwd|pw|auth|authorization)
    | secrets? | credentials? | token | (?<=[a-z0-9][_-]) pass
    | (?:api|access|secret|private|signing|encryption|master|account|storage|session|auth|ssh|deploy|subscription)
      [ _.-]? key
) (?:[_.-]? (?:id|value|base64|b64|hash|old|new|current|confirm(?:ation)?|key|text|[0-9]{1,3}))? (?![a-z0-9_-])"""
# A type, a reference or a call, and what is nothing: it says where a secret comes from, or that there is none.
HARMLESS = r"""(?!
    (?:str|string|bytes|int|integer|number|bool|boolean|object|any|none|null|nil|true|false|undefined|required|optional
       |inherit|self) (?![\w-])
    | \$[({] | (?-i: \$[A-Z_][A-Z0-9_]+ (?![\w-]) ) | %(?: \( | [sd] (?!\w) | \w+% ) | <[^<>\n]*> | \{\{ | \*{3}
    | \[redacted] | [a-z_][\w.]* (?: \( [^\n]* \) | \[ )
    | (?:self|this|config|settings|env|args|options|request|os|process) \. \w
)"""
NUMBER = r"(?P<number>-?[0-9]+(?:\.[0-9]+)?) (?=\s*[,}\]])"  # in JSON
QUOTED = rf"(?P<quote>\\*[\"'`]) {HARMLESS} (?P<quoted>(?:(?!(?P=quote))[^\r\n]){{1,{LONGEST}}}) (?P=quote)"
BARE = rf"{HARMLESS} (?!\\+[\"'`]) (?P<bare>[^\s\"'`&;]+?) (?=[,;)\]}}>]* (?:[\s\"'`&;\\]|\Z))"
SCHEME = r"(?:(?:bearer|basic|digest|token|bot|negotiate|apikey) [ \t]+)?"
BEHIND = r"""(?:
    [\"'`\]\\]* [ \t]{0,9} (?: :=|=>|[:=] ) [ \t]{0,99} (?: [|>][+-]? [ \t]* \r?\n [ \t]+ )?
    | [\"']* \s{0,9} ,? \s{0,40} [\"']? value [\"']? \s{0,9} [:=] \s{0,9}
)"""
# Compiled where they are used first: that takes as long as a small spec, and most runs hand nothing on.
TEXT = rf"""(?ix)
    (?: (?> {NAME} {BEHIND} {SCHEME} )
      | (?:set-)? cookie [ \t]* : [ \t]* (?P<jar>[^\r\n\"'`]+)
      | (?<![\w-]) --? (?=[a-z]) [\w-]{{0,40}}? {NAME} (?: [ \t]+ | [\"'] \s* , \s* )
      | (?:curl|wget) \b [^\n]{{0,200}}? \s (?:-u|--user) [ =] [^\s:]+ :
      | \b login \s+ \S{{1,99}} \s+ password \s+
      | \b bearer [ \t]+ (?=[\w.~+/=-]{{8,}})
      | < [\w:.-]{{0,60}}? {NAME} [^<>]{{0,200}} > (?P<inner>[^<]+) (?=</)
      | :// [^\s/@\"'${{}}]* : (?P<password>[^\s/@\"'${{}}]+) (?=@)
      | (?P<hash>\$ (?:1|2[aby]|5|6|y|apr1|argon2[a-z]*) \$ [^\s:\"',]+)
    )
    (?(jar)|(?(inner)|(?(password)|(?(hash)|(?: {NUMBER} | {QUOTED} | {BARE} )))))
    """
PARTS = ("jar", "inner", "password", "hash", "number", "quoted", "bare")
SAID = r"""(?ix) \b (?:password|passphrase|passcode|secret|token|api[ ]key|kennwort) (?:[ ]for(?:[ ]\S{1,60}){1,3}?)?
    \s+ (?:is|was|ist) :? (?> \s+ [\"'`*]* ) (?! (?:a|an|and|also|at|being|correct|empty|expired|for|here|hidden
      |in|incorrect|invalid|kept|missing|needed|never|no|not|now|only|read|required|secret|set|still|stored|the|there|to|too
      |unknown|used|valid|wrong) (?![\w-]) | \[redacted] ) (?P<bare>[^\s\"'`*]+?) (?= [\"'`*.,;:!?)]* (?:\s|\Z) )"""
CALLED = rf"(?ix) (?:--?)? [\w.-]{{0,60}}? {NAME} \Z"
TELLING = re.compile(r"(?=.*[0-9])(?=.*[^0-9.,:\s])\S{6,}|(?=.*[^\w.,:/-])\S{6,}")  # nothing that is said otherwise


class Left(NamedTuple):
    """A plain value without its secrets, and in how many places something was taken out, now or before."""

    value: Any
    places: int


def without_secrets(value: Any) -> Left:
    """A plain value without what stands behind such a name, nor the same anywhere else in it; names and shapes stay.

    A number becomes 0, so that it still is one. What may be an ordinary word is hidden behind its name alone.

    >>> without_secrets({"password": "geheim", "say": "token=k-1234", "seen": "k-1234", "max_tokens": 5})
    Left(value={'password': '[redacted]', 'say': 'token=[redacted]', 'seen': '[redacted]', 'max_tokens': 5}, places=3)
    """
    search = _Search()
    left = search.value(value)
    known = sorted(search.known, key=len, reverse=True)

    def elsewhere(text: str) -> str:
        for secret in known:
            text = text.replace(secret, REDACTED)
        return text

    left = changed(left, elsewhere, frozenset(), str)
    return Left(left, search.zeros + _count(left))


def _count(value: Any) -> int:
    match value:
        case str():
            return value.count(REDACTED)
        case Mapping():
            return sum(map(_count, (*value, *value.values())))
        case list():
            return sum(map(_count, value))
        case _:
            return 0


class _Search:
    """Goes through a plain value, and remembers what it takes out of it."""

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.zeros = 0

    def value(self, value: Any) -> Any:
        match value:
            case str():
                return re.sub(SAID, self._replaced, re.sub(TEXT, self._replaced, value))
            case Mapping():
                return {name: self._named(str(name), inner) for name, inner in value.items()}
            case list() | tuple():
                return [self._named(name, item) for name, item in zip(_options(value), value, strict=False)]
            case _:
                return value

    def _named(self, name: str, value: Any) -> Any:
        if not re.fullmatch(CALLED, name):
            return self.value(value)
        match value:
            case bool() | "":
                return value
            case int() | float():
                return self._zero()
            case str():
                return self._hide(value)
            case _:
                return self.value(value)

    def _hide(self, secret: str) -> str:
        if TELLING.fullmatch(secret) and secret != REDACTED:
            self.known.add(secret)
        return REDACTED

    def _zero(self) -> int:
        self.zeros += 1
        return 0

    def _replaced(self, match: re.Match[str]) -> str:
        found = match.groupdict()
        part = next(part for part in PARTS if found.get(part))
        word = str(self._zero()) if part == "number" else self._hide(found[part])
        start, end = (place - match.start() for place in match.span(part))
        return match[0][:start] + word + match[0][end:]


def _options(values: Sequence[Any]) -> Iterator[str]:
    """What each item of a list may be the value of, where the list is a command: `--password` is followed by one."""
    for before in ("", *values[:-1]):
        yield before if isinstance(before, str) and before.startswith("-") else ""
