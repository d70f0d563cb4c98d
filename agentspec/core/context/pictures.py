"""pictures: which images of a conversation are old enough to be told of in words. Pure: places in, edits out.

What the model has not answered yet keeps its images, and so do the task and whatever else is always shown.
"""

from __future__ import annotations

import math

from agentspec.core.context.room import Room
from agentspec.core.context.view import Edits, View, in_place_of
from agentspec.core.messages import PICTURED, AssistantMessage
from agentspec.core.transcript import PICTURE_TOKENS, Transcript
from agentspec.spec.prompts import fill

NAME = "pictures"
MOST = 20  # images of a request: above that, providers take only small ones, or none at all
LEAST = 2
SHARE = 0.5  # of the tokens at which a compaction begins, for images


def fitting(room: Room) -> int:
    """How many images a request may show.

    >>> fitting(Room()), fitting(Room(200_000)), fitting(Room(16_000, answer=2_000))
    (20, 20, 3)
    """
    begins = math.inf if room.begins is None else room.begins
    return min(MOST, max(LEAST, int(min(begins * SHARE / PICTURE_TOKENS, MOST))))


def without_old_ones(transcript: Transcript, view: View, fits: int, words: str) -> Edits:
    """What is shown otherwise, so that no more images are shown than fit.

    Where there are more, the older half of what fits goes too: each time costs a prompt cache.
    """
    before = view.edits_of(NAME)
    seen = [
        (place, message)
        for place, message in view.walk(transcript)
        if isinstance(message, PICTURED) and message.pictures and place not in view.fixed
    ]
    count = sum(len(message.pictures) for _, message in seen)
    if count <= fits:
        return before
    new = {}
    answered = max((at for at, said in enumerate(transcript) if isinstance(said, AssistantMessage)), default=0)
    for place, message in seen:
        if count <= max(1, fits // 2) or place > answered:
            break
        number = len(message.pictures)
        told = fill(words, pictures="1 image" if number == 1 else f"{number} images")
        new[place] = in_place_of(message, f"{message.text}\n{told}" if message.text else told)
        count -= number
    return {**before, **new}
