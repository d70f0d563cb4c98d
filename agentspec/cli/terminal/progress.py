"""progress: show a run while it goes on: drawn on a terminal, one plain line a turn elsewhere. Always on stderr."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import IO, Any, Protocol

from agentspec.cli.terminal.advice import advice
from agentspec.runtime.result import LlmUse, Result, ToolUse
from agentspec.text.visible import one_line, visible

EXIT = re.compile(r"exit (\d+|signal \w+)")
MARK = re.compile("^(?:ERROR|DENIED|DEFERRED): ")
STREAMS = ("stderr:", "stdout:")  # heads of what a program printed
WAYS = {"question": "`--answer {}=TEXT`", "tool_result": "`--tool-result {}=JSON`"}  # what else than approvals
BOUNDS = ("execution.limits", "execution.max_", "execution.iteration_budget", "execution.stall")
ASKED_AGAIN = {  # why an answer was not the end, by the kind of what the model is told
    "nudge": "it called nothing and did not say that it is done (`execution.nudge`)",
    "completion_confirmation": "it answered before it had called any tool",
    "fenced_call": "it wrote a call as text",
    "missing_call": "it announced a call and made none",
    "lost_call": "a call could not be read",
    "truncated": "its answer was cut off",
}
WIDTH = 100  # characters of a line that names tools


class Progress(Protocol):
    """Shows the events of a run."""

    def show(self, event: dict[str, Any]) -> None: ...

    def say(self, line: str) -> None: ...

    def begin(self, turn: int) -> None:
        """A run goes on from this turn of its journal; 0 where it is new."""

    def end(self, result: Result, way_on: str) -> None:
        """It has ended; `way_on` is the command that goes on with it."""


class Counts:
    """What the lines tell: the turn, the tools, tokens, cost, time."""

    def __init__(self) -> None:
        self.turn = 0
        self.tokens = 0
        self.tools: list[str] = []
        self.failure: str | None = None  # the last one that was told
        self.began: float | None = None
        self.now = 0.0

    def take(self, event: dict[str, Any]) -> None:
        self.began = event["ts"] if self.began is None else self.began
        self.now = event["ts"]
        match event["kind"]:
            case "turn_started":
                self.turn = event["turn"]
                self.tools = []
            case "model_call" if event["error_class"] is not None:
                self.failure = event["error"]
            case "model_call":
                self.tokens += event["tokens"].get("input_tokens", 0) + event["tokens"].get("output_tokens", 0)
                self.tools = list(event.get("calls", ()))  # a model that is asked beside the run calls nothing
            case _:
                pass

    @property
    def seconds(self) -> float:
        return self.now - (self.began or self.now)


class Quiet:
    """Says nothing but how a run that is not done ended."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def show(self, event: dict[str, Any]) -> None:
        """Nothing."""

    def say(self, line: str) -> None:
        """Nothing."""

    def begin(self, turn: int) -> None:
        """Nothing."""

    def end(self, result: Result, way_on: str) -> None:
        if result.status != "done":
            print(visible(ending(result, way_on)), file=self.stream)


class Lines:
    """One plain line a turn."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.counts = Counts()

    def show(self, event: dict[str, Any]) -> None:
        self.counts.take(event)
        line = describe(event, self.counts)
        if line is not None:
            self.say(one_line(line))

    def say(self, line: str) -> None:
        print(visible(line), file=self.stream, flush=True)

    def begin(self, turn: int) -> None:
        self.counts.turn = turn

    def end(self, result: Result, way_on: str) -> None:
        self.say(ending(result, way_on, self.counts.failure))


def describe(event: dict[str, Any], counts: Counts) -> str | None:
    """The line of an event, where it has one."""
    match event["kind"]:
        case "model_call" if event["error_class"] is not None:
            on = f" ({event['label']})" if event.get("label") else ""
            return f"turn {counts.turn}: {event['error_class']}{on}: {event['error']}"
        case "model_call":
            what = event.get("asker") or ", ".join(counts.tools) or "answer"
            what = what if len(what) <= WIDTH else f"{what[:WIDTH]}…"
            held = event.get("held_ms") and f"{event['route']} let nothing else run for {event['held_ms']} ms"
            told = (f"turn {counts.turn}: {what}", event.get("label"), f"{counts.tokens} tokens", held)
            return " · ".join(filter(None, (*told, f"{counts.seconds:.1f} s")))
        case "tool_result" if event["status"] not in ("ok", "skipped"):
            why = MARK.sub("", event["text"])  # the mark is for the model
            why = reason(why) if event["status"] != "unknown_outcome" else why  # an advice is told whole
            return f"turn {counts.turn}: {event['name']} {event['status']}: {why}"
        case "feedback_composed":
            causes = [words for kind, words in ASKED_AGAIN.items() if kind in event["kinds"]]
            return f"turn {counts.turn}: asked again: {causes[0]}" if causes else None
        case "provider_tool_call":
            return f"turn {counts.turn}: {event['name']} {event['status']}, at the provider"
        case "judge_decision" if event["verdict"] != "done":
            words = " ".join(event["detail"].split())
            return f"turn {counts.turn}: not accepted by {event['judge']}: {first_line(words)}"
        case "limit_reached":
            return f"limit reached: {event['place'] or event['limit']}"
        case "compacted":
            return f"turn {counts.turn}: {compaction(event)}"
        case "window_lowered" | "window_restored" if event["window"] is not None:
            return f"turn {counts.turn}: the window has {event['window']} tokens, as its {event['by']} tells"
        case "loop_control_decision":
            return f"turn {counts.turn}: {budget_decision(event)}"
        case "progress_reported" if "seconds" in event:  # of a command
            said = first_line(" ".join(event["text"].split("\n")[-2:]).strip())
            newest = f": {said}" if said else ""
            return f"turn {counts.turn}: {event['name']} has run for {event['seconds']:.0f} s{newest}"
        case "progress_reported":
            done = "" if event.get("percent") is None else f" ({event['percent']:g} %)"
            return f"turn {counts.turn}: {event['message']}{done}"
        case "approval_decided":
            said = "refused" if event["decision"] == "deny" else "approved"
            return f"turn {counts.turn}: {event['name']} ({event['call_id']}) {said}"
        case _:
            return None


def budget_decision(decision: dict[str, Any]) -> str:
    """A decision of the iteration budget in words.

    >>> budget_decision({"action": "rescue", "status": None, "reason": "repeated_call", "new_limit": 5})
    'repeated call: it is not run again, one more turn is granted (5 turns at most)'
    """
    if decision["status"] is not None:
        return f"a rule ends the run: {decision['status']} ({decision['reason']})"
    if decision["action"] == "rescue":
        most = f"{counted(decision['new_limit'], 'turn')} at most"
        return f"{decision['reason'].replace('_', ' ')}: it is not run again, one more turn is granted ({most})"
    what = f"{decision['action'].replace('_', ' ')}: {decision['reason'].replace('_', ' ')}"
    return f"up to {counted(decision['new_limit'], 'turn')}, {decision['old_limit']} before ({what})"


def compaction(event: Mapping[str, Any]) -> str:
    """What a compaction has done, in a line."""
    what = f"{counted(event['messages'], 'message')} in short ({event['strategy']})"
    return f"{what}: {event['tokens_before']} tokens before, {event['tokens_after']} tokens after"


def ending(result: Result, way_on: str, told: str | None = None) -> str:
    """The last line: how and why the run ended, and what it took. A failure that was `told` is not told again."""
    line = f"{result.status} ({result.stop_reason}) after {effort(result.llm, result.tools)}"
    if result.error is not None:
        said = None if result.error.message == told else visible(result.error.message)
        line += "".join(f"\n  {each}" for each in (said, advice(result.error)) if each)
    if result.stopped_by is not None:
        line += f"\n  {ended_by(result.stopped_by['limit'])}{_stands(result.stopped_by)}"
    for pending in (result.handle or {}).get("pending", ()):
        line += f"\n  {one_line(waiting(pending))}"
    if result.status in ("interrupted", "suspended"):
        line += f"\n  go on with: {way_on}"
    return line


def ended_by(place: str) -> str:
    """Which line of a spec ended a run: what counts is a bound, what says so a rule.

    >>> ended_by("execution.limits.tokens"), ended_by("execution.post_turn[1]")
    ('the bound is `execution.limits.tokens`', 'the rule is `execution.post_turn[1]`')
    """
    is_bound = place.startswith(BOUNDS) or place.endswith(".max_invocations")
    return f"the {'bound' if is_bound else 'rule'} is `{place}`"


def waiting(pending: dict[str, Any]) -> str:
    """A call that waits for a person or a program, in a line."""
    arguments = json.dumps(pending.get("arguments"), ensure_ascii=False)
    shown = arguments if len(arguments) <= WIDTH else f"{arguments[:WIDTH]}…"
    why = f" ({pending['reason']})" if pending.get("reason") else ""
    way = WAYS.get(pending.get("what", ""), "`--approve {}=allow` or `=deny`").format(pending.get("call_id"))
    return f"waits for {way}: {pending.get('name')} {shown}{why}"


def effort(llm: LlmUse, tools: ToolUse) -> str:
    """What a run took, in words."""
    tokens = counted(llm.input_tokens + llm.output_tokens, "token")
    beside = f" and what `{'`, `'.join(llm.unpriced_tools)}` cost" if llm.unpriced_tools else ""
    cost = "" if llm.cost_usd is None else f", ${llm.cost_usd:.4f}{beside}"
    share = llm.prefix_share if llm.iterations > 1 else None  # a call that is only made again says nothing
    kept = "" if share is None else f", prefix {100 * share:.3g} %"
    return f"{counted(llm.iterations, 'turn')}, {counted(len(tools.calls), 'tool call')}, {tokens}{cost}{kept}"


def _stands(bound: Mapping[str, Any]) -> str:
    """Where a bound stands, as far as the author wrote it."""
    parts = [visible(str(bound[name])) for name in ("file", "line") if name in bound]
    return f" ({':'.join(parts)})" if parts else ""


def counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def reason(text: str) -> str:
    """Why a call failed, in a line: an exit code alone says nothing, so what was printed comes with it."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and line not in STREAMS]
    return first_line(": ".join(lines[:2]) if EXIT.fullmatch(lines[0]) else lines[0]) if lines else ""


def first_line(text: str) -> str:
    line = text.partition("\n")[0]
    return line if len(line) <= WIDTH else f"{line[:WIDTH]}…"
