"""answered: the questions to models that a journal has answers to, in their order, as a script needs to know them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agentspec.core.context.view import View
from agentspec.core.events import Consulted, ModelFailed, ModelReplied
from agentspec.core.limits.price import WORKER
from agentspec.core.messages import Failure, Reply
from agentspec.core.orders import CallModel, Consult
from agentspec.core.transcript import Transcript
from agentspec.runtime.journal import AnyRecord


class Question(NamedTuple):
    """A question to a model: who asked it in which role, the last message of it, and what the harness said behind.

    `route` is the number of the worker's route; None: that of the asker's own model, or else the default.
    """

    asker: str
    role: str
    last: str
    harness: str | None = None
    route: int | None = None


def answered(records: Iterable[AnyRecord], transcript: Transcript, view: View) -> Iterator[Question]:
    """The questions that were answered, with a reply or a fault; `transcript` and its `view` are those at the end.

    One that was never put to a model is none: a pot had too little left for it, or its answer was known.
    """
    open_questions: dict[int, Question] = {}
    for record in records:
        match record:
            case CallModel():
                last = view.last_of(transcript, record.length) if record.length else ""
                open_questions[record.id] = Question(WORKER, WORKER, last, record.harness, record.route)
            case Consult(consultation=asked):
                open_questions[record.id] = Question(record.asker, asked.role, asked.packet, route=asked.route)
            case ModelReplied(reply=answer) | ModelFailed(failure=answer):
                question = open_questions.pop(record.order)
                if _was_asked(answer):
                    yield question
            case Consulted():
                question = open_questions.pop(record.order)
                if _was_asked(record.failure or record.reply):
                    yield question
            case _:
                pass


def _was_asked(answer: Reply | Failure | None) -> bool:
    return answer is None or not (answer.is_unsent or (isinstance(answer, Failure) and answer.limit))
