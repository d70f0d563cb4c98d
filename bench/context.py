"""context: what it costs to plan a compaction, and how true estimates of tokens are.

`python bench/context.py [--rounds 7]`. A plan is what the kernel does when a compaction is due: which messages, their
digest, and the question for the summariser. The tokens of messages are counted once, while a run goes on, and so before
the clock runs here. CPU time, medians of the rounds. Estimates are held to the vocabularies of `bpe-openai`.
"""

from __future__ import annotations

import argparse
import json
import time
from statistics import median

from agentspec.core.context.compacting import Compacted, Planned, Strategy, strategy_of
from agentspec.core.context.counted import Counted
from agentspec.core.context.summary import material_of, question
from agentspec.core.context.view import View
from agentspec.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from agentspec.core.proposals import Think
from agentspec.core.transcript import Transcript
from agentspec.spec.settings import Settings

LARGE, SMALL = 10_000, 1_000
KINDS = ("prose", "code", "json", "chinese", "emoji")
VOCABULARIES = ("o200k_base", "cl100k_base")
TEXT = "The reeds stand tall, the water is still, and nobody is here. " * 4


def conversation(messages: int) -> Transcript:
    """A task, then calls with their results."""
    said: list[Message] = [UserMessage(text="Find the heron.")]
    for number in range((messages - 1) // 2):
        call = ToolCall(id=f"c{number}", name="look", arguments=f'{{"page": {number}}}')
        said += [AssistantMessage(calls=(call,)), ToolMessage(call_id=call.id, name="look", text=f"{number}: {TEXT}")]
    return Transcript(said)


def planned(strategy: Strategy, think: Think) -> Planned:
    """A compaction is planned, and the question for its summary made."""
    plan = strategy.planned(Compacted(), think, 0.0)
    assert plan is not None
    question(strategy.keeping.system, material_of(think, plan.fold, "Find the heron.", ""), 128_000, None)
    return plan


def seconds(messages: int, rounds: int) -> float:
    """CPU seconds of one plan over so many messages."""
    transcript = conversation(messages)
    window = round(transcript.tokens)
    strategy = strategy_of(Settings({"model": {"context_window": window, "max_output_tokens": 1}}))
    think = Think(turn=1, transcript=transcript, view=View(fixed=frozenset((0,))), shown=transcript)
    spent = []
    for _ in range(rounds + 1):
        before = time.process_time()
        planned(strategy, think)
        spent.append(time.process_time() - before)
    return median(spent[1:])


def deviation(kind: str, vocabulary: str) -> float:
    """How far the estimate of a second request is from its count, when the first was counted."""
    import bpe_openai  # noqa: PLC0415 - of the development tools

    from tests.core.texts import pieces  # noqa: PLC0415

    encoding = bpe_openai.get_encoding(vocabulary)

    def counted(transcript: Transcript) -> int:
        return sum(len(encoding.encode_ordinary(message.text)) + 4 for message in transcript)

    first, second = (Transcript([UserMessage(text=text) for text in pieces(kind, turns)]) for turns in (6, 12))
    known = Counted().after("m", first.tokens, counted(first))
    return known.expected(second.tokens) / counted(second) - 1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    large, small = seconds(LARGE, rounds), seconds(SMALL, rounds)
    worst = max(abs(deviation(kind, vocabulary)) for kind in KINDS for vocabulary in VOCABULARIES)
    figures = {"plan_10000_ms": large * 1000, "plan_10000_to_1000": large / small, "worst_estimate": worst}
    print(json.dumps({name: round(figure, 3) for name, figure in figures.items()}))


if __name__ == "__main__":
    main()
