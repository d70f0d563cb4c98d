"""generate: schema.json is what the models say."""

from __future__ import annotations

from agentspec.spec import generate


def test_the_schema_file_is_fresh():
    assert generate.TARGET.read_text(encoding="utf-8") == generate.text()
