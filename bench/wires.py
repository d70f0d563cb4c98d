"""wires: what each protocol costs the project's adapter: a turn of 10, 100 and 1 000, and a piece of a stream.

`python bench/wires.py [--rounds 3]` prints the table of docs/performance.md; with `--wire NAME` it does the work of
one, as its own child.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median

from adapter import Adapter
from run import model_server
from work import MODEL, main

from agentspec.adapters.models.registry import make_model
from agentspec.ports import Model, ModelSettings

WIRES = ("openai", "openai_responses", "anthropic", "google", "ollama")
LOADS = ("--turns=10", "--turns=100", "--turns=1000", "--chunks=2000")
KEYS = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"), "bench")


class OneWire(Adapter):
    """The adapter in another protocol; a provider that adds its own version is given the address before it."""

    def __init__(self, provider: str) -> None:
        self.provider = provider

    def model(self, base_url: str) -> Model:
        url = base_url if self.provider.startswith("openai") else base_url.removesuffix("/v1")
        return make_model(ModelSettings(provider=self.provider, model=MODEL, base_url=url), KEYS, self.client)


def measured(wire: str, load: str, port: int) -> float:
    """One figure of a child that does this work."""
    child = [sys.executable, __file__, f"--wire={wire}", f"--port={port}", load]
    done = subprocess.run(child, capture_output=True, check=True)
    figures = json.loads(done.stdout)
    return float(next(iter(figures.values())))


def table(rounds: int) -> None:
    """Measure all, the wires taking turns, and print."""
    figures: dict[tuple[str, str], list[float]] = {}
    with model_server() as port:
        for _ in range(rounds):
            for load in LOADS:
                for wire in WIRES:
                    figures.setdefault((wire, load), []).append(measured(wire, load, port))
    print("| protocol | 10 turns: ms a turn | 100 | 1 000 | stream: µs a piece |\n| --- | ---: | ---: | ---: | ---: |")
    for wire in WIRES:
        cells = [median(figures[wire, load]) for load in LOADS]
        print(f"| {wire} | " + " | ".join(f"{cell:.3f}" for cell in cells[:3]) + f" | {cells[3]:.1f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--wire")
    parser.add_argument("--rounds", type=int, default=3)
    asked, rest = parser.parse_known_args()
    if asked.wire:
        sys.argv = [str(Path(__file__).name), *rest]
        main(OneWire(asked.wire))
    else:
        table(asked.rounds)
