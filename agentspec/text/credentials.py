"""credentials: which values are secrets because of the name that they have: of a variable, an option, a header.

It knows no value and no form of a key: `text.secrets` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

NAMES = r"(?i).*(API_?KEY|ACCESS_KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(_ID)?"
CREDENTIALS = r"(?i).*(authorization|cookie|key|token|secret|password|signature).*"
OPEN = r"(?i)accept.*|content-.*|user-agent|.*referer|.*title|.*version|.*beta|.*trace.*|.*region"
SCHEME = r"(?i)(?:bearer|basic|digest|token|bot|key|api-?key)[ :=]\s*(\S+)"
LOOKS_DRAWN = r"(?=.*\d)(?=.*[A-Za-z])\S+"  # what no word of a language looks like


@lru_cache(maxsize=1024)
def is_telling(name: str) -> bool:
    """Whether a variable or an option of this name holds a secret.

    >>> is_telling("GITHUB_TOKEN"), is_telling("max_tokens")
    (True, False)
    """
    return re.fullmatch(NAMES, name) is not None


def is_secret(name: str, value: str) -> bool:
    """Whether a header or a part of a query is none of the public's: by its name, or by what it looks like.

    >>> is_secret("X-Api-Key", "geheim"), is_secret("X-Title", "Shop 7")
    (True, False)
    """
    if re.fullmatch(CREDENTIALS, name):
        return True
    return not re.fullmatch(OPEN, name) and any(re.fullmatch(LOOKS_DRAWN, each) for each in spelled(value))


def spelled(value: str) -> Iterator[str]:
    """A credential as it is written, and without the scheme before it.

    >>> list(spelled("Bearer geheim"))
    ['Bearer geheim', 'geheim']
    """
    yield value
    behind = re.fullmatch(SCHEME, value)
    if behind is not None:
        yield behind[1]
