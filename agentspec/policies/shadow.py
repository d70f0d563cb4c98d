"""shadow: which requests a second model is asked as well, for comparison. Nothing that it says is used.

The draw is made from the run's id and the number of the request, so that a replay mirrors the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.facts import Facts
from agentspec.core.policy import Policy, Stage
from agentspec.core.proposals import Proposal, Think
from agentspec.core.rulings import PASS, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

PLACE = "model.shadow"


class Shadow(Policy[None], frozen=True):
    """The share of requests that is mirrored; last words are not, and none that would not fit the limits twice."""

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 6  # before limits, which make room for two
    claims: ClassVar = (PLACE,)
    reviews: ClassVar = (Think,)

    share: float

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        share = settings.number(f"{PLACE}.sample")
        return None if settings.get(PLACE) is None else cls(share=1.0 if share is None else share)

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Think) or proposal.is_last or proposal.is_mirrored:
            return PASS
        drawn = hashlib.sha256(f"{facts.run_id}/{proposal.turn}/{proposal.attempt}".encode()).digest()
        is_drawn = int.from_bytes(drawn[:4]) / 2**32 < self.share
        return Rewrite(replace(proposal, is_mirrored=True)) if is_drawn else PASS
