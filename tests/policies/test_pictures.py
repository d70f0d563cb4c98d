"""Given a conversation full of images, when a request is made, then it shows the newest ones and words for the rest."""

from typing import Any

import pytest

from agentspec.core.messages import Picture
from agentspec.core.orders import Note
from agentspec.testing.kernel import Kernel, call, plan_for, tool

PNG = Picture(artifact="5f", media_type="image/png", size=9)
GONE = "What stood here to be seen ({}) is not shown any more: it is older than the newest images."


def kernel_with(window: int | None = None, **context: Any) -> Kernel:
    values = {"model": {"context_window": window}, "context": context, "execution": {"stall": False}}
    kernel = Kernel(plan_for(values, tool("look", server="eyes")))
    kernel.start("Look.")
    return kernel


def look(kernel: Kernel, times: int, pictures: int = 1) -> None:
    for number in range(times):
        name = f"c{len(kernel.events)}_{number}"
        kernel.reply("", call("look", name))
        kernel.returned(name, f"look {number}", pictures=(PNG,) * pictures)


def seen(kernel: Kernel) -> list[int]:
    """How many images each result of the newest request shows."""
    return [len(message.pictures) for message in kernel.state.shown if message.text.startswith("look")]


@pytest.mark.parametrize("window", [None, 200_000])
def test_the_newest_twenty_are_shown_and_ten_go_at_once(window: int | None) -> None:
    kernel = kernel_with(window)

    look(kernel, 20)
    assert seen(kernel) == [1] * 20
    look(kernel, 1)
    assert seen(kernel) == [0] * 11 + [1] * 10
    look(kernel, 10)
    assert seen(kernel) == [0] * 11 + [1] * 20


def test_what_is_gone_is_told_of_in_words_and_the_record_keeps_it() -> None:
    kernel = kernel_with()

    look(kernel, 7, pictures=3)

    first = next(message for message in kernel.state.shown if message.text.startswith("look"))
    assert first.text == f"look 0\n{GONE.format('3 images')} Look again where it is needed."
    assert kernel.state.transcript[2].pictures == (PNG,) * 3
    [note] = [each for each in kernel.ordered(Note) if each.event == "projected"]
    assert (note.fields["by"], note.fields["replaced"], note.fields["breaks_prefix"]) == (
        "pictures",
        [2, 4, 6, 8],
        True,
    )


def test_a_small_window_shows_fewer() -> None:
    kernel = kernel_with(16_000, compaction="none")

    look(kernel, 4)

    assert seen(kernel) == [0, 0, 1, 1]


def test_what_the_model_has_not_seen_yet_is_always_shown() -> None:
    kernel = kernel_with()

    look(kernel, 2, pictures=30)

    assert seen(kernel) == [0, 30]


def test_times_stay_where_images_go() -> None:
    kernel = kernel_with(timestamp_messages=True)

    look(kernel, 21)

    shown = [message.text for message in kernel.state.shown if "\nlook 0\n" in message.text]
    assert shown == [f"1970-01-01 00:00:03 UTC\nlook 0\n{GONE.format('1 image')} Look again where it is needed."]
