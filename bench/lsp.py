"""lsp: what an editor waits for in a long file: from a keystroke to its findings, and for each of its questions.

`python bench/lsp.py [--lines=2000] [--keys=100]` prints one JSON object for each spelling: wall milliseconds, the
median and the 95th of a hundred, and the CPU time of a key, which does not depend on what else the machine does. The
server is a process of its own; a key is pressed when the findings of the one before it are there.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from bench.folder import SPEC, TOOL  # noqa: E402 - the file that is typed in is one of those that folders are made of

TOOL_OF_DSL = """\
    tool tool_{number}_{index}(lhs: number, rhs: number) -> number
      "Adds the number {index} to what it is given"
      = args.lhs * {index}.0 + args.rhs

"""
HEAD_OF_DSL = """\
agent audit extends audit {
  inputs { branch: string = "main" }
  model { provider: openai  model: "gpt-5.4-mini" }
  execution {
    iteration_budget { mode: adaptive  initial: 4  max: 12  extend_by: 2 }
    loop_control { when completion.vetoed => extend 2 "completion gate vetoed" }
  }
  context { system: "You audit the branch ${inputs.branch}. You never edit." }
  capability {
    toolkit files.read
"""
QUESTIONS = ("completion", "hover", "definition", "references", "codeAction", "documentSymbol", "formatting")


def main() -> None:
    """Type in a file of each spelling, then ask every question of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--keys", type=int, default=100)
    asked = parser.parse_args()
    for name, text in (("long.yaml", of_yaml(asked.lines)), ("long.agent", of_dsl(asked.lines))):
        with tempfile.TemporaryDirectory() as folder:
            editor = Editor(Path(folder))
            figures = {
                "file": name,
                "lines": text.count("\n"),
                **measured(editor, Path(folder, name), text, asked.keys),
            }
            editor.leave()
        sys.stdout.write(json.dumps(figures) + "\n")


def of_yaml(lines: int) -> str:
    """A spec of so many lines, most of them tools."""
    head = SPEC.format(number=0)
    count = (lines - head.count("\n")) // TOOL.count("\n")
    return head + "".join(TOOL.format(number=0, index=index) for index in range(count))


def of_dsl(lines: int) -> str:
    """The same in the DSL."""
    count = (lines - HEAD_OF_DSL.count("\n")) // TOOL_OF_DSL.count("\n")
    return HEAD_OF_DSL + "".join(TOOL_OF_DSL.format(number=0, index=index) for index in range(count)) + "  }\n}\n"


def measured(editor: Editor, path: Path, text: str, keys: int) -> dict[str, Any]:
    """Keys in a description, and each question, in the middle of the file: the median and the 95th of a hundred."""
    uri = path.as_uri()
    editor.notify("textDocument/didOpen", textDocument={"uri": uri, "languageId": "x", "version": 0, "text": text})
    editor.until("textDocument/publishDiagnostics")
    at = text.index("to what", len(text) // 2)
    took, spent = [], editor.cpu()
    for number in range(1, keys + 1):
        text = text[:at] + "x" + text[at:]
        started = time.perf_counter()
        version = {"uri": uri, "version": number}
        editor.notify("textDocument/didChange", textDocument=version, contentChanges=[{"text": text}])
        editor.until("textDocument/publishDiagnostics")
        took.append(time.perf_counter() - started)
    found: dict[str, Any] = {"key": shown(took), "cpu_of_a_key": round(1000 * (editor.cpu() - spent) / keys, 1)}
    word = text.index("args.lhs", at) + len("args.")
    place = {"line": text.count("\n", 0, word), "character": word - text.rindex("\n", 0, word) - 1}
    for question in QUESTIONS:
        found[question] = shown([editor.ask(f"textDocument/{question}", **about(uri, place)) for _ in range(10)])
    return found


def about(uri: str, place: dict[str, int]) -> dict[str, Any]:
    """What any question may need to know."""
    return {
        "textDocument": {"uri": uri},
        "position": place,
        "range": {"start": place, "end": place},
        "context": {"includeDeclaration": True, "diagnostics": [], "triggerKind": 1},
        "options": {"tabSize": 2, "insertSpaces": True},
    }


def shown(seconds: list[float]) -> list[float]:
    """The median and the 95th of a hundred, in milliseconds."""
    return [round(1000 * one, 1) for one in (statistics.median(seconds), sorted(seconds)[int(0.95 * len(seconds))])]


class Editor:
    """A client of a server that it starts."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
        command = [sys.executable, "-m", "agentspec", "lsp"]
        self._server = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._numbers = itertools.count(1)
        self.ask("initialize", processId=None, rootUri=folder.as_uri(), capabilities={})
        self.notify("initialized")

    def notify(self, method: str, **params: Any) -> None:
        """Say something that has no answer."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, **params: Any) -> float:
        """Ask, and give how long the answer took, in seconds."""
        number, started = next(self._numbers), time.perf_counter()
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params or None})
        while (answer := self._read()).get("id") != number:
            pass
        assert "error" not in answer, answer
        return time.perf_counter() - started

    def until(self, method: str) -> None:
        """Wait until the server says something."""
        while self._read().get("method") != method:
            pass

    def cpu(self) -> float:
        """Seconds of CPU time that the server has used (proc(5), `stat`)."""
        fields = Path(f"/proc/{self._server.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def leave(self) -> None:
        """End the server as a client does."""
        self.ask("shutdown")
        self.notify("exit")
        self._server.wait()

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self._server.stdin is not None
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._server.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        length = 0
        while line := self._server.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        message: dict[str, Any] = json.loads(self._server.stdout.read(length))
        return message


if __name__ == "__main__":
    main()
