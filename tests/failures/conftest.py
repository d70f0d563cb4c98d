"""The world of the failures as a fixture."""

import pytest

from tests.failures.whole import World


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim-0123456789")
    return World(tmp_path)
