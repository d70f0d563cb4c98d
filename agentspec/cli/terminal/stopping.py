"""stopping: the signals that stop the program, their exit codes, and what they do while no run is going on.

Nothing heavy is imported here: it stands before everything else, so that no signal finds the program half imported.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

EXIT_SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def stopping_signals() -> Iterator[signal.Signals]:
    """Those that are heard: whoever has SIGHUP ignored (`nohup`) wants the program to outlive its terminal."""
    for number in EXIT_SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            yield number


def end_on_signals() -> None:
    """From here on a signal ends the program at once, with a line and without an exception.

    An exception might come up anywhere: inside an import, or in a compiler that takes it for an author's mistake.
    """
    for number in stopping_signals():
        signal.signal(number, end_at_once)


def end_at_once(number: int, _frame: object) -> None:
    """Say so and be gone; what is in files was written whole or not at all."""
    try:
        os.write(2, b"agentspec: stopped by a signal\n")
    finally:
        os._exit(EXIT_SIGNALS[signal.Signals(number)])
