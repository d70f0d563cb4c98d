"""Real MCP servers for tests: over HTTP on a port of its own, in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WEB = str(Path(__file__).with_name("mcp_web.py"))


@contextmanager
def web(*words: str) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """A server while the block lasts: its address and its process. With a word it wants that as its token."""
    with subprocess.Popen([sys.executable, WEB, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp", process
        finally:
            process.kill()
