"""resources: find the data that comes with agentspec (`grammar/`, `stdlib/`), in a checkout or in a wheel.

The only code that knows where they are. No file is read here.
"""

from __future__ import annotations

from pathlib import Path

from agentspec.errors import InternalError

_PACKAGE = Path(__file__).resolve().parent
_PLACES = (_PACKAGE / "_data", _PACKAGE.parent)  # a wheel has them inside the package, a checkout beside it


def resource(*parts: str) -> Path:
    """The path of a file or folder below the repository's top, as `resource("stdlib", "presets")`.

    Raises `InternalError` when the installation lacks the top folder itself; what lies below may be absent.
    """
    for place in _PLACES:
        if (place / parts[0]).is_dir():
            return place.joinpath(*parts)
    raise InternalError(f"this installation lacks its `{parts[0]}` folder; please install agentspec again")
