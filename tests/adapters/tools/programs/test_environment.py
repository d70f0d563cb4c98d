"""A child sees a short list of variables, and what is named; never a provider's key."""

import pytest

from agentspec.adapters.tools.programs.environment import child_environment, is_withheld

HARMLESS = {"PATH": "/bin", "HOME": "/h", "USER": "u", "LOGNAME": "u", "LANG": "C", "LANGUAGE": "de", "LC_ALL": "C", "LC_TIME": "C", "TERM": "x", "TMPDIR": "/t", "TZ": "UTC"}  # fmt: skip
PLANTED = [
    "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "MISTRAL_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_API_KEY",
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "GOOGLE_APPLICATION_CREDENTIALS",
    "GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "NPM_TOKEN", "PYPI_TOKEN", "SLACK_TOKEN", "HF_TOKEN", "SECRET", "PASSWORD", "DB_PASSWORD",
    "DATABASE_URL", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "KUBECONFIG", "DOCKER_HOST", "DOCKER_CONFIG",
    "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT",
    "NODE_OPTIONS", "NODE_PATH", "RUBYOPT", "PERL5OPT", "PERL5LIB", "BASH_ENV", "ENV", "IFS", "PS4", "SHELLOPTS", "PROMPT_COMMAND",
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "GIT_DIR", "HTTP_PROXY", "https_proxy", "NO_PROXY",
    "EDITOR", "VISUAL", "PAGER", "XDG_CONFIG_HOME", "VIRTUAL_ENV", "AGENTSPEC_HOME", "lc_all", "PATHX",
]  # fmt: skip


def test_only_the_short_list_is_passed_on():
    assert child_environment(HARMLESS | dict.fromkeys(PLANTED, "planted")) == HARMLESS


def test_what_is_named_is_passed_on_but_for_what_is_withheld():
    source = HARMLESS | dict.fromkeys(PLANTED, "planted")

    passed = child_environment(source, names=PLANTED).keys() - HARMLESS.keys()

    assert passed == {name for name in PLANTED if not is_withheld(name)}
    assert {"GITHUB_TOKEN", "EDITOR", "HTTP_PROXY"} <= passed
    assert not {"OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "LD_PRELOAD", "NODE_OPTIONS", "GIT_SSH_COMMAND"} & passed


def test_values_that_a_spec_spells_out_win():
    assert child_environment({"PATH": "/bin", "LANG": "C"}, values={"LANG": "de", "OPENAI_API_KEY": "k"}) == {
        "PATH": "/bin",
        "LANG": "de",
    }


def test_there_is_always_a_path():
    assert child_environment({}) == {"PATH": "/usr/local/bin:/usr/bin:/bin"}


@pytest.mark.parametrize("name", ["MY_API_KEY", "my_api_key", "BASH_ENV", "GIT_CONFIG_KEY_0"])
def test_withheld_names_are_known_in_any_case(name):
    assert is_withheld(name)
