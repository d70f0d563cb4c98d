"""The tool that reads on in large results: shown when there is something to read, for what the run was told of."""

from agentspec.core.events import RunStarted
from agentspec.core.messages import ToolMessage, UserMessage
from agentspec.core.orders import CallModel
from agentspec.testing.kernel import Kernel, call, plan_for, tool

LOOK = tool("look")
READ = tool("read_output", kind="runtime", is_late=True)
ONE, TWO = "1" * 64, "2" * 64


def kernel() -> Kernel:
    kernel = Kernel(plan_for({}, LOOK, READ))
    kernel.start("go")
    return kernel


def shown(kernel: Kernel) -> tuple[str, ...] | None:
    """The tools of the newest request; None stands for those of the spec."""
    tools: tuple[str, ...] | None = kernel.pending(CallModel).tools
    return tools


def test_it_is_shown_from_the_turn_after_the_first_cut_and_stays() -> None:
    run = kernel()
    before = shown(run)
    run.reply("", call("look"))
    run.returned("c1", "short")
    between = shown(run)
    run.reply("", call("look", "c2"))
    run.returned("c2", "cut", truncated=True, artifact=ONE)
    after = shown(run)
    run.reply("", call("look", "c3"))
    run.returned("c3", "whole")

    assert (before, between, after, shown(run)) == (None, None, ("look", "read_output"), ("look", "read_output"))
    assert run.state.facts.late_tool_bytes > 0


def test_a_search_that_hides_tools_does_not_show_it() -> None:
    deep = tool("deep", is_deferred=True)
    values = {"capability": {"tool_search": "bm25"}}
    run = Kernel(plan_for(values, LOOK, deep, tool("search_tools", kind="runtime"), READ))
    run.start("go")
    before = shown(run)
    run.reply("", call("look"))
    run.returned("c1", "cut", truncated=True, artifact=ONE)

    assert (before, shown(run)) == (("look", "search_tools"), ("look", "search_tools", "read_output"))


def test_files_that_a_result_brought_can_be_read_as_well() -> None:
    run = kernel()
    run.reply("", call("look"))
    run.returned("c1", "an image", data={"artifacts": [{"artifact": ONE}, {"artifact": "no id"}, 3]})
    run.reply(
        "", call("read_output", "c2", f'{{"artifact": "{ONE}"}}'), call("read_output", "c3", f'{{"artifact": "{TWO}"}}')
    )

    assert run.returned("c2", "its bytes") is None
    assert run.texts[-1] == f"ERROR: this run has no output `{TWO}`; the newest is `{ONE}`"


def test_a_conversation_that_goes_on_shows_it_from_the_start() -> None:
    run = Kernel(plan_for({}, LOOK, READ))
    told = ToolMessage(
        call_id="c", name="look", text=f'[… cut …; read the rest with `read_output(artifact="{ONE}")` …]'
    )
    opening = (UserMessage(text="a"), told, UserMessage(text="b"))

    run.give(RunStarted(at=1.0, run_id="r", session_id="s", opening=opening, spec_name="n", spec_hash="0"))

    assert shown(run) == ("look", "read_output")
