"""environment: what a child process sees of this process's environment: a short list, and what the spec names.

Never a provider's key, whatever is named; never what makes a loader or an interpreter run other code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from agentspec.core.commands.code_variables import changes_code

ALWAYS = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TERM", "TMPDIR", "TZ")
_LOCALE = re.compile(r"LC_[A-Z]+\Z")
_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"

# Names whose values are the runtime's own: keys of providers.
_KEYS = re.compile(r"""(?ix) .*_API_KEY | .*_ACCESS_KEY(_ID)? | AWS_SESSION_TOKEN | GOOGLE_APPLICATION_CREDENTIALS""")


@lru_cache(maxsize=1024)  # the same few dozen names, for every program that is started
def is_withheld(name: str) -> bool:
    """Whether a variable is kept from children even where a spec names it.

    >>> is_withheld("OPENAI_API_KEY"), is_withheld("EDITOR")
    (True, False)
    """
    return _KEYS.fullmatch(name) is not None or changes_code(name)


@lru_cache(maxsize=1024)
def _is_wanted(name: str) -> bool:
    return name in ALWAYS or _LOCALE.match(name) is not None


def child_environment(
    source: Mapping[str, str], *, names: Iterable[str] = (), values: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment of a child: the short list, then `names` taken over from `source`, then `values` as given.

    `values` are what a spec spells out itself (`env: {TOKEN: "${env.TOKEN}"}`): they are the author's own word and
    pass unless their name is withheld.
    """
    wanted = {name for name in source if _is_wanted(name)}
    wanted.update(name for name in names if name in source)
    chosen = {name: source[name] for name in sorted(wanted) if not is_withheld(name)}
    chosen.update({name: value for name, value in (values or {}).items() if not is_withheld(name)})
    chosen.setdefault("PATH", _DEFAULT_PATH)
    return chosen
