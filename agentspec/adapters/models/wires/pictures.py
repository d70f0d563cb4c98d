"""pictures: images of a conversation as a request shows them, in words where they can't be; images of an answer.

The bytes come from where the run keeps them, and no message holds them.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import NamedTuple

from agentspec.adapters.models.wires.message_log import without_blanks
from agentspec.core.messages import Picture, ToolMessage, UserMessage
from agentspec.errors import NotFound
from agentspec.ports import Artifacts

# A server says that its model has no eyes.
SIGHT = r"(?:image|vision|multimodal|inlinedata)"
DENIED = (
    r"(?:not support|n't support|unsupported|not allowed|disabled|not avail|unknown variant|no endpoints|not accept)"
)
REFUSED = re.compile(rf"{SIGHT}.*{DENIED}|{DENIED}.*{SIGHT}|content.*must be a string|only supports? text")
BROUGHT = "(What the calls brought to see:)"  # beside images where a result itself can have none


class Sight(NamedTuple):
    """One image: its media type, and its bytes in base64."""

    media_type: str
    data: str

    @property
    def url(self) -> str:
        """The image as an address that holds it."""
        return f"data:{self.media_type};base64,{self.data}"


class Seen(NamedTuple):
    """What a message shows: its text, in which the images stand that can't be shown, and the others."""

    text: str
    sights: tuple[Sight, ...]


def seen(message: UserMessage | ToolMessage, artifacts: Artifacts | None) -> Seen:
    """What a request shows of a message; without `artifacts` no image."""
    if not message.pictures:
        return Seen(without_blanks(message.text), ())
    sights, words = [], [without_blanks(message.text)]
    for picture in message.pictures:
        sight = None if artifacts is None else _sight(picture, artifacts)
        if sight is None:
            words.append(f"(An image, {picture.media_type}, {picture.size} bytes; it can't be shown here.)")
        else:
            sights.append(sight)
    return Seen("\n".join(word for word in words if word), tuple(sights))


def _sight(picture: Picture, artifacts: Artifacts) -> Sight | None:
    try:
        data = artifacts.read(picture.artifact, 0, picture.size)
    except NotFound:
        return None
    return Sight(picture.media_type, base64.b64encode(data).decode())


def keep(sights: list[Sight], artifacts: Artifacts | None) -> list[str]:
    """What is told of the images of an answer; their bytes are kept, where anything keeps them."""
    words = []
    for media_type, data in sights:
        try:
            decoded = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            words.append(f"[image, {media_type}: its data is no base64]")
            continue
        where = "not kept" if artifacts is None else f"kept as artifact {artifacts.put(decoded)}"
        words.append(f"[image, {media_type}, {len(decoded)} bytes, {where}]")
    return words


def from_url(url: object) -> Sight | None:
    """The image in an address that holds one.

    >>> from_url("data:image/png;base64,aGk="), from_url("https://host/1.png")
    (Sight(media_type='image/png', data='aGk='), None)
    """
    head, mark, data = str(url).partition(";base64,")
    return Sight(head.removeprefix("data:")[:100], data) if mark and head.startswith("data:") else None
