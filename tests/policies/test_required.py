"""Given tools and files that a run must bring, when it proposes to be done, then it goes on, ends, or ends unverified."""

from typing import Any

from agentspec.core.orders import Ask, CallModel, Note, Outcome
from agentspec.spec.prompts import built_in
from agentspec.testing.kernel import Kernel, call, plan_for, tool

PATHS = ["out/report.md", "../secret", "log.txt"]
NO_FILES, NO_TOOLS = built_in("gate.artifacts"), built_in("gate.tools")


def kernel_with(**execution: Any) -> Kernel:
    tools = [tool(name) for name in ("look", "find", "list")]
    kernel = Kernel(plan_for({"execution": execution}, *tools))
    kernel.start("go")
    return kernel


def acts(kernel: Kernel, name: str, call_id: str, text: str = "", **fields: Any) -> None:
    kernel.reply(text, call(name, call_id))
    kernel.returned(call_id, **fields)


def told(kernel: Kernel) -> str | None:
    order: CallModel = kernel.ordered(CallModel)[0]
    return order.harness


def test_a_loop_goes_on_until_one_tool_of_each_group_has_succeeded() -> None:
    kernel = kernel_with(loop_until_done=True, require_successful_tools=["look", ["find", "list"]])

    kernel.reply("Done!")
    assert told(kernel) == NO_TOOLS.format(missing="`look` and `find` or `list`")
    assert kernel.state.facts.session.required_tools_missing == ("look", "find | list")
    acts(kernel, "list", "c1")
    acts(kernel, "look", "c2", status="error")
    kernel.reply("Done now!")
    assert told(kernel) == NO_TOOLS.format(missing="`look`")
    acts(kernel, "look", "c3")
    kernel.reply("Really done.")

    assert kernel.outcome == Outcome("done", "required_tools_satisfied")


def test_what_is_missing_is_told_as_a_decision() -> None:
    kernel = kernel_with(loop_until_done=True, require_successful_tools=["look"])

    kernel.reply("Done!")

    words = NO_TOOLS.format(missing="`look`")
    told_of = [note.fields for note in kernel.ordered(Note) if note.event == "judge_decision"]
    assert told_of == [{"judge": "require_successful_tools", "turn": 1, "verdict": "continue", "detail": words}]


def test_a_run_that_does_not_go_on_ends_failed_where_a_tool_is_missing() -> None:
    kernel = kernel_with(require_successful_tools=["look"])

    kernel.reply("Done!")

    place, detail = "execution.require_successful_tools", "`look` did not succeed in this run"
    assert kernel.outcome == Outcome("failed", "required_tools_missing", place=place, detail=detail)


def test_a_bound_keeps_its_own_status_while_tools_are_missing() -> None:
    kernel = kernel_with(
        loop_until_done=True,
        wrap_up=False,
        max_iterations=1,
        iteration_budget="fixed",
        require_successful_tools=["look"],
    )

    kernel.reply("Done!")

    assert kernel.outcome.status == "budget_exhausted"
    assert kernel.state.facts.session.required_tools_missing == ("look",)


def test_the_gates_send_a_run_back_twenty_times_at_most() -> None:
    kernel = kernel_with(loop_until_done=True, max_iterations=30, require_successful_tools=["look"])

    for _ in range(21):
        kernel.reply("Done!")

    assert (kernel.outcome.status, kernel.outcome.reason) == ("completion_unverified", "verify_attempts_exhausted")
    assert kernel.state.facts.vetoes == 20


def test_the_success_of_a_tool_ends_the_run() -> None:
    kernel = kernel_with(stop_after_successful_tools=["find"])

    acts(kernel, "look", "c1")
    acts(kernel, "find", "c2", status="error")
    acts(kernel, "find", "c3", "Found.")

    assert kernel.outcome == Outcome("done", "stop_after_tool", place="execution.stop_after_successful_tools[0]")
    assert kernel.state.facts.text == "Found."


def test_a_tool_that_ends_the_run_still_has_to_pass_the_gates() -> None:
    kernel = kernel_with(loop_until_done=True, stop_after_successful_tools=["find"], require_successful_tools=["look"])

    acts(kernel, "find", "c1")
    assert told(kernel) == NO_TOOLS.format(missing="`look`")
    kernel.reply("", call("look", "c2"), call("find", "c3"))
    kernel.returned("c2")
    kernel.returned("c3")

    assert kernel.outcome == Outcome("done", "stop_after_tool", place="execution.stop_after_successful_tools[0]")


def looked(kernel: Kernel, **found: str) -> None:
    assert kernel.ordered(Ask)[0].who == "files"
    assert kernel.ordered(Ask)[0].question == PATHS
    kernel.answered({"out/report.md": "missing", "../secret": "unverifiable", "log.txt": "present"} | found)


def test_a_missing_file_is_asked_for_once_and_then_the_run_ends_unverified() -> None:
    kernel = kernel_with(loop_until_done=True, require_artifacts=PATHS)

    kernel.reply("Written.")
    looked(kernel)
    assert told(kernel) == NO_FILES.format(missing="`out/report.md`")
    kernel.reply("It is there.")
    looked(kernel)

    assert kernel.outcome == Outcome(
        "completion_unverified",
        "artifact_missing",
        place="execution.require_artifacts",
        detail="`out/report.md` does not exist",
    )


def test_a_file_that_cannot_be_looked_at_holds_nobody_up_and_is_told() -> None:
    kernel = kernel_with(require_artifacts=PATHS)

    kernel.reply("Written.")
    looked(kernel, **{"out/report.md": "present"})

    assert kernel.outcome == Outcome("done", "completed")
    assert kernel.state.facts.artifacts is not None
    assert kernel.state.facts.artifacts.present == ("out/report.md", "log.txt")
    assert kernel.state.facts.artifacts.unverifiable == ("../secret",)


def test_files_are_also_looked_for_where_a_bound_ends_the_run() -> None:
    kernel = kernel_with(wrap_up=False, max_iterations=1, require_artifacts=PATHS)

    acts(kernel, "look", "c1")
    looked(kernel)

    assert kernel.outcome.reason == "max_iterations"
    assert kernel.state.facts.artifacts is not None
    assert kernel.state.facts.artifacts.missing == ("out/report.md",)


def test_an_answer_of_another_shape_confirms_no_file() -> None:
    kernel = kernel_with(require_artifacts=["a"])

    kernel.reply("Written.")
    kernel.answered(["present"])

    assert kernel.state.facts.artifacts is not None
    assert kernel.state.facts.artifacts.unverifiable == ("a",)


def test_words_propose_the_end_once_the_required_tools_have_succeeded_also_without_the_word_for_it() -> None:
    kernel = kernel_with(loop_until_done=True, done_sentinel="##END##", require_successful_tools=["look"])

    acts(kernel, "look", "c1")
    kernel.reply("It is a book.")

    assert kernel.outcome == Outcome("done", "required_tools_satisfied")
