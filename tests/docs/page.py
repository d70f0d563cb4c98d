"""page: a page of the documentation as a session: its files are written, its commands run, its outputs compared.

A fenced block is what its first line says:

    yaml NAME, agent NAME, …   a file of that name, written where the session runs
    yaml, agent                a spec, or a part of one, that must check without a finding
    console                    `$ ` commands with exactly what they print, on both streams
    sh                         commands that must succeed; what needs a network or a real name is only looked up
    json, toml                 settings of another program, which must be readable
    lua, lisp                  the same, of which only the brackets are looked at
    text                       a drawing: nothing to do
    python                     statements that must run, or a `>>>` session
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from agentspec.checker.check import check_paths
from agentspec.cli.commands import COMMANDS
from agentspec.cli.main import main

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")
VARYING = (  # what differs from run to run, or with every word of a template
    (RUN_ID, "RUN-ID"),
    (re.compile(r" · \d+\.\d s\b"), ""),  # not told at all of a call that took less than a millisecond
    (re.compile(r"\d+\.\d s\b"), "0.0 s"),
    (re.compile(r"\d+ tokens in, \d+ out"), "0 tokens in, 0 out"),
    (re.compile(r"\d+ tokens\b"), "0 tokens"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"), "WHEN"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "WHEN"),
)
WHOLE_SPEC = re.compile(r"^(?:name|preset): |^(?:agent|preset) ", re.MULTILINE)
SHELL = re.compile(r"[|<>;&$]")
NEEDS_THE_WORLD = re.compile(r"\b[A-Z_]{3,}\b|openai:|^(?:export|\.|\./scripts/\S+|git|pip)\b")
NOT_IN_EFFECT = ("AS902",)  # a page may show a key that only a later version acts on


class Block(NamedTuple):
    language: str
    name: str
    text: str
    line: int


class Step(NamedTuple):
    command: str
    output: str


def _without_pairs(text: str) -> str:
    """The brackets of a text that have no partner; those in quotes are no brackets."""
    left, shorter = None, re.sub(r"[^][(){}]", "", re.sub(r'"(?:\\.|[^"\\])*"', "", text))
    while left != shorter:
        left, shorter = shorter, re.sub(r"\(\)|\[\]|\{\}", "", shorter)
    return shorter


def blocks(path: Path) -> Iterator[Block]:
    """The fenced blocks of a page, with the line where each begins."""
    page = path.read_text(encoding="utf-8")
    for found in BLOCK.finditer(page):
        language, name, text = found.groups()
        yield Block(language, name or "", text, page.count("\n", 0, found.start()) + 1)


def steps(text: str) -> Iterator[Step]:
    """The commands of a console block, each with what it prints."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield Step(command, output)


class Session:
    """Goes through the blocks of a page in a folder; what differs from the page is an AssertionError with its line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, object] = {}  # of the Python blocks
        self.runs: dict[str, str] = {}  # run ids of the page, and what they are here
        self.has_run = 0

    def follow(self, block: Block) -> None:
        """Do what a block says."""
        match block.language, block.name:
            case _, name if name:
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            case (("yaml" | "agent" as language), _):
                assert findings(self.folder, language, block.text) == []
            case "console", _:
                for step in steps(block.text):
                    self.compare(step)
            case "sh", _:
                for line in filter(None, (line.partition(" #")[0].strip() for line in block.text.splitlines())):
                    self.command_line(line)
            case "python", _:
                self.python(block)
            case "json", _:
                json.loads(f"{{{block.text}}}")
            case "toml", _:
                tomllib.loads(block.text)
            case (("lua" | "lisp"), _):
                assert _without_pairs(block.text) == ""
            case "text", _:
                pass
            case _:
                raise AssertionError(f"nothing is known of blocks in `{block.language}`")
        self.has_run += 1

    def compare(self, step: Step) -> None:
        """The command prints exactly this, but for times, tokens and the names of runs."""
        _, printed = self.call(self.named_here(step.command))

        assert steady(printed) == steady(step.output), f"$ {step.command}\n{printed}"
        self.runs |= dict(zip(RUN_ID.findall(step.output), RUN_ID.findall(printed), strict=True))

    def named_here(self, command: str) -> str:
        return RUN_ID.sub(lambda found: self.runs[found[0]], command)

    def command_line(self, line: str) -> None:
        """The command succeeds; one that can't be run here has a command and options that exist."""
        if not NEEDS_THE_WORLD.search(line):
            code, printed = self.call(self.named_here(line))
            assert code == 0, f"$ {line}\n{printed}"
        elif line.startswith("agentspec"):
            command, options = COMMANDS[line.split()[1]], set(re.findall(r"(?<= )--[\w-]+", line))
            _, page = self.call(f"agentspec {line.split()[1]} --help")
            assert command
            assert options <= set(re.findall(r"--[\w-]+", page))
        elif line.startswith("./scripts/"):
            assert (ROOT / line.split(maxsplit=1)[0]).is_file()

    def call(self, command: str) -> tuple[int, str]:
        """Exit code and all that was printed, in its order."""
        if SHELL.search(command) or not command.startswith("agentspec "):
            return self.shell(command)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = main(shlex.split(command)[1:])
        return code, printed.getvalue()

    def shell(self, command: str) -> tuple[int, str]:
        program = self.folder.parent / "bin" / "agentspec"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agentspec "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{program.parent}:{os.environ['PATH']}"}
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.returncode, done.stdout.decode()

    def python(self, block: Block) -> None:
        if ">>>" not in block.text:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block.text, f"line {block.line}", "exec"), self.names)
            return
        test = doctest.DocTestParser().get_doctest(block.text, self.names, "page", "page", block.line)
        report = io.StringIO()
        doctest.DocTestRunner(verbose=False).run(test, out=report.write, clear_globs=False)
        self.names = test.globs
        assert report.getvalue() == "", report.getvalue()


def findings(folder: Path, language: str, text: str) -> list[str]:
    """What check says about a spec of a page. A part of one is checked inside the smallest whole."""
    whole = (
        text
        if WHOLE_SPEC.search(text)
        else {"yaml": "name: part\n{}", "agent": "agent part {{\n{}}}"}[language].format(text)
    )
    path = folder / f"part.{language}"
    path.write_text(whole, encoding="utf-8")
    found = check_paths([path]).diagnostics
    path.unlink()
    return [f"{one.code} {one.message}" for one in found if one.code not in NOT_IN_EFFECT]


def steady(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
