"""What is no agent, or is not clear, can't be run: it is told before anything is asked for."""

import pytest

PRESET = "preset: careful\nexecution: {max_iterations: 3}\n"
SCENARIO = "scenario: greets\nspec: a.yaml\nturns: [{text: hi}]\n"
LIBRARY = "library: tools\ntools: {}\n"
AGENT = "name: {0}\ntask: go\nmodel: {{provider: script, options: {{turns: [hello]}}}}\n"


@pytest.mark.parametrize(("text", "kind"), [(PRESET, "preset"), (SCENARIO, "scenario"), (LIBRARY, "library")])
@pytest.mark.parametrize("words", [(), ("do it",)])
def test_what_is_no_agent_is_named_and_not_run(agentspec, tmp_path, text, kind, words):
    (tmp_path / "rec.yaml").write_text(text)

    done = agentspec("run", "rec.yaml", *words)

    assert (done.code, done.out) == (2, "")
    assert done.err == f"agentspec: `rec.yaml` is a {kind}; name an agent\n"
    assert not (tmp_path / ".agentspec").exists()


def test_a_document_that_is_no_agent_names_the_agents_beside_it(agentspec, tmp_path):
    (tmp_path / "all.yaml").write_text(PRESET + "---\n" + AGENT.format("one"))

    done = agentspec("run", "all.yaml#careful")

    assert done.code == 2
    assert done.err == "agentspec: `all.yaml#careful` is a preset; name an agent: `all.yaml#one`\n"


def test_of_several_agents_one_must_be_named_before_a_task_is(agentspec, tmp_path):
    (tmp_path / "two.yaml").write_text(AGENT.format("one") + "---\n" + AGENT.format("two"))

    unnamed, wrong, named = (agentspec("run", f"two.yaml{name}") for name in ("", "#thre", "#two"))

    assert unnamed.code == 2
    assert "`two.yaml` holds `one` and `two`; which one is meant?" in unnamed.err
    assert "write `two.yaml#one`" in unnamed.err
    assert "no task" not in unnamed.err
    assert wrong.code == 2
    assert "`two.yaml` holds no `thre`" in wrong.err
    assert (named.code, named.out) == (0, "hello\n")


def test_check_says_that_a_file_is_checked_whole(agentspec, tmp_path):
    (tmp_path / "two.yaml").write_text(AGENT.format("one"))

    done = agentspec("check", "two.yaml#one")

    message = "no such file: `two.yaml#one`; a file is checked whole: `agentspec check two.yaml`"
    assert (done.code, done.err.splitlines()[0]) == (2, f"agentspec: {message}")
