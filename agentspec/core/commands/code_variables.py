"""code_variables: which variables of the environment make programs run other code than theirs. Pure."""

from __future__ import annotations

import re

# Names that change what code a child runs.
_CODE = r"""(?ix)
    LD_.* | DYLD_.* | PYTHON(PATH|HOME|STARTUP|INSPECT|USERBASE) | NODE_OPTIONS | RUBYOPT | PERL5?(OPT|LIB)
    | BASH_ENV | ENV | IFS | SHELLOPTS | BASHOPTS | PS4 | GIT_(CONFIG.*|SSH.*|EXTERNAL_DIFF|EXEC_PATH|ASKPASS|PAGER)
    """


def changes_code(name: str) -> bool:
    """Whether a variable makes a loader or an interpreter run other code.

    >>> changes_code("LD_PRELOAD"), changes_code("SEARCH_API_KEY")
    (True, False)
    """
    return re.fullmatch(_CODE, name) is not None
