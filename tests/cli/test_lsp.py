"""`agentspec lsp` as editors start it: a process on two pipes."""

import os
import subprocess
import sys

from tests.cli.conftest import ROOT
from tests.lsp.client import Client


def test_without_its_package_the_error_names_the_extra(process) -> None:
    start = "import sys; sys.modules['pygls'] = None; from agentspec.cli.main import main; sys.exit(main(['lsp']))"

    done = process("-c", start)

    told = "agentspec: the language server needs the package `pygls`: `pip install 'agentspec[lsp]'`\n"
    assert (done.code, done.out, done.err) == (2, "", told)


def test_an_editor_that_starts_it_is_served_and_nothing_else_is_said(tmp_path) -> None:
    command = [sys.executable, "-m", "agentspec", "lsp", "--stdio"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        client = Client(server.stdin, server.stdout)
        client.start(tmp_path)
        uri = client.open(tmp_path / "a.agent", "agent a { execution { max_iteratons: 3 } }\n")

        [found] = client.findings(uri)
        client.write(b"Content-Length: 1\r\n\r\n{")  # what cannot be read leaves no trace on standard error, either
        client.answer(client.send("textDocument/rename", {"textDocument": 3}))

        client.leave()
        assert (found["code"], server.wait(10), server.stderr.read()) == ("AS102", 0, b"")
