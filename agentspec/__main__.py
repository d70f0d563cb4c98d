"""__main__: the program, `agentspec` and `python -m agentspec`. Signals are settled before all else is imported."""

from agentspec.cli.stopping import end_on_signals


def main() -> int:
    """Run the program; returns the exit code."""
    end_on_signals()
    from agentspec.cli.main import main as run  # noqa: PLC0415 - no signal may find it half imported

    return run()


if __name__ == "__main__":
    raise SystemExit(main())
