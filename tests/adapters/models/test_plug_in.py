"""Providers of installed packages: the one of the guide, and those that are broken in every way."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agentspec import check, run, run_sync
from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.models.registry import make_model
from agentspec.api.doctor import Check, examine
from agentspec.api.model_list import list_models
from agentspec.cli.terminal.progress import Counts, describe
from agentspec.compose.model_names import split_name
from agentspec.errors import SpecInvalid, Unavailable
from agentspec.ports import ModelRequest, ModelSettings, Transcript, UserMessage
from tests.docs.page import ROOT, blocks

PAGE = ROOT / "docs" / "guide" / "providers.md"
REQUEST = ModelRequest(Transcript([UserMessage("hello")]))


def write_package(folder: Path) -> None:
    """The two files of the guide."""
    for block in blocks(PAGE):
        if block.name:
            (folder / block.name).write_text(block.text)


def install(folder: Path, name: str, version: str, providers: dict[str, str]) -> None:
    """What an installer leaves behind of a package beside its modules."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [f"{provider} = {place}" for provider, place in providers.items()]
    (info / "entry_points.txt").write_text("\n".join(["[agentspec.providers]", *lines, ""]))


def told(folder: Path) -> list[Check]:
    """What `doctor` says of packages with providers."""
    return [each for each in examine(folder, {}, is_offline=True).checks if each.area == "plug-in"]


@pytest.fixture
def parrot(tmp_path, monkeypatch):
    """The package of the guide, installed, and a spec with its provider."""
    packages = tmp_path / "packages"
    packages.mkdir()
    write_package(packages)
    project = tomllib.loads((packages / "pyproject.toml").read_text())["project"]
    install(packages, project["name"], project["version"], project["entry-points"]["agentspec.providers"])
    monkeypatch.syspath_prepend(packages)
    spec = tmp_path / "echo.json"
    spec.write_text(json.dumps({"name": "echo", "model": {"provider": "parrot", "options": {"times": 2}}}))
    yield spec
    sys.modules.pop("agentspec_parrot", None)


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """Install a package whose provider is `made` of a module with this text."""

    def of(text: str):
        (tmp_path / "broken_one.py").write_text(text)
        install(tmp_path, "agentspec-broken", "0.1", {"broken": "broken_one:made"})
        monkeypatch.syspath_prepend(tmp_path)
        return lambda: make_model(ModelSettings(provider="broken"), {}, HttpClient())

    yield of
    sys.modules.pop("broken_one", None)


async def test_a_spec_runs_with_the_provider_of_a_package(parrot):
    heard = []

    result = await run(parrot, "hello", on_event=lambda event: heard.append(event.get("text")))

    assert (result.status, result.text) == ("done", "hello hello")
    assert (result.llm.provider, result.llm.model, result.llm.usage_estimated) == ("parrot", "grey", True)
    assert "hello hello" in heard


def test_check_models_and_doctor_know_it(parrot):
    assert check(parrot).diagnostics == []
    assert list_models((), {})["providers"][-1] == {
        "name": "parrot",
        "configured": True,
        "configured_by": "agentspec-parrot 1.0",
        "ignores": [],
    }
    assert told(parrot.parent) == [Check("plug-in", "parrot", "ok", "a provider of the package `agentspec-parrot 1.0`")]


def test_what_it_says_of_its_settings_is_told_before_the_run(parrot):
    parrot.write_text(json.dumps({"name": "echo", "model": {"provider": "parrot", "options": {"loud": True}}}))

    with pytest.raises(SpecInvalid, match="a parrot has one option, `times`"):
        run_sync(parrot, "hello")


async def test_its_refusal_of_tools_leads_to_another_format(parrot):
    tools = {"look": {"description": "L", "expr": "'x'"}}
    parrot.write_text(json.dumps({"name": "e", "model": {"provider": "parrot"}, "capability": {"tools": tools}}))
    kinds = []

    result = await run(parrot, "hello", on_event=lambda event: kinds.append(event["kind"]))

    assert "format_changed" in kinds
    assert result.tools.mode == "json"


async def test_a_fallback_names_a_model_of_it_by_its_prefix(parrot):
    turns = [{"error": {"status": 503, "message": "overloaded"}}]
    model = {"provider": "script", "options": {"turns": turns}, "fallback": ["parrot:green"]}
    parrot.write_text(json.dumps({"name": "echo", "model": model}))

    result = await run(parrot, "hello")

    assert (result.llm.provider, result.llm.model) == ("parrot", "green")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("parrot:green", ("parrot", "green")),
        ("parrot:green:8b", ("parrot", "green:8b")),
        ("parrot:", (None, "parrot:")),
        ("parot:green", (None, "parot:green")),
    ],
)
def test_only_the_whole_name_of_it_is_a_prefix(parrot, name, expected):
    assert split_name(name) == expected


def test_a_name_that_is_nearly_its_own_is_told(parrot):
    with pytest.raises(Unavailable, match="unknown provider `parot`; did you mean `parrot`"):
        make_model(ModelSettings(provider="parot"), {}, HttpClient())


WHO = "the provider `broken` of the package `agentspec-broken 0.1`"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import no_such_module", f"{WHO} can't be loaded: ModuleNotFoundError: No module named 'no_such_module'"),
        ("made = 1", f"{WHO} is no function that makes a model, but `int`"),
        ("other = 1", f"{WHO} can't be loaded: AttributeError: module 'broken_one' has no attribute 'made'"),
        ("def made(settings, project): return 1 / 0", f"{WHO} makes no model: ZeroDivisionError: division by zero"),
        ("raise SystemExit(0)", f"{WHO} can't be loaded: SystemExit: 0"),
        ("def made(settings, project): exit('bye')", f"{WHO} makes no model: SystemExit: bye"),
        ("def made(settings, project): return object()", f"{WHO} makes a model without `answer` and `close`"),
    ],
)
def test_a_package_that_makes_no_model_is_told_by_name(broken, text, words):
    make = broken(text)

    with pytest.raises(Unavailable) as caught:
        make()

    assert str(caught.value) == words


@pytest.mark.parametrize("text", ["raise SystemError", "raise SystemExit", "import no_such_module"])
def test_doctor_tells_a_broken_package(broken, tmp_path, text):
    broken(text)

    [problem] = told(tmp_path)

    assert (problem.name, problem.verdict, problem.help) == ("broken", "problem", "mend or remove the package")


MODEL = "from agentspec.ports import Delta, Failure, Reply, ToolCall\nclass Made:\n    async def answer(self, request, listen):\n        {}\n    async def close(self): {}\n"


@pytest.mark.parametrize(
    ("answers", "category", "words"),
    [
        ("raise OSError('no sk-proj-abcdefghijklmnopqrstuvwxyz')", "bad_response", "OSError: no [redacted]"),
        ("return 'hello'", "bad_response", "it answers with `str` in place of `Reply` or `Failure`"),
        ("import asyncio; await asyncio.sleep(9)", "timeout", "no answer within 0.01 s"),
        ("raise TimeoutError('of its own')", "timeout", "TimeoutError: of its own"),
        ("raise SystemExit(3)", "bad_response", "SystemExit: 3"),
        ("return Reply(text=5)", "bad_response", "its `Reply` can't be used: Expected `str`, got `int` - at `$.text`"),
        (
            "return Failure('odd', 'm')",
            "bad_response",
            "its `Failure` can't be used: Invalid enum value 'odd' - at `$.category`",
        ),
        (
            "return Reply(extra={'o': object()})",
            "bad_response",
            "its `Reply` can't be used: Encoding objects of type object is unsupported",
        ),
        (
            "import time; time.sleep(0.02); return Reply()",
            "timeout",
            "it let nothing else run for longer than its 0.01 s; it waits without `await`",
        ),
    ],
)
async def test_what_goes_wrong_in_a_call_is_a_failure_with_the_name_of_the_package(broken, answers, category, words):
    make = broken(MODEL.format(answers, "raise SystemExit") + "def made(settings, project): return Made()\n")
    model = make()

    failure = await model.answer(ModelRequest(REQUEST.transcript, deadline=0.01), None)
    await model.close()

    assert (failure.category, failure.message) == (
        category,
        f"broken at the package `agentspec-broken 0.1`: {words}",
    )


async def test_half_a_surrogate_pair_is_told_as_one_that_is_lost(broken, tmp_path):
    told = (
        "listen(Delta(kind='text_delta', text='a\\ud800')); return Reply('a\\ud800', (ToolCall('\\ud800', 'b', '{}'),))"
    )
    make = broken(MODEL.format(told, "pass") + "def made(settings, project): return Made()\n")
    heard = []

    answer = await make().answer(REQUEST, heard.append)

    assert (answer.text, answer.calls[0].id, heard[0].text) == ("a\ufffd", "\ufffd", "a\ufffd")


async def test_who_lets_nothing_else_run_is_told(broken, tmp_path):
    broken(
        MODEL.format("import time; time.sleep(0.26); return Reply('done')", "pass") + "def made(*_): return Made()\n"
    )
    spec = tmp_path / "held.json"
    spec.write_text(json.dumps({"name": "held", "model": {"provider": "broken", "model": "slow"}}))
    lines, counts = [], Counts()

    await run(spec, "hello", on_event=lambda event: lines.append(describe(event, counts)))

    assert any("broken:slow let nothing else run for" in line for line in lines if line)


async def test_calls_without_usable_ids_get_some(broken):
    reply = "return Reply(calls=(ToolCall('', 'a', '{}'),) * 2)"
    make = broken(MODEL.format(reply, "pass") + "def made(settings, project): return Made()\n")

    answer = await make().answer(REQUEST, None)

    assert [call.id for call in answer.calls] == ["call_1_0", "call_1_1"]
    assert (answer.finish, answer.usage.estimated) == ("tool_calls", True)


def test_no_package_is_looked_for_where_a_provider_is_our_own():
    code = "import sys, agentspec; agentspec.run_sync('examples/first-look/first-look.yaml')"

    done = subprocess.run(
        [sys.executable, "-c", f"{code}; print('importlib.metadata' in sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "False\n"


@pytest.mark.slow
def test_the_package_of_the_guide_is_built_and_found(tmp_path):
    write_package(tmp_path)
    call = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", tmp_path / "there", tmp_path]
    subprocess.run(call, check=True)
    (tmp_path / "echo.yaml").write_text("name: echo\nmodel: {provider: parrot}\n")
    environment = {"PYTHONPATH": f"{tmp_path / 'there'}:{ROOT}", "PATH": ""}

    done = subprocess.run(
        [sys.executable, "-m", "agentspec", "run", "echo.yaml", "hello"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "hello\n"), done.stderr
