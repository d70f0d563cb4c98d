"""secrets: what in a text is a secret, told by its form, and the text without it.

It only looks at characters: it knows no file, no key of a document, and no value of the environment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

# Forms that providers publish for their keys; each begins with a mark of its own, so that prose never matches. No form
# begins inside a word, so that a long text is read once.
FORMS = (
    r"(?<![\w-])(?:"
    r"sk-(?:ant-|proj-|or-v1-)?(?:(?=[\w-]{0,200}\d)[\w-]{20,}|[A-Za-z]{24,})"  # OpenAI, Anthropic, OpenRouter
    r"|AKIA[0-9A-Z]{16}"  # AWS
    r"|AIza[0-9A-Za-z_-]{35}"  # Google
    r"|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}"
    r"|glpat-[A-Za-z0-9_-]{20,}"
    r"|xox[abprs]-[A-Za-z0-9-]{20,}"  # Slack
    r"|hf_[A-Za-z0-9]{30,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"  # a JSON web token
    r")|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{4,})*"
    r"|(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*://[^\s:/@${}]+:(?!\[redacted]@)(?P<password>[^\s:/@${}]+)@"  # in an address
)
# A private key from its first line to its last one, whatever a tool has written between: numbers of lines, names.
WHOLE_KEY = (
    r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----(?:BEGIN|END) ))*"
    r"-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
)
# What a provider says of a key in a refusal: mostly not whole, and too much hidden there costs nothing.
LOOSE_FORMS = (
    r"\b(?:sk|pk|rk|gsk|xai|ak|AIza|ghp|hf|eyJ)[-_A-Za-z0-9.*]{8,}|(?<=earer )[^\s\"',]{6,}|(?<=://)[^\s/@\"']+@"
)
# The same in a text that was cut, where the form is not whole any more.
CUT_FORMS = (
    r"|(?<![\w-])(?:sk-|AKIA|AIza|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|hf_|eyJ)[\w.-]{4,}…"
    r"|(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*://[^\s:/@${}]+:(?P<cut>[^\s:/@${}…]+)…"
)
# One of these is found in every text with a secret of those forms; each begins with plain letters, so that a long text
# without any is read fast. The pattern itself is compiled, and looked for, only where one was found.
HINTS = (
    r"sk-[\w.-]{4}",
    r"AKIA[\w.-]{4}",
    r"AIza[\w.-]{4}",
    r"gh[pousr]_",
    r"github_pat_",
    r"glpat-",
    r"xox[abprs]-",
    r"hf_[\w.-]{4}",
    r"eyJ[\w.-]{4}",
    r"PRIVATE KEY",
    r"://[^\s:/@${}]+:[^\s:/@${}]+[@…]",
)
CREDENTIAL_HEADERS = frozenset(("authorization", "x-api-key", "api-key", "proxy-authorization", "cookie"))
SHORTEST = 16  # characters of a credential that has no form of its own
# A header with its credential, in whatever spelling: only its name tells that a secret follows.
HEADER = (
    rf"(?i:(?<![\w-])(?:{'|'.join(sorted(CREDENTIAL_HEADERS))}))[\"']?\s{{0,9}}[:=]\s{{0,99}}(?:[|>][+-]?\s{{1,99}})?"
    rf"[\"']?(?P<credential>(?:[^\s\"',{{}}]{{1,99}}[ \t]){{0,9}}[^\s\"',{{}}$`]{{{SHORTEST},}})"
)
HEADER_HINTS = tuple(
    rf"{mark}[\"']?\s{{0,9}}[:=]" for mark in ("uthorization", "UTHORIZATION", "-key", "-Key", "-KEY", "ookie", "OOKIE")
)
DRAWN = r"(?=.*[0-9])(?=.*[A-Za-z])[\w.~+/=%:;-]+"  # no word of a language, and no code
KEY_ALONE = r"-----BEGIN [A-Z ]*PRIVATE KEY-----\s*"
STAR = "*"
REDACTED = "[redacted]"


def has_secret(text: str) -> bool:
    """Whether a key, a token or a password of a known form stands in the text.

    >>> has_secret("postgresql://shop:geheim@db.example.org/x"), has_secret("task-list")
    (True, False)
    """
    return _is_hinted(text, HINTS) and re.search(FORMS, text) is not None


def may_hold_secret(texts: Iterable[str]) -> bool:
    """Whether `has_secret` may be true of one of these texts: a look at all of them at once.

    >>> may_hold_secret(["task-list", "postgresql://shop:geheim@db.example.org/x"]), may_hold_secret(["task", "list"])
    (True, False)
    """
    return _is_hinted("\n".join(texts), HINTS)  # no hint goes on in another line


def hide(text: str) -> str:
    """The text with stars, one for each character, in place of what looks like a secret; line ends stay.

    >>> hide("X-API-Key: 0123456789abcdef")
    'X-API-Key: ****************'
    """
    return _pattern().sub(_stars, text) if _is_hinted(text) else text


def redact(text: str) -> str:
    """The text with one word in place of each thing that looks like a secret: for what leaves the machine.

    >>> redact("aws: AKIAIOSFODNN7EXAMPLE")
    'aws: [redacted]'
    """
    return _whole_pattern().sub(_word, text) if _is_hinted(text) else text


def blank_drawn(text: str) -> str:
    """The same for what programs and files bring, where code must stay as it is: a header's credential counts where it
    looks drawn by chance, and the first line of a private key where a key follows.

    >>> blank_drawn("cookie = http.cookies.SimpleCookie()"), blank_drawn("Cookie: id=9f86d081884c7d65")
    ('cookie = http.cookies.SimpleCookie()', 'Cookie: [redacted]')
    """
    return sub_drawn(word_if_drawn, text)


def sub_drawn(instead: Callable[[re.Match[str]], str], text: str) -> str:
    """The text with other words in place of each thing that may be a secret; `word_if_drawn` gives them."""
    return _whole_pattern().sub(instead, text) if _is_hinted(text) else text


def _is_hinted(text: str, hints: tuple[str, ...] = (*HINTS, *HEADER_HINTS)) -> bool:
    return _any_of(hints).search(text) is not None


@cache
def _any_of(hints: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(hints))  # one look at a text: most are short, and hold none


def redact_loosely(text: str) -> str:
    """The same where a wrong guess harms nobody: in the words of a provider about a key, even a part of one."""
    return _loose_pattern().sub(REDACTED, redact(text))


@cache
def _whole_pattern() -> re.Pattern[str]:
    return re.compile(f"{WHOLE_KEY}|{HEADER}|{FORMS}{CUT_FORMS}")


@cache
def _loose_pattern() -> re.Pattern[str]:
    return re.compile(LOOSE_FORMS)


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(f"{HEADER}|{FORMS}{CUT_FORMS}")


def _stars(match: re.Match[str]) -> str:
    before, secret, behind = _apart(match)
    return before + starred(secret) + behind


def _word(match: re.Match[str]) -> str:
    before, _, behind = _apart(match)
    return before + REDACTED + behind


def word_if_drawn(match: re.Match[str]) -> str:
    """What to write in place of what `sub_drawn` found: itself where it is code."""
    credential = match["credential"]
    if credential is not None and not re.fullmatch(DRAWN, credential.rpartition(" ")[2]):
        at = match.start("credential") - match.start()
        return match[0][:at] + re.sub(FORMS, _word_of_form, match[0][at:])
    return match[0] if re.fullmatch(KEY_ALONE, match[0]) else _word(match)


def _word_of_form(match: re.Match[str]) -> str:
    return match[0].replace(match["password"], REDACTED) if match["password"] else REDACTED


def _apart(match: re.Match[str]) -> tuple[str, str, str]:
    """What was found: the secret in it, and what stands before and behind."""
    part = next((name for name in ("credential", "password", "cut") if match[name]), 0)
    start, end = (at - match.start() for at in match.span(part))
    return match[0][:start], match[0][start:end], match[0][end:]


def starred(text: str) -> str:
    """Stars of the same length, on the same lines."""
    return "".join(one if one in "\r\n" else STAR for one in text)
