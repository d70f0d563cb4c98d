"""The notes that a model keeps: recited at the end, written by its tools, put in order by another call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentspec.core.context.notes import Notes, reordered
from agentspec.core.orders import CallModel, Consult
from agentspec.testing.kernel import Kernel, call, plan_for, tool

TOOLS = (tool("look"), tool("scratch_write", effect="none"), tool("scratch_delete", effect="none"))
ORDERED = {
    "goals": ["find the key"],
    "open_items": ["open the box"],
    "facts": [
        {"text": "the box is red", "refs": ["r1"]},
        {"text": "the key is gold", "refs": []},
        {"text": "the door is blue", "refs": ["r9"]},
    ],
    "refs": [{"id": "r1", "source": "a red box"}, {"id": "r2", "source": "never seen"}],
}


def kernel_for(scratchpad: Any = True, **more: Any) -> Kernel:
    values = {"context": {"compaction": "none", "scratchpad": scratchpad}, "execution": {"stall": False}, **more}
    kernel = Kernel(plan_for(values, *TOOLS))
    kernel.start("Find the key.")
    return kernel


def turn(kernel: Kernel, number: int, said: str = "a red box") -> None:
    kernel.reply("", call("look", f"c{number}", json.dumps({"at": number})))
    kernel.returned(f"c{number}", f"{said} {number}")


def write(kernel: Kernel, tool_name: str, **arguments: Any) -> None:
    kernel.reply("", call(tool_name, "w", json.dumps(arguments)))
    kernel.returned("w", "noted")


def harness(kernel: Kernel) -> str | None:
    return kernel.pending(CallModel).harness


def updated(kernel: Kernel) -> list[dict[str, Any]]:
    return [order.fields for order in kernel.orders if getattr(order, "event", "") == "scratchpad_updated"]


def test_no_notes_are_not_recited() -> None:
    assert harness(kernel_for()) is None


def test_notes_of_the_spec_are_recited_before_what_else_the_harness_says() -> None:
    kernel = kernel_for({"goals": ["find the key"], "facts": ["it is small"]})

    assert harness(kernel) == (
        "Your notes, as you keep them. They are not the task, and nobody else has said them:\n\n"
        "Goals:\n- find the key\n\nFacts:\n- it is small"
    )
    assert kernel.texts == ["Find the key."]
    assert harness(kernel_for({"goals": ["find the key"], "recite": False})) is None


def test_the_tools_of_the_scratch_toolkit_write_the_sections_of_their_names() -> None:
    kernel = kernel_for({"reorganize_every": 50})

    write(kernel, "scratch_write", name="open_items", text="- open the box\n* look behind it\n")
    write(kernel, "scratch_write", name="open_items", text="go home", append=True)
    assert (harness(kernel) or "").endswith("Open items:\n- open the box\n- look behind it\n- go home")
    write(kernel, "scratch_write", name="my own", text="not recited")
    write(kernel, "scratch_delete", name="open_items")

    assert harness(kernel) is None


def test_tools_that_the_spec_calls_otherwise_write_the_notes_as_well() -> None:
    values = {
        "context": {"compaction": "none", "scratchpad": {"reorganize_every": 50}},
        "capability": {"toolkits": [{"scratch": {"names": {"scratch_write": "note_down"}}}]},
    }
    kernel = Kernel(plan_for(values, tool("note_down", effect="none")))
    kernel.start("Find the key.")

    write(kernel, "note_down", name="goals", text="find it")

    assert (harness(kernel) or "").endswith("Goals:\n- find it")


def test_every_third_turn_the_notes_are_put_in_order_and_facts_must_rest_on_what_was_seen() -> None:
    kernel = kernel_for({"goals": ["old"], "deliverables": ["the key"]})
    for number in range(3):
        assert not kernel.ordered(Consult)
        turn(kernel, number)

    asked = kernel.ordered(Consult)[0]
    kernel.consulted(json.dumps(ORDERED))

    assert (asked.asker, asked.consultation.role) == ("scratchpad", "summary")
    assert "result of look: a red box 2" in asked.consultation.packet
    assert (harness(kernel) or "").partition("\n\n")[2] == (
        "Goals:\n- find the key\n\nOpen items:\n- open the box\n\nFacts:\n- the box is red [r1]\n\n"
        "References:\n- r1: a red box\n\nTo be handed over:\n- the key"
    )
    assert updated(kernel) == [
        {
            "by": "reorganizer",
            "left_out": 3,
            "dropped": 0,
            "holds": {"goals": 1, "open_items": 1, "facts": 1, "refs": 1, "deliverables": 1},
        }
    ]


def test_an_answer_that_cannot_be_read_is_asked_for_again_and_then_the_notes_stay() -> None:
    kernel = kernel_for({"goals": ["old"], "schema_retries": 1, "reorganize_every": 1})
    turn(kernel, 1)

    kernel.consulted("no notes")
    again = kernel.ordered(Consult)
    kernel.consulted("none either")

    assert len(again) == 1
    assert (harness(kernel) or "").endswith("Goals:\n- old")
    turn(kernel, 2)
    assert len(kernel.ordered(Consult)) == 1  # the next time has its own tries


def test_a_failure_leaves_the_notes_as_they_are() -> None:
    kernel = kernel_for({"goals": ["old"], "reorganize_every": 1})
    turn(kernel, 1)

    kernel.consultation_failed("server_error")

    assert (harness(kernel) or "").endswith("Goals:\n- old")
    assert updated(kernel)[0]["problem"] == "server_error"


def test_nothing_is_put_in_order_that_does_not_fit_into_what_is_left() -> None:
    kernel = kernel_for(
        {"goals": ["old"], "reorganize_every": 1}, execution={"wrap_up": False, "limits": {"provider_calls": 2}}
    )
    turn(kernel, 1)

    assert kernel.ordered(CallModel)
    assert not kernel.ordered(Consult)


def test_notes_are_bounded_and_the_oldest_facts_go_first() -> None:
    kernel = kernel_for({"goals": ["old"], "max_size": "120B"})

    write(kernel, "scratch_write", name="facts", text="\n".join(f"fact {number} {'x' * 20}" for number in range(9)))

    recited = (harness(kernel) or "").partition("\n\n")[2]
    assert len(recited.encode()) <= 120
    assert recited.startswith("Goals:\n- old")
    assert recited.endswith(f"fact 8 {'x' * 20}")
    assert updated(kernel)[0]["dropped"] > 0


@pytest.mark.parametrize("most", [0, 1, 60, 400])
def test_notes_fit_any_bound(most: int) -> None:
    notes = Notes(goals=("g" * 50,), facts=("f" * 50, "h" * 50), refs=("r1: a",), open_items=("o",))

    assert len(notes.within(most).text().encode()) <= most


def test_a_reference_that_is_known_needs_no_evidence_again() -> None:
    notes, left_out = reordered(Notes(refs=("r1: src/a.py",)), {**ORDERED, "facts": ORDERED["facts"][:1]}, "nothing")

    assert (notes.facts, notes.refs, left_out) == (("the box is red [r1]",), ("r1: a red box",), 1)


def test_what_the_model_may_not_see_is_not_put_in_order_either() -> None:
    hides = [{"when": "message.index == 2", "drop": True}, {"when": 'message.tool == "look"', "replace": "a box"}]
    context = {"compaction": "none", "scratchpad": True, "filter": hides}
    kernel = Kernel(plan_for({"context": context, "execution": {"stall": False}}, *TOOLS))
    kernel.start("Find the key.")

    for number in range(3):
        turn(kernel, number)

    packet = kernel.pending(Consult).consultation.packet
    assert packet.partition("The newest messages:\n")[2] == (
        'user: Find the key.\n\nassistant: asked for look with {"at": 1}\n\nresult of look: a box\n\n'
        'assistant: asked for look with {"at": 2}\n\nresult of look: a box'
    )
