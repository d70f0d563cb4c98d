"""secret_names: which files hold secrets, by their names alone. Nothing is opened here.

Asked with the resolved real name: a link with a harmless name is no way in. The list never gets shorter.
"""

from __future__ import annotations

from pathlib import PurePosixPath

_NAMES = frozenset(
    (
        *(".env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", "kubeconfig"),
        *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"),
    )
)
_SUFFIXES = (".pem", ".key", ".p12", ".pfx", ".kubeconfig")
_FOLDERS = frozenset((".ssh", ".aws", ".gnupg"))
_PAIRS = frozenset(((".kube", "config"), (".docker", "config.json")))
_HARMLESS = (".example", ".sample", ".template")  # of `.env.*`
_COPIES = ("~", ".bak", ".backup", ".old", ".orig", ".save", ".swp", ".swo", ".tmp")  # that editors and people make


def secret_rule(real: str) -> str:
    """The rule that makes the file of this absolute real name secret, or nothing.

    >>> secret_rule("/home/ada/shop/.ENV.local"), secret_rule("/home/ada/shop/id_rsa.bak")
    ('.env.*', 'id_rsa')
    """
    parts = PurePosixPath(real.casefold()).parts
    if not parts:
        return ""
    folder = next((f"{part}/**" for part in parts if part in _FOLDERS), "")
    return folder or next(filter(None, (_of_name(name, parts[-2:-1]) for name in _originals(parts[-1]))), "")


def _of_name(name: str, folder: tuple[str, ...]) -> str:
    if name in _NAMES:
        return name
    if name.startswith(".env.") and not name.endswith(_HARMLESS):
        return ".env.*"
    suffix = next((suffix for suffix in _SUFFIXES if name.endswith(suffix)), "")
    if suffix:
        return f"*{suffix}"
    return "/".join((*folder, name)) if (*folder, name) in _PAIRS else ""


def _originals(name: str) -> tuple[str, ...]:
    """The name, and the one that it is a copy of: `.env~`, `id_rsa.bak`, `.id_rsa.swp`."""
    ending = next((ending for ending in _COPIES if name.endswith(ending)), "")
    if not ending:
        return (name,)
    original = name.removesuffix(ending)
    return name, original, original.removeprefix(".")
