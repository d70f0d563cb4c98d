"""images: what kind of image some bytes are. Decides by how they begin; decodes nothing."""

from __future__ import annotations

MOST = 20 << 20  # bytes of one image: more than any provider takes
STARTS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


def media_type_of(content: bytes) -> str | None:
    """The media type of an image, or None for what models are not shown.

    >>> media_type_of(b"GIF89a"), media_type_of(b"hello")
    ('image/gif', None)
    """
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in STARTS.items() if content.startswith(start)), None)


def why_not_shown(start: bytes, size: int) -> str | None:
    """Why models can't be shown an image that begins so and has so many bytes; None where they can.

    >>> why_not_shown(b"hello", 5), why_not_shown(b"GIF89a", 1000)
    ('is no PNG, JPEG, GIF or WebP image', None)
    """
    if size > MOST:
        return f"is larger than {MOST >> 20} MiB; make the image smaller"
    return "is no PNG, JPEG, GIF or WebP image" if media_type_of(start) is None else None
