"""Arguments of tool calls that are broken, cut, of another form, or for a tool that is not there."""

import json

import pytest

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.core.events import ModelReplied
from agentspec.core.models.replies import MAX_CALLS
from agentspec.runtime.journal import decode
from tests.failures.whole import results, sent
from tests.servers.background import calls, says
from tests.servers.loopback import DONE, Loopback, call_piece, piece, stream

BROKEN = '{"{"tags":[1]}'
END = says("end")


async def test_broken_arguments_are_the_result_of_that_call_and_the_run_goes_on(world):
    """A-01"""
    async with Loopback([calls(("c1", "echo", BROKEN)), END]) as server:
        result = await world.run(server)

    assert (result.status, result.text, result.llm.iterations) == ("done", "end", 2)
    assert results(server)["c1"].startswith("ERROR: the arguments are not valid JSON")


async def test_a_tool_never_runs_with_half_its_arguments_and_the_model_is_told_where_they_broke(world):
    """A-02"""
    async with Loopback([calls(("c1", "note", '{"text":"unterminated')), END]) as server:
        result = await world.run(server)

    assert (world.notes, result.tools.rejected) == ([], ["note"])
    assert "unterminated" in results(server)["c1"]
    assert "missing" not in results(server)["c1"]


@pytest.mark.parametrize("arguments", ["null", "[1]", "7", '"x"'])
async def test_json_that_is_no_object_takes_the_same_way(world, arguments):
    """A-03"""
    async with Loopback([calls(("c1", "ping", arguments)), END]) as server:
        result = await world.run(server)

    assert (result.status, result.tools.rejected) == ("done", ["ping"])
    assert results(server)["c1"].startswith("ERROR: ")


async def test_a_broken_call_never_makes_a_later_request_fail_and_the_journal_keeps_it_as_it_came(world):
    """A-04"""
    asked = '{"text":"a",,}'
    async with Loopback([calls(("c1", "echo", asked)), calls(("c2", "ping", "{}")), END]) as server:
        result = await world.run(server)

    assert result.status == "done"
    assert [sent(server, request)[1]["tool_calls"][0]["function"]["arguments"] for request in (1, 2)] == ["{}", "{}"]
    store = SqliteStore(world.folder / ".agentspec" / "runs.db")
    replies = [decode(record) for record in store.read_run(result.run_id) if record.kind == "model_replied"]
    store.close()
    assert isinstance(replies[0], ModelReplied)
    assert replies[0].reply.calls[0].arguments == asked


@pytest.mark.parametrize("arguments", ["", "  \n", "None", "{}"])
async def test_no_arguments_are_an_empty_object_where_nothing_is_required(world, arguments):
    """A-05"""
    async with Loopback([calls(("c1", "ping", arguments), ("c2", "echo", arguments)), END]) as server:
        await world.run(server)

    assert results(server)["c1"] == "pong"
    assert results(server)["c2"].startswith("ERROR: ")
    assert "text" in results(server)["c2"]


async def test_a_list_inside_a_string_is_decoded_once_and_only_where_a_list_is_wanted(world):
    """A-06"""
    inner = json.dumps({"items": '["a","b"]'})
    text = json.dumps({"text": '["a","b"]'})
    twice = json.dumps({"items": json.dumps(json.dumps(["a"]))})
    asked = [("c1", "count", inner), ("c2", "echo", text), ("c3", "count", twice)]
    async with Loopback([calls(*asked), END]) as server:
        await world.run(server)

    told = results(server)
    assert (told["c1"], told["c2"]) == ("2", '["a","b"]')
    assert told["c3"].startswith("ERROR: ")


async def test_a_call_that_the_output_limit_cut_is_neither_mended_nor_run(world):
    """A-07"""
    cut = calls(("c1", "note", '{"text":"long te'), ("c2", "note", '{"text":"whole"}'), finish="length")
    async with Loopback([cut, END]) as server:
        result = await world.run(server)

    assert (result.status, world.notes) == ("done", ["whole"])
    assert "cut off" in results(server)["c1"]


HALF = '{"text":"half"'


@pytest.mark.parametrize("finish", [None, "made_up", "pause_turn", "length"])
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("half", [HALF, '{"text":"half","more":{"a":1}', "", "'half'", '```{"text":"half"}```'])
async def test_a_reply_that_does_not_say_that_it_is_complete_has_no_call_mended(world, finish, streamed, half):
    """A-07"""
    asked = [("c1", "note", half), ("c2", "note", '{"text":"whole"}')]
    pieces = [call_piece(place, *call) for place, call in enumerate(asked)]
    reply = (
        [stream(*pieces, *([piece({}, finish)] if finish else []), DONE)] if streamed else calls(*asked, finish=finish)
    )
    async with Loopback([reply, END]) as server:
        result = await world.run(server, model={"stream": streamed})

    assert (result.status, world.notes, result.tools.rejected) == ("done", ["whole"], ["note"])
    assert results(server)["c1"].startswith("ERROR: the reply was cut off, or did not say that it was complete")


@pytest.mark.parametrize("finish", ["stop", "tool_calls", "end_turn", "STOP"])
async def test_a_reply_that_says_that_it_is_complete_has_its_calls_mended(world, finish):
    """A-07"""
    async with Loopback([calls(("c1", "note", HALF), finish=finish), END]) as server:
        result = await world.run(server)

    assert (result.status, world.notes) == ("done", ["half"])


@pytest.mark.parametrize("word", ["error", "ERROR", "abort", "cancelled", "network_error"])
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
async def test_nothing_of_an_answer_runs_that_its_provider_gave_up(world, word, streamed):
    """A-07 C-05"""
    asked = ("c1", "note", '{"text":"given up"}')
    bad = [stream(call_piece(0, *asked), piece({}, word), DONE)] if streamed else calls(asked, finish=word)
    good = calls(("c1", "note", '{"text":"good"}'))
    async with Loopback([bad, bad, good, END]) as server:
        result = await world.run(server, model={"stream": streamed})

    assert (result.status, world.notes, len(server.asked)) == ("done", ["good"], 4)


async def test_ten_thousand_calls_of_one_reply_are_bounded_and_the_model_is_told(world):
    """A-10"""
    async with Loopback([calls(*((f"c{n}", "nowhere", "{}") for n in range(10_000))), END]) as server:
        result = await world.run(server)

    assert (result.status, result.text) == ("done", "end")
    assert list(results(server)) == [f"c{n}" for n in range(MAX_CALLS)]
    assert sent(server)[-1]["content"] == (
        f"Not all calls of your last reply could be taken ({10_000 - MAX_CALLS} more calls came; at most {MAX_CALLS} calls "
        "of one reply are taken); what could not was not run, the others were."
    )


async def test_one_bad_call_of_a_batch_leaves_the_good_one_alone_and_both_are_answered(world):
    """A-08"""
    async with Loopback([calls(("c1", "ping", "{}"), ("c2", "echo", '{"q":')), END]) as server:
        await world.run(server)

    told = results(server)
    assert (list(told), told["c1"], told["c2"][:7]) == (["c1", "c2"], "pong", "ERROR: ")


LEAKED = [
    '{"name":"note","arguments":{"text":"x"}}',
    '<tool_call>{"name":"note","arguments":{"text":"x"}}</tool_call>',
    '```json\n{"name":"note","parameters":{"text":"x"}}\n```',
]
LEAKED_PINGS = [
    '[TOOL_CALLS][{"name":"ping","arguments":{}}]',
    "<function=ping>{}</function>",
    '{"name":"ping"}',
    '{"name":"ping"} {"name":"ping","arguments":{}}',
    '<tool_call>{"name":"ping"}</tool_call>',
]


@pytest.mark.parametrize("content", LEAKED)
async def test_a_text_that_is_all_a_call_of_a_known_tool_is_that_call(world, content):
    """A-09"""
    async with Loopback([says(content), says("end")]) as server:
        result = await world.run(server)

    assert (world.notes, result.text, result.visible_text, result.tools.calls) == (["x"], "end", "end", ["note"])
    assert sent(server)[1]["content"] in (None, "")


@pytest.mark.parametrize("content", LEAKED_PINGS)
async def test_so_are_several_calls_in_a_row_and_one_without_arguments_and_it_shows_that_they_were_text(world, content):
    """A-09"""
    events: list[dict] = []
    async with Loopback([says(content), says("end")]) as server:
        result = await world.run(server, on_event=events.append)

    asked = content.count("ping")
    assert (result.tools.calls, result.tools.text_fallbacks) == (["ping"] * asked, 1)
    assert list(results(server).values()) == ["pong"] * asked
    assert [event["text"] for event in events if event["kind"] == "model_call" and "text" in event][:1] == [""]


@pytest.mark.parametrize("content", LEAKED)
async def test_such_a_text_runs_nothing_where_the_spec_rejects_it(world, content):
    """A-09"""
    async with Loopback([says(content), says("end")]) as server:
        result = await world.run(server, model={"native_tool_fallback": "reject"})

    assert (result.tools.text_fallbacks, result.tools.text_fallbacks_rejected) == (1, 1)
    assert (world.notes, result.text, result.tools.successful) == ([], "end", [])
    assert "wrote a tool call as text" in sent(server)[-1]["content"]


@pytest.mark.parametrize(
    "content",
    [
        'Do it with {"name":"note","arguments":{"text":"x"}}',
        '{"name":"Ada","arguments":["for","against"]}',
        '{"name":"ghost","arguments":{}}',
    ],
)
async def test_text_that_only_looks_like_a_call_is_text_and_is_never_run(world, content):
    """A-09"""
    async with Loopback([says(content)]) as server:
        result = await world.run(server)

    assert (world.notes, result.text, result.tools.calls) == ([], content, [])


async def test_an_unknown_tool_is_answered_with_the_names_that_exist_the_nearest_first_and_stays_bounded(world):
    """A-10"""
    async with Loopback([calls(("c1", "ecko", "{}"))]) as server:
        result = await world.run(server, execution={"max_iterations": 3, "wrap_up": False})

    assert (result.status, result.stop_reason, len(server.asked)) == ("budget_exhausted", "max_iterations", 3)
    assert results(server, 1)["c1"] == (
        "ERROR: unknown tool `ecko`; did you mean `echo`? The tools are: echo, add, count, note, ping."
    )


async def test_half_a_megabyte_of_broken_arguments_does_not_blow_up_the_next_request(world):
    """A-11"""
    async with Loopback([calls(("c1", "echo", '{"text": ' + "x" * 500_000)), END]) as server:
        await world.run(server)

    assert len(server.asked[1].body) < 10_000
    assert "of 500009" in results(server)["c1"]
