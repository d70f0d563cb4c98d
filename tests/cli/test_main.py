"""The program: help, unknown words, exit codes, and what a mistake or a bug looks like."""

import importlib

import pytest

from agentspec.cli.commands import COMMANDS
from agentspec.cli.main import main

SPEC = "name: helper\ncontext:\n  system: You help.\n"
HEAVY = (
    "lark",
    "httpx",
    "aiohttp",
    "rich",
    "jsonschema",
    "pydantic",
    "mcp",
    "sqlalchemy",
    "argparse",
    "click",
    "asyncio",
    "msgspec",
    "dataclasses",
    "inspect",
)
MOST_RULES, MOST_MODULES = 45, 225  # of the program itself, for a check of a small spec
LATER = (
    *(
        "cel_expr_python",
        "google",
        "agentspec.adapters",
        "agentspec.runtime",
        "agentspec.policies",
        "agentspec.link",
        "agentspec.syntax.dsl",
    ),
    "agentspec.compose.libraries",
)


def test_help_lists_every_command_and_needs_none(agentspec):
    done = agentspec("--help")

    assert (done.code, done.err) == (0, "")
    assert all(f"\n  {name}" in done.out for name in COMMANDS)
    assert agentspec() == (2, done.out, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(agentspec, name):
    done = agentspec(name, "--help")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: agentspec {name}")
    assert f"\n  examples:\n    agentspec {name}" in done.out
    assert agentspec("help", name) == done


@pytest.mark.parametrize(
    ("word", "meant"),
    [("chekc", "check"), ("lint", "check"), ("validate", "check"), ("explian", "explain"), ("shwo", "show")],
)
def test_an_unknown_command_is_told_what_was_meant(agentspec, word, meant):
    said = f"agentspec: unknown command `{word}`\n  did you mean `agentspec {meant}`?\n"

    assert agentspec(word) == (2, "", said)


def test_a_word_that_nothing_is_near_to_is_sent_to_the_help(agentspec):
    way_out = "  `agentspec --help` lists the commands\n"

    assert agentspec("fly") == (2, "", f"agentspec: unknown command `fly`\n{way_out}")


def test_every_command_of_the_table_can_be_imported():
    for module, summary in COMMANDS.values():
        assert importlib.import_module(module).command.name in COMMANDS
        assert summary[0].islower()


def test_the_version_is_told(agentspec):
    done = agentspec("--version")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("agentspec ")


def test_the_module_is_the_same_program(process, tmp_path):
    (tmp_path / "a.yaml").write_text(SPEC)

    assert process("-m", "agentspec", "check", "a.yaml") == (0, "no findings in 1 file\n", "")


def test_a_bug_is_reported_without_a_traceback(capsys, tmp_path, monkeypatch):
    (tmp_path / "broken_command.py").write_text("raise RuntimeError('boom')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("AGENTSPEC_DEBUG", raising=False)

    code = main(["broken"], {"broken": ("broken_command", "breaks")})

    said = "agentspec: a bug in agentspec (RuntimeError: boom); please report it\n"
    assert (code, *capsys.readouterr()) == (70, "", f"{said}  set AGENTSPEC_DEBUG=1 to see where it happened\n")


def test_a_bug_shows_its_traceback_where_that_is_asked_for(tmp_path, monkeypatch):
    (tmp_path / "broken_command.py").write_text("raise RuntimeError('boom')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("AGENTSPEC_DEBUG", "1")

    with pytest.raises(RuntimeError, match="boom"):
        main(["broken"], {"broken": ("broken_command", "breaks")})


def test_output_is_utf_8_whatever_the_locale_says(process, tmp_path):
    (tmp_path / "a.yaml").write_text(SPEC + "description: é\n", encoding="utf-8")

    done = process("-m", "agentspec", "show", "a.yaml", PYTHONIOENCODING="ascii", LC_ALL="C")

    assert (done.code, done.err) == (0, "")
    assert 'description: "é"' in done.out


def test_check_of_a_yaml_file_loads_nothing_that_it_does_not_need(process, tmp_path):
    rules = "execution:\n  loop_control:\n    - {when: iteration > 3, stop: enough}\n"
    (tmp_path / "a.yaml").write_text(SPEC + rules)
    script = (
        "import sys; from agentspec.cli.main import main; code = main(['check', 'a.yaml']);"
        "print(code, *sorted(sys.modules), file=sys.stderr)"
    )

    code, *modules = process("-c", script).err.split()

    assert code == "0"
    assert [name for name in modules if name.split(".")[0] in HEAVY or name.startswith(LATER)] == []
    assert len([name for name in modules if name.startswith("agentspec.checker.rules.as")]) <= MOST_RULES
    assert len([name for name in modules if name.startswith("agentspec.")]) <= MOST_MODULES


def test_check_of_a_dsl_file_loads_no_printer(process, tmp_path):
    (tmp_path / "a.agent").write_text("agent a { model { provider: openai } }")
    script = (
        "import sys; from agentspec.cli.main import main; code = main(['check', 'a.agent']);"
        "print(code, *sorted(sys.modules), file=sys.stderr)"
    )

    code, *modules = process("-c", script).err.split()

    assert code == "0"
    assert [name for name in modules if name.split(".")[0] in HEAVY or name.startswith("agentspec.syntax.format")] == []


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_command_looks_for_no_garbage_before_it_has_made_much_and_loads_no_reader_of_odd_answers(
    process, tmp_path, command
):
    (tmp_path / "a.yaml").write_text(SPEC + "task: Go.\nmodel: {provider: script, options: {turns: [{text: Done.}]}}\n")
    script = (
        "import gc, sys; from agentspec.__main__ import main; before = gc.get_stats()[0]['collections'];"
        f"sys.argv = ['agentspec', '{command}', 'a.yaml']; code = main();"
        "print(code, gc.get_stats()[0]['collections'] - before, 'h11' in sys.modules, file=sys.stderr)"
    )

    assert process("-c", script).err.splitlines()[-1] == "0 0 False"
