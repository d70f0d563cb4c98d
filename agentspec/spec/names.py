"""names: words that people bring from other systems, and what they are called here. A table, no code.

`KEYS` maps a foreign key to the places where it stands here, the likeliest first; `WORDS` maps foreign values of a key.
"""

from __future__ import annotations

from typing import Final

KEYS: Final[dict[str, tuple[str, ...]]] = {
    # how long it may work
    "max_turns": ("execution.max_iterations",),
    "maxTurns": ("execution.max_iterations",),
    "max_steps": ("execution.max_iterations",),
    "maxSteps": ("execution.max_iterations",),
    "max_iter": ("execution.max_iterations",),
    "max_iters": ("execution.max_iterations",),
    "maxIterations": ("execution.max_iterations",),
    "max_tool_iterations": ("execution.max_iterations",),
    "maxToolIterations": ("execution.max_iterations",),
    "max_loops": ("execution.max_iterations",),
    "max_rounds": ("execution.max_iterations",),
    "recursion_limit": ("execution.max_iterations",),
    "step_limit": ("execution.max_iterations",),
    "iterations": ("execution.max_iterations",),
    "steps": ("execution.max_iterations",),
}
WORDS: Final[dict[str, dict[str, str]]] = {}
