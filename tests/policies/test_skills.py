"""Skills in a run: matched, said once at the end of the transcript, and held to."""

import json
from typing import Any

from agentspec.adapters.tools.offered.skill_tool import skill_plan
from agentspec.core.events import Resumed, UserSaid
from agentspec.core.messages import UserMessage
from agentspec.core.offer.skills import skills_of
from agentspec.core.orders import CallModel, CallTool, Note
from agentspec.core.step import initial, step
from agentspec.spec.effective import effective
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import Kernel, call, plan_for, tool

SKILLS: dict[str, Any] = {
    "pdf": {"prompt": "Fill fields first.", "description": "Fills in PDF forms", "allowed_tools": ["look"]},
    "mail": {"prompt": "Be polite.", "description": "Writes letters"},
}
PDF = (
    "The skill `pdf` is active. Follow it wherever it fits the task.\n\nFill fields first.\n\n"
    "While it is active, only these tools of yours can be called: `look`."
)
MAIL = "The skill `mail` is active. Follow it wherever it fits the task.\n\nBe polite."


def kernel_with(task: str, match: Any = "metadata", **skills: Any) -> Kernel:
    values = {"capability": {"skills": skills or SKILLS, "skill_match": match}, "execution": {"stall": False}}
    found = skills_of(Settings(effective({"name": "s", **values})))
    assert found is not None
    plan = skill_plan(found)
    tools = [tool("look"), tool("shred", effect="write"), *([plan] if plan is not None else [])]
    kernel = Kernel(plan_for(values, *tools))
    kernel.start(task)
    return kernel


def notes(kernel: Kernel, *kinds: str) -> list[Note]:
    return [note for note in kernel.ordered(Note) if note.event in (kinds or EVENTS)]


EVENTS = ("skill_matched", "skill_activated", "skill_deactivated")


def look(kernel: Kernel, **arguments: Any) -> None:
    kernel.reply("", call("look", arguments=json.dumps(arguments)))
    kernel.returned("c1")


def test_a_skill_that_fits_the_task_is_said_before_the_first_request_and_never_again() -> None:
    kernel = kernel_with("Fill in this form")

    assert kernel.texts == ["Fill in this form", PDF]
    assert kernel.pending(CallModel).length == 2
    assert notes(kernel) == [
        Note(
            event="skill_matched",
            fields={
                "iteration": 0,
                "strategy": "metadata",
                "candidates": [{"name": "pdf", "score": kernel_score()}],
                "chosen": ["pdf"],
            },
        ),
        Note(event="skill_activated", fields={"name": "pdf", "by": "match", "allowed_tools": ["look"]}),
    ]
    look(kernel)
    look(kernel)
    assert kernel.texts.count(PDF) == 1
    assert notes(kernel) == []


def kernel_score() -> float:
    note = notes(kernel_with("Fill in this form"), "skill_matched")[0]
    score = note.fields["candidates"][0]["score"]
    assert 0 < score < 1
    return float(score)


def test_a_task_that_fits_no_skill_is_told_as_well() -> None:
    kernel = kernel_with("Dance")

    assert kernel.texts == ["Dance"]
    assert notes(kernel)[0].fields == {"iteration": 0, "strategy": "metadata", "candidates": [], "chosen": []}
    assert kernel.state.facts.active_skills == ()


def test_while_a_skill_is_active_other_tools_are_refused_and_those_of_the_runtime_are_not() -> None:
    kernel = kernel_with("Fill in this form")

    kernel.reply("", call("shred", "c1"), call("activate_skill", "c2", '{"name": "mail"}'))
    kernel.returned("c2")

    assert kernel.texts[-2] == (
        "DENIED: refused by the skill: `pdf` leaves no `shred`. Allowed tools: `look`. Trying again does not help."
    )
    assert kernel.state.facts.active_skills == ("pdf", "mail")


def test_a_skill_that_the_model_takes_up_is_active_and_its_words_are_the_result_of_the_call() -> None:
    kernel = kernel_with("Dance")
    kernel.reply("", call("activate_skill", "c1", '{"name": "mail"}'))

    kernel.returned("c1", MAIL)

    assert kernel.texts[-1] == MAIL
    assert notes(kernel) == [Note(event="skill_activated", fields={"name": "mail", "by": "model", "allowed_tools": []})]


def test_reading_a_file_of_a_skill_does_not_take_it_up() -> None:
    kernel = kernel_with("Dance", pdf={"folder": "pdf", "body": "B", "description": "Forms"})

    kernel.reply("", call("activate_skill", "c1", '{"name": "pdf", "file": "more.md"}'))
    kernel.returned("c1")

    assert kernel.state.facts.active_skills == ()


def test_a_skill_that_does_not_stick_goes_when_it_fits_no_more_and_comes_back_with_few_words() -> None:
    kernel = kernel_with("Fill in this form", {"sticky": False})

    kernel.give(UserSaid(at=kernel.tick(), text="Write a letter"))
    look(kernel)
    gone = notes(kernel)
    kernel.give(UserSaid(at=kernel.tick(), text="Now the form"))
    look(kernel)

    assert [(note.event, note.fields.get("name")) for note in gone] == [
        ("skill_matched", None),
        ("skill_deactivated", "pdf"),
        ("skill_activated", "mail"),
    ]
    assert [text for text in kernel.texts if "skill" in text] == [
        PDF,
        "The skill `pdf` is no longer active: its instructions do not hold any more.",
        MAIL,
        "The skill `mail` is no longer active: its instructions do not hold any more.",
        "The skill `pdf` is active again: its instructions above hold from now on.",
    ]
    assert kernel.state.facts.active_skills == ("pdf",)


def test_a_skill_that_sticks_stays_whatever_comes() -> None:
    kernel = kernel_with("Fill in this form")

    kernel.give(UserSaid(at=kernel.tick(), text="Write a letter"))
    look(kernel)

    assert kernel.state.facts.active_skills == ("pdf",)


def test_the_files_that_calls_touch_choose_a_skill_for_the_next_turn() -> None:
    kernel = kernel_with("Dance", {"sticky": False}, tests={"prompt": "T", "paths": ["tests/**"]})

    look(kernel, path="tests/a.py")

    assert kernel.state.facts.active_skills == ("tests",)
    assert kernel.texts[-1] == "The skill `tests` is active. Follow it wherever it fits the task.\n\nT"


def test_a_path_in_the_task_chooses_a_skill() -> None:
    kernel = kernel_with("Mend `tests/a.py`.", tests={"prompt": "T", "paths": ["tests/**"]})

    assert kernel.state.facts.active_skills == ("tests",)


def test_no_more_than_so_many_are_chosen_at_a_time() -> None:
    one = kernel_with("A letter about a PDF form")
    two = kernel_with("A letter about a PDF form", {"top_n": 2})

    assert one.state.facts.active_skills == ("pdf",)
    assert two.state.facts.active_skills == ("pdf", "mail")


def test_a_strategy_that_nobody_here_has_falls_back_to_words_and_says_so() -> None:
    kernel = kernel_with("Fill in this form", "embedding")

    assert kernel.state.facts.active_skills == ("pdf",)
    assert notes(kernel)[0].fields["instead_of"] == "embedding"


def test_a_condition_that_fails_is_told_and_matches_nothing() -> None:
    kernel = kernel_with("Dance", x={"prompt": "X", "when": "working_files[0] == 'a'"})

    (told,) = [note for note in kernel.ordered(Note) if note.event == "expression_error"]
    assert (told.fields["place"], told.fields["skill"]) == ("skills.when", "x")
    assert kernel.state.facts.active_skills == ()


def test_what_is_active_is_the_fold_of_the_journal_also_after_a_resume() -> None:
    kernel = kernel_with("Fill in this form", {"sticky": False})
    kernel.reply("", call("activate_skill", "c1", '{"name": "mail"}'))
    kernel.returned("c1", MAIL)
    kernel.give(Resumed(at=kernel.tick(), message="Write a letter"))

    state = initial(kernel.plan)
    for event in kernel.events:
        state, _ = step(kernel.plan, state, event)

    assert state == kernel.state
    assert state.facts.active_skills == ("pdf", "mail")
    assert [message for message in state.transcript if isinstance(message, UserMessage)][-1].text == "Write a letter"


HOOKED: dict[str, Any] = {
    "pdf": {
        "prompt": "Fill fields first.",
        "description": "Fills in PDF forms",
        "allowed_tools": ["shred"],
        "on_activate": [{"tool": "look", "args": {"at": "form"}}, {"tool": "luk"}],
        "on_deactivate": [{"tool": "shred"}],
    }
}


def test_calls_of_a_skill_are_made_before_the_model_is_asked_and_stay_out_of_its_sight() -> None:
    kernel = kernel_with("Fill in this form", **HOOKED)
    (made,) = kernel.ordered(CallTool)
    waiting = kernel.ordered(CallModel)
    kernel.returned("skill_1", "a form")
    results = [note.fields for note in notes(kernel, "tool_result")]

    assert (made.call.name, made.arguments, waiting) == ("look", {"at": "form"}, [])
    assert [(result["name"], result["status"]) for result in results] == [("luk", "unknown_tool")]
    assert kernel.pending(CallModel).turn == 1
    assert "a form" not in " ".join(kernel.texts)
    assert (kernel.state.facts.session.calls, kernel.state.facts.session.successful_tool_names) == (1, ())


def test_its_calls_are_no_way_around_what_it_allows_the_model() -> None:
    kernel = kernel_with("Fill in this form", **HOOKED)
    kernel.returned("skill_1", "a form")

    kernel.reply("", call("look", "skill_1"))

    assert kernel.texts[-1].startswith("DENIED: refused by the skill: `pdf` leaves no `look`")


def test_calls_are_made_when_a_skill_ceases_as_well() -> None:
    match = {"strategy": "expression", "sticky": False}
    kernel = kernel_with("go", match, pdf={**HOOKED["pdf"], "when": "iteration < 1", "on_activate": []})
    kernel.reply("", call("shred"))
    kernel.returned("c1")

    assert [order.call.id for order in kernel.ordered(CallTool)] == ["skill_1"]
    kernel.returned("skill_1")
    assert kernel.pending(CallModel).turn == 2


def test_a_run_that_is_stopped_in_between_goes_on() -> None:
    kernel = kernel_with("Fill in this form", **HOOKED)
    events = list(kernel.events)

    state = initial(kernel.plan)
    for event in events:
        state, orders = step(kernel.plan, state, event)

    assert state == kernel.state
    assert [order.call.id for order in orders if isinstance(order, CallTool)] == ["skill_1"]
