"""What a check says of the view that a model gets of its conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentspec.api.check import check

AGE = {"when": "message.age > 9", "drop": True}


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"context": {"filter": [AGE]}}, [("AS719", "context.filter[0].when")]),
        ({"context": {"projection": [AGE]}}, [("AS719", "context.projection[0].when")]),
        ({"context": {"filter": [{"when": "message.age > 9", "keep": True}, {"drop": True}]}}, []),
        ({"context": {"reminders": ["a", {"text": "b", "every": 6}]}}, [("AS720", "context.reminders[1].every")]),
        ({"context": {"reminders": [{"text": "b", "every": 5}]}}, []),
        ({"context": {"scratchpad": {"reorganize_every": 5}}}, [("AS720", "context.scratchpad.reorganize_every")]),
        ({"context": {"scratchpad": {"reorganize_every": 4}}}, []),
        ({"context": {"instructions_files": ["no.md"]}}, [("AS711", "context.instructions_files[0]")]),
        ({"context": {"instructions_files": "auto"}}, []),
        ({"context": {"scratchpad": {"max_size": "17KiB"}}}, [("AS721", "context.scratchpad.max_size")]),
        (
            {"context": {"scratchpad": {"max_size": "20B", "goals": ["far too long"]}}},
            [("AS721", "context.scratchpad")],
        ),
        ({"context": {"scratchpad": {"max_size": "16KiB", "goals": ["fits"]}}}, []),
        ({"model": {"provider": "openai", "prompt_cache": {"ttl": "1h"}}}, [("AS812", "model.prompt_cache")]),
        ({"model": {"provider": "anthropic", "prompt_cache": {"ttl": "1h"}}}, []),
        ({"model": {"provider": "openai", "prompt_cache": "auto"}}, []),
    ],
)
def test_a_view_that_costs_or_never_comes_is_told(tmp_path: Path, values: dict[str, Any], found: list) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"name": "x", "execution": {"max_iterations": 5}, **values}))

    assert [(one.code, one.path) for one in check(path).diagnostics] == found


def test_a_misspelt_field_of_a_message_and_a_rule_of_the_wrong_type_are_told_at_check_time(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(
        "name: x\ncontext:\n  filter:\n"
        "    - {when: message.rol == 'tool', drop: true}\n"
        "    - {when: message.tokens, drop: true}\n"
    )

    assert [(one.code, one.span.text) for one in check(path).diagnostics] == [
        ("AS303", "rol"),
        ("AS307", "message.tokens"),
    ]
