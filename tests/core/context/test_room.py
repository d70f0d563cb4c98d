"""What fits a window, and which window a server means when it refuses a request."""

import pytest

from agentspec.core.context.room import Room, told_window

# As servers say it; where they name no window, or a number that is none, nothing is learned.
REFUSALS = [
    ("This model's maximum context length is 8192 tokens. However, your messages resulted in 9107 tokens.", 8192),
    ("maximum context length is 32,768 tokens. However, you requested 40,000 tokens (39000 in the messages)", 32768),
    ("prompt is too long: 213462 tokens > 200000 maximum", 200_000),
    ("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", 200_000),
    ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576),
    ("the request exceeds the available context size (4096 tokens), try increasing it", 4096),
    ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072),
    ("Your request exceeded model token limit: 262144", 262_144),
    ("total number of tokens in the prompt cannot exceed 4081 - received 4292.", 4081),
    ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens", 4096),
    ("The input (5000 tokens) is longer than the model's context length (4096 tokens).", 4096),
    ("The prompt is too long: 50000, model maximum context length: 32768", 32768),
    ("Range of input length should be [1, 30720]", 30720),
    ("the model is loaded with context length of only 4096 tokens", 4096),
    ("prompt too long; exceeded max context length by 500 tokens", None),
    ("invalid params, context window exceeds limit (2013)", None),
    ("Your input exceeds the context window of this model.", None),
    ("Please reduce the length of the messages or completion.", None),
    ("Input is too long for requested model.", None),
]


@pytest.mark.parametrize(("words", "window"), REFUSALS)
def test_the_window_is_read_out_of_a_refusal(words: str, window: int | None) -> None:
    assert told_window(words, 1_000_000) == window


def test_a_window_far_above_what_was_sent_is_no_reason_to_refuse() -> None:
    assert told_window("maximum context length is 200000 tokens", 10_000) is None


@pytest.mark.parametrize(
    ("room", "bounds"),
    [
        (Room(10_000, answer=2_000), (2_000, 5_600, 7_200)),
        (Room(10_000, answer=9_000), (5_000, 3_500, 4_500)),
        (Room(10_000, threshold=0.5), (2_500, 3_750, 6_750)),
        (Room(10_000, threshold=0.9), (2_500, 5_250, 6_750)),
        (Room(10_000, threshold=300), (2_500, 300, 6_750)),
        (Room(None, threshold=300), (0, 300, None)),
        (Room(None, threshold=0.5), (0, None, None)),
    ],
)
def test_what_an_author_writes_only_lowers_the_bounds(room: Room, bounds: tuple[int | None, ...]) -> None:
    assert (room.reserved, room.begins, room.hard) == bounds


def test_a_window_is_only_ever_lowered() -> None:
    room = Room(10_000)

    assert room.within(20_000) is room
    assert room.within(4_000).window == 4_000
