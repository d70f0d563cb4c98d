"""Answers, whole and in pieces: the same content gives the same reply, and nothing is lost or run together."""

import json
import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.models.wires.body import read_body
from agentspec.adapters.models.wires.draft import Complained, Cut, Draft, Unreadable
from agentspec.adapters.models.wires.openai_reply import ChatReader
from agentspec.adapters.models.wires.usage import read_usage
from agentspec.core.messages import ToolCall, Usage
from agentspec.ports import Delta
from tests.servers.loopback import DONE, call_piece, completion, event, piece, usage_piece


def reply_of(body, listen=None, taken=()):
    draft = Draft(listen)
    read_body(body if isinstance(body, bytes) else json.dumps(body).encode(), ChatReader(draft))
    return draft.reply(provider="openai", model="asked", origin="here", taken=set(taken), position=4, sent=400)


def calls_of(*pieces, finish="tool_calls"):
    return reply_of(b"".join((*pieces, piece({}, finish), DONE))).calls


def whole(*calls, finish="tool_calls", **message):
    listed = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls]
    return reply_of(completion({"content": None, "tool_calls": listed, **message}, finish))


A, B = ToolCall("a", "lookup", '{"key":"1"}'), ToolCall("b", "lookup", '{"key":"2"}')


# --- calls in pieces


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(
            [
                call_piece(0, "a", "lookup", ""),
                call_piece(0, None, None, '{"key"'),
                call_piece(0, None, None, ':"1"}'),
                call_piece(1, "b", "lookup", ""),
                call_piece(1, None, None, '{"key":"2"}'),
            ],
            id="one after another",
        ),
        pytest.param(
            [
                call_piece(0, "a", "lookup", ""),
                call_piece(1, "b", "lookup", ""),
                call_piece(0, None, None, '{"key":"1'),
                call_piece(1, None, None, '{"key":'),
                call_piece(1, None, None, '"2"}'),
                call_piece(0, None, None, '"}'),
            ],
            id="interleaved",
        ),
        pytest.param(
            [call_piece(0, "a", "lookup", '{"key":"1"}'), call_piece(0, "b", "lookup", '{"key":"2"}')],
            id="all at index 0, told apart by their ids",
        ),
        pytest.param(
            [
                call_piece(None, "a", "lookup", '{"key"'),
                call_piece(None, "a", None, ':"1"}'),
                call_piece(None, "b", "lookup", '{"key":"2"}'),
            ],
            id="without an index, by id",
        ),
        pytest.param(
            [
                call_piece(None, "a", "lookup", '{"key"'),
                call_piece(None, None, None, ':"1"}'),
                call_piece(None, "b", "lookup", ""),
                call_piece(None, None, None, '{"key":"2"}'),
            ],
            id="without an index, in order",
        ),
        pytest.param(
            [
                call_piece(1, "a", "lookup", '{"key"'),
                call_piece(1, None, None, ':"1"}'),
                call_piece(7, "b", "lookup", '{"key":'),
                call_piece(7, None, None, '"2"}'),
            ],
            id="indexes that are labels",
        ),
        pytest.param(
            [
                call_piece(0, "a", "lookup", '{"key"'),
                call_piece(0, "x1", None, ':"1'),
                call_piece(0, "x2", None, '"}'),
                call_piece(1, "b", "lookup", '{"key":"2"}'),
            ],
            id="a new id in every piece",
        ),
        pytest.param(
            [
                call_piece(0, "a", "lookup", '{"key"'),
                call_piece(0, "a", "lookup", ':"1"}'),
                call_piece(1, "b", "lookup", '{"key":"2"}'),
            ],
            id="id and name in every piece",
        ),
        pytest.param(
            [
                call_piece(0, "a", "look", ""),
                call_piece(0, None, "up", ""),
                call_piece(0, None, None, '{"key":"1"}'),
                call_piece(1, "b", "lookup", '{"key":"2"}'),
            ],
            id="a name in pieces",
        ),
    ],
)
def test_calls_are_put_together_from_their_pieces(pieces):
    assert calls_of(*pieces) == (A, B)


def test_calls_without_ids_at_one_index_are_told_apart_by_names_after_whole_arguments():
    calls = calls_of(call_piece(0, None, "lookup", '{"key":"1"}'), call_piece(0, None, "lookup", '{"key":"2"}'))

    assert calls == (ToolCall("call_4_0", "lookup", '{"key":"1"}'), ToolCall("call_4_1", "lookup", '{"key":"2"}'))


def test_the_same_content_gives_the_same_reply_streamed_and_not():
    streamed = reply_of(
        b"".join(
            (
                piece({"role": "assistant", "content": "Loo"}),
                piece({"content": "k."}),
                piece({"reasoning_content": "hm"}),
                call_piece(0, "a", "lookup", '{"key"'),
                call_piece(0, None, None, ':"1"}'),
                call_piece(1, "b", "lookup", '{"key":"2"}'),
                piece({}, "tool_calls"),
                usage_piece(),
                DONE,
            )
        )
    )

    plain = whole(
        ("a", "lookup", '{"key":"1"}'), ("b", "lookup", '{"key":"2"}'), content="Look.", reasoning_content="hm"
    )

    assert streamed == plain
    assert plain.extra == {"message": {"reasoning_content": "hm"}}


# --- ids and names


def test_missing_and_repeated_ids_are_replaced_and_the_same_again_on_the_next_reading():
    def read():
        return [
            call.id for call in whole(("", "a", "{}"), ("d1", "b", "{}"), ("d1", "c", "{}"), ("d1", "d", "{}")).calls
        ]

    assert read() == ["call_4_0", "d1", "call_4_2", "call_4_3"]
    assert read() == read()


def test_an_id_that_an_earlier_reply_used_is_replaced():
    body = completion({"content": "", "tool_calls": [{"id": "c1", "function": {"name": "a", "arguments": "{}"}}]})

    assert [call.id for call in reply_of(body, taken={"c1", "call_4_0"}).calls] == ["call_4_0_2"]


@pytest.mark.parametrize("bad", ["x" * 10_000, "a\nb", "   "])
def test_an_id_that_no_server_would_take_back_is_replaced(bad):
    assert [call.id for call in whole((bad, "a", "{}")).calls] == ["call_4_0"]


def test_a_call_without_a_name_is_told_as_lost_and_the_others_stay():
    reply = whole(("a", "  ", "{}"), ("b", " lookup ", "{}"))

    assert (reply.calls, reply.lost) == ((ToolCall("b", "lookup", "{}"),), ("call 1 has no name",))


def test_two_hundred_calls_of_one_turn_all_come_through():
    reply = whole(*((f"c{number}", "lookup", "{}") for number in range(200)))

    assert len({call.id for call in reply.calls}) == 200


@pytest.mark.parametrize(
    ("arguments", "text"),
    [('{"key": "a', '{"key": "a'), ({"key": "a"}, '{"key":"a"}'), (None, ""), ("", ""), ([1], "[1]"), (7, "7")],
)
def test_argument_text_stays_as_it_came_and_values_become_text(arguments, text):
    assert [call.arguments for call in whole(("a", "lookup", arguments)).calls] == [text]


def test_the_older_form_of_a_single_call_is_read():
    body = completion({"content": None, "function_call": {"name": "lookup", "arguments": "{}"}}, "function_call")

    reply = reply_of(body)

    assert (reply.calls, reply.finish) == ((ToolCall("call_4_0", "lookup", "{}"),), "tool_calls")


# --- why it stopped


@pytest.mark.parametrize(
    ("word", "has_call", "finish"),
    [
        ("stop", False, "stop"),
        ("stop", True, "tool_calls"),
        ("tool_calls", True, "tool_calls"),
        ("tool_calls", False, "other"),
        ("length", False, "length"),
        ("length", True, "length"),
        ("content_filter", False, "content_filter"),
        ("eos", False, "stop"),
        ("brand_new_reason", False, "other"),
        ("brand_new_reason", True, "tool_calls"),
        (None, False, "stop"),
        (None, True, "tool_calls"),
    ],
)
def test_the_calls_decide_and_the_reason_qualifies(word, has_call, finish):
    call = {"id": "a", "function": {"name": "lookup", "arguments": "{}"}}

    reply = reply_of(completion({"content": "x", "tool_calls": [call] if has_call else []}, word))

    assert (reply.finish, reply.finish_text) == (finish, word or "")


def test_a_call_that_is_announced_and_does_not_come_is_lost():
    reply = reply_of(completion({"content": "I look."}, "tool_calls"))

    assert (reply.finish, reply.lost) == ("other", ("`tool_calls` announced a call, and none came",))


def test_a_refusal_says_so_and_keeps_its_words():
    reply = reply_of(completion({"content": None, "refusal": "I can't help with that."}))

    assert (reply.text, reply.finish) == ("I can't help with that.", "refusal")


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({}, ""),
        ({"content": None}, ""),
        ({"content": ""}, ""),
        ({"content": "a"}, "a"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab"),
        ({"content": ["a", 7, None]}, "a"),
        ({"content": 7}, ""),
        ({"content": "None"}, "None"),
        ({"content": None, "tool_calls": None}, ""),
    ],
)
def test_content_comes_in_many_forms(message, text):
    assert reply_of(completion(message)).text == text


def test_thinking_parts_are_reasoning_and_not_text():
    content = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "a"}]

    reply = reply_of(completion({"content": content}))

    assert (reply.text, reply.reasoning) == ("a", "hm")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart_and_given_back_only_beside_calls(field):
    alone = reply_of(completion({"content": "a", field: "hm"}))

    assert (alone.text, alone.reasoning, alone.extra, alone.origin) == ("a", "hm", {}, "")


def test_signatures_beside_calls_are_kept_for_whoever_made_them():
    signed = {"google": {"thought_signature": "s"}}
    call = {"id": "a", "extra_content": signed, "function": {"name": "lookup", "arguments": "{}"}}

    reply = reply_of(completion({"content": None, "tool_calls": [call]}))

    assert (reply.extra, reply.origin) == ({"calls": {"a": {"extra_content": signed}}}, "here")


# --- usage


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"prompt_tokens": 900, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 700}},
         Usage(900, 5, 700)),
        ({"prompt_tokens": 900, "completion_tokens": 5, "prompt_cache_hit_tokens": 700}, Usage(900, 5, 700)),
        ({"prompt_tokens": 9, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 3}},
         Usage(9, 5, 0, 3)),
        ({"input_tokens": 9, "output_tokens": 5}, Usage(9, 5)),
        ({}, Usage(100, 10, estimated=True)),
        ({"prompt_tokens": -9, "completion_tokens": -5}, Usage(100, 10, estimated=True)),
        ({"prompt_tokens": "9", "completion_tokens": None}, Usage(100, 10, estimated=True)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, Usage(100, 10, estimated=True)),
        ({"prompt_tokens": 9}, Usage(9, 10, estimated=True)),
        ({"prompt_tokens": True, "completion_tokens": 1e30}, Usage(100, 10, estimated=True)),
        ({"prompt_tokens": 9.0, "completion_tokens": 5.0, "prompt_tokens_details": 3}, Usage(9, 5)),
        ({"prompt_tokens": 9, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 99}}, Usage(9, 5, 9)),
    ],
)  # fmt: skip
def test_usage_that_is_missing_or_cannot_be_true_is_estimated_and_says_so(usage, read):
    assert read_usage(usage, sent=400, written=40) == read


@pytest.mark.parametrize(
    "last",
    [
        usage_piece(11, 5),
        event({"usage": {"prompt_tokens": 11, "completion_tokens": 5}}),
        event({"choices": [], "x_groq": {"usage": {"prompt_tokens": 11, "completion_tokens": 5}}}),
        event({"choices": [{"index": 0, "delta": {}, "usage": {"prompt_tokens": 11, "completion_tokens": 5}}]}),
    ],
)
def test_usage_in_a_stream_comes_in_many_forms_and_later_totals_replace_earlier_ones(last):
    growing = [piece({"content": "a"}, usage={"prompt_tokens": 11, "completion_tokens": n}) for n in (1, 2)]

    reply = reply_of(b"".join((*growing, piece({}, "stop"), last, DONE)))

    assert reply.usage == Usage(11, 5)


# --- what is heard


def test_pieces_are_heard_in_their_order():
    heard = []

    reply_of(
        b"".join(
            (
                piece({"reasoning_content": "hm"}),
                piece({"content": "a"}),
                piece({"content": "b"}),
                call_piece(0, "a", "lookup", ""),
                call_piece(0, None, None, "{}"),
                piece({}, "tool_calls"),
                DONE,
            )
        ),
        heard.append,
    )

    assert heard == [
        Delta("reasoning_delta", "hm"),
        Delta("text_delta", "a"),
        Delta("text_delta", "b"),
        Delta("tool_call_delta", "", 0, "lookup"),
        Delta("tool_call_delta", "{}", 0, ""),
    ]


# --- bytes


def test_a_character_that_the_network_cut_and_one_that_is_broken():
    text = "\u4e2d\U0001f600"
    body = piece({"content": "@"}).replace(b"@", text.encode()) + piece({"content": "#"}, "stop").replace(b"#", b"\xff")

    assert reply_of(body).text == text + "\ufffd"


def test_halves_of_a_surrogate_pair_in_two_pieces_are_joined_and_a_lone_one_is_replaced():
    body = event(b'{"choices":[{"delta":{"content":"\\ud83d"}}]}') + event(
        b'{"choices":[{"delta":{"content":"\\ude00"}}]}'
    )
    lone = event(b'{"choices":[{"delta":{"content":"\\ud83d"},"finish_reason":"stop"}]}')

    assert reply_of(body + lone).text == "\U0001f600\ufffd"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=4) | st.sampled_from(["stop", "lookup", "{}", "\ud83d", 10**30, 1e300, "error", "length"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["choices", "delta", "message", "content", "tool_calls", "function", "name", "arguments", "id", "index",
             "finish_reason", "usage", "extra_content", "reasoning_details", "model", "function_call", "prompt_tokens", "error", "refusal", "reasoning", "text", "type", "x_groq"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip


@given(value=VALUES, is_stream=st.booleans())
def test_any_json_is_a_reply_or_a_named_fault(value, is_stream):
    data = json.dumps(value).encode()
    try:
        reply = reply_of(b"data: " + data + b"\n\n" + DONE if is_stream else data)
    except (Unreadable, Complained, Cut):
        return
    assert len({call.id for call in reply.calls}) == len(reply.calls)
    assert all(call.name for call in reply.calls)
    msgspec.json.encode(reply)  # a journal can hold it


@given(noise=st.binary(max_size=80))
def test_any_bytes_are_a_reply_or_a_named_fault(noise):
    try:
        reply_of(noise)
    except (Unreadable, Complained, Cut):
        return


WHOLE_STREAM = b"".join(
    (
        piece({"role": "assistant", "content": "Caf\u00e9 \U0001f600"}), piece({"reasoning_content": "hm"}),
        call_piece(0, "a", "lookup", '{"key":"1"}'), call_piece(1, "b", "lookup", '{"key":"2"}'),
        piece({}, "tool_calls"), usage_piece(), DONE,
    )
)  # fmt: skip
WHOLE_BODY = json.dumps(
    completion({"content": "Caf\u00e9", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]})
).encode()


def mutated(original: bytes, dice: random.Random) -> bytes:
    """The bytes with a few of them cut, doubled, changed or put elsewhere."""
    body = bytearray(original)
    for _ in range(dice.randint(1, 4)):
        start, end = sorted((dice.randrange(len(body) + 1), dice.randrange(len(body) + 1)))
        match dice.randrange(4):
            case 0:
                del body[start : min(end, start + 40)]
            case 1:
                body[start:start] = body[start : min(end, start + 40)]
            case 2 if start < len(body):
                body[start] = dice.randrange(256)
            case _:
                body[start:start] = dice.choice(
                    (b"null", b'"', b"}", b"\n\n", b"\r", b"-1", b"[", b"\\ud800", b"1e999")
                )
    return bytes(body)


def read_mutants(count: int, seed: int) -> None:
    dice = random.Random(seed)
    for number in range(count):
        body = mutated(WHOLE_STREAM if number % 2 else WHOLE_BODY, dice)
        try:
            reply = reply_of(body)
        except (Unreadable, Complained, Cut):
            continue
        msgspec.json.encode(reply)


def test_mutated_answers_are_replies_or_named_faults():
    read_mutants(2_000, seed=1)


@pytest.mark.slow
def test_a_hundred_thousand_mutated_answers_are_replies_or_named_faults():
    read_mutants(100_000, seed=2)
