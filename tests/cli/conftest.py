"""The program as tests call it: in this process, or as a process of its own."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from agentspec.cli.main import main

ROOT = Path(__file__).parents[2]


class Done(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def agentspec(capsys, tmp_path, monkeypatch):
    """Call the program with these words, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> Done:
        code = main(words)
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture
def process(tmp_path):
    """Run Python with these words as a process of its own, in a folder of its own."""

    def run(*words: str, **variables: str) -> Done:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
        done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, env=environment, check=False)
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run
