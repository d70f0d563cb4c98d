"""__main__: the program, `agentspec` and `python -m agentspec`. Signals are settled before all else is imported."""

import gc

from agentspec.cli.terminal.stopping import end_on_signals

# New objects between two looks for garbage: more than a run has made when it begins. Nearly all that a command makes
# lives as long as it does.
SELDOM = 150_000


def main() -> int:
    """Run the program; returns the exit code."""
    gc.set_threshold(SELDOM)
    end_on_signals()
    from agentspec.cli.main import main as run  # noqa: PLC0415 - no signal may find it half imported

    code = run()
    gc.freeze()  # the process ends: a last look for garbage would take a twentieth of a check, and free nothing sooner
    return code


if __name__ == "__main__":
    raise SystemExit(main())
