"""versions: names and versions of libraries, and the ranges that ask for them. Nothing is looked up here.

Sources: Semantic Versioning 2.0.0 (order of versions), the ranges of npm's `semver` (`^`, `~`, parts left out).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Final, NamedTuple

LANGUAGE: Final = "0.1.0"
"""What `requires.agentspec` is held against: the version of agentspec itself."""

_NAME = re.compile(r"[A-Za-z_]\w*(?:[.-]\w+)*", re.ASCII)
_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?", re.ASCII)
_BOUND = re.compile(r"(\^|~|>=|<=|>|<|=)?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?", re.ASCII)


def is_name(text: str) -> bool:
    """Whether a library, or something that one exports, can have this name. It becomes part of paths.

    >>> [is_name(each) for each in ("acme-platform", "house.v2", "../up", "a/b", ".hidden", "")]
    [True, True, False, False, False, False]
    """
    return _NAME.fullmatch(text) is not None


class Version(NamedTuple):
    """A version; tuples compare as SemVer 11 says. Build metadata does not count."""

    major: int
    minor: int
    patch: int
    is_release: bool = True
    pre: tuple[tuple[int, int, str], ...] = ()

    def __str__(self) -> str:
        words = ".".join(text or str(number) for _, number, text in self.pre)
        return f"{self.major}.{self.minor}.{self.patch}" + (f"-{words}" if words else "")


class Range(NamedTuple):
    """Bounds that all hold: what to compare with, and the version."""

    bounds: tuple[tuple[str, Version], ...]

    def admits(self, version: Version) -> bool:
        """Whether a version will do. A pre-release only does where a bound names one of the same release.

        >>> [read_range("^1.4").admits(read_version(each)) for each in ("1.3.9", "1.4.0", "2.0.0", "1.5.0-beta")]
        [False, True, False, False]
        """
        named = {bound[:3] for _, bound in self.bounds if not bound.is_release}
        is_meant = version.is_release or version[:3] in named
        return is_meant and all(_TESTS[word](version, bound) for word, bound in self.bounds)

    @property
    def lowest(self) -> Version:
        """The lowest version that the bounds speak of."""
        return max((bound for word, bound in self.bounds if word in (">=", ">")), default=Version(0, 0, 0))


_TESTS: Final[dict[str, Callable[[Version, Version], bool]]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<": operator.lt,
    "<=": operator.le,
}


def read_version(text: str) -> Version | None:
    """The version that a text is, or None.

    >>> read_version("1.0.0-alpha.2") < read_version("1.0.0-alpha.10") < read_version("1.0.0")
    True
    """
    match = _VERSION.fullmatch(text)
    return None if match is None else _version([int(part) for part in match.groups()[:3]], match[4])


def read_range(text: str) -> Range:
    """The range that a text is: `^1.4`, `~1.2.3`, `>=1 <3`, `1.2`, `1.2.3`, `*`; what is none admits nothing."""
    bounds: list[tuple[str, Version]] = []
    for word in text.replace(",", " ").split():
        match = _BOUND.fullmatch(word)
        if word != "*":
            bounds += _bounds(match) if match is not None else [("<", Version(0, 0, 0, is_release=False))]
    return Range(tuple(bounds))


def from_version(version: Version) -> str:
    """The range of a version and all that is compatible with it.

    >>> [from_version(read_version(each)) for each in ("1.4.0", "1.4.2", "2.0.0-beta")]
    ['^1.4', '^1.4.2', '^2.0.0-beta']
    """
    is_short = version.is_release and not version.patch
    return f"^{version.major}.{version.minor}" if is_short else f"^{version}"


def is_range(text: str) -> bool:
    """Whether a text is a range."""
    words = text.replace(",", " ").split()
    return bool(words) and all(word == "*" or _BOUND.fullmatch(word) for word in words)


def _bounds(match: re.Match[str]) -> list[tuple[str, Version]]:
    word, *parts, pre = match.groups()
    given = [int(part) for part in parts if part is not None]
    low = _version([*given, 0, 0][:3], pre)
    match word:
        case "^":
            head = next((index for index, part in enumerate(given) if part), len(given) - 1)
            return [(">=", low), ("<", _after(given, head))]
        case "~":
            return [(">=", low), ("<", _after(given, min(1, len(given) - 1)))]
        case ">" | "<=" if len(given) < len(parts):
            return [("<" if word == "<=" else ">=", _after(given, len(given) - 1))]
        case ">=" | ">" | "<" | "<=":
            return [(word, low)]
        case _:
            return [(">=", low), ("<=", low) if len(given) == len(parts) else ("<", _after(given, len(given) - 1))]


def _after(given: list[int], place: int) -> Version:
    """The first version above all that agree with the given parts up to a place."""
    return _version([*given[:place], given[place] + 1, 0, 0][:3], None)


def _version(numbers: list[int], pre: str | None) -> Version:
    words = pre.split(".") if pre else []
    order = tuple((0, int(word), "") if word.isdigit() else (1, 0, word) for word in words)
    major, minor, patch = numbers
    return Version(major, minor, patch, not words, order)
