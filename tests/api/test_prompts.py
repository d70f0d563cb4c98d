"""What is said to a model by the harness: every wording has an id, and a spec can give another one."""

import json

import pytest

from agentspec import SpecInvalid, replay, run
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.core.orders import Consult
from agentspec.runtime.journal import decode
from agentspec.spec.prompts import built_in, fill, prompt_ids, wording, wordings
from agentspec.spec.settings import Settings


@pytest.fixture
def spec(tmp_path):
    def write(turns: list, prompts: dict, **sections: object):
        model = {"provider": "script", "options": {"turns": turns}, **sections.pop("model", {})}
        values = {"name": "s", "task": "go", "model": model, "context": {"prompts": prompts}, **sections}
        path = tmp_path / "s.json"
        path.write_text(json.dumps(values))
        return path

    return write


LOOK = {"tool_calls": [{"name": "look", "arguments": {}}]}
TOOLS = {"tools": {"look": {"expr": "'a book'"}}}


async def test_a_nudge_is_said_in_the_words_of_the_spec(spec):
    turns = [
        *([""] * 2),
        {"match": "Hello, Ada\\. Call*", "text": "x"},
        {"match": "Hello, Ada. Call look.", "text": "Done."},
    ]
    path = spec(turns, {"nudge.native": "Hello, ${inputs.who}. Call look."}, inputs={"who": "string"}, capability=TOOLS)

    result = await run(path, inputs={"who": "Ada"})

    assert (result.status, result.text) == ("done", "Done.")


async def test_words_in_braces_are_filled_in_and_others_stay(spec):
    turns = [LOOK, LOOK, {"match": "look again? 2 times {so}", "text": "Done."}]
    prompts = {"stall.same": "look again? {count} times {so}"}

    result = await run(spec(turns, prompts, capability=TOOLS))

    assert (result.status, result.text) == ("done", "Done.")


async def test_a_judge_is_asked_in_the_words_of_a_file_that_the_journal_keeps(spec, tmp_path):
    (tmp_path / "judge.md").write_text("Say done.\n")
    verdict = json.dumps({"verdict": "done", "detail": "", "gaps": []})
    turns = ["Done.", {"role": "judge", "text": verdict}]
    path = spec(
        turns,
        {"judge.completion": {"file": "judge.md"}},
        execution={"loop_until_done": True, "done_sentinel": False, "verify_completion_judge": True},
    )

    result = await run(path)
    (tmp_path / "judge.md").unlink()

    assert result.status == "done"
    store = SqliteStore(tmp_path / ".agentspec" / "runs.db")
    records = [decode(record) for record in store.read_run(result.run_id)]
    store.close()
    assert [record.consultation.system for record in records if isinstance(record, Consult)] == ["Say done."]
    assert (await replay(result.run_id, project=tmp_path)).steps > 0
    with pytest.raises(SpecInvalid, match=r"judge\.md"):
        await run(path)


async def test_a_format_is_told_in_the_words_of_the_spec(spec):
    step = json.dumps({"reason": "", "action": "answer", "tool": "", "args": {}, "answer": "Done."})
    path = spec([step], {"format.json": "One object, please."}, model={"tool_format": "json"}, capability=TOOLS)

    result = await run(path)

    assert (result.status, result.text) == ("done", "Done.")


def test_every_prompt_has_words_and_an_id_in_a_family():
    assert all(built_in(prompt) for prompt in prompt_ids())
    assert {prompt.partition(".")[0] for prompt in prompt_ids()} == {
        *(
            "answer",
            "budget",
            "compaction",
            "context",
            "format",
            "gate",
            "judge",
            "nudge",
            "reply",
            "scratchpad",
            "sentinel",
            "skill",
            "stall",
        ),
    }


def test_a_family_has_its_own_words_where_they_are_given():
    settings = Settings({"context": {"prompts": {"skill.again": "Again!"}}})

    assert wordings(settings, "skill") == {"again": "Again!", "ceased": built_in("skill.ceased")}
    assert wording(Settings({}), "skill.again") == built_in("skill.again")


@pytest.mark.parametrize(
    ("text", "filled"),
    [("{a} {b}", "1 {b}"), ('{"a": {a}}', '{"a": 1}'), ("{ a }", "{ a }"), ("{{a}}", "{1}"), ("", "")],
)
def test_a_value_never_opens_another_place(text, filled):
    assert fill(text, a=1) == filled
    assert fill("{a}", a="{b}", b="x") == "{b}"
