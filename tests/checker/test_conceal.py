"""No report shows a secret that stands in a spec, whichever finding it is about."""

import json
from pathlib import Path

import pytest

from agentspec.checker.check import DEFAULTS, Options, check_paths
from agentspec.checker.conceal import concealed
from agentspec.checker.formats import github, sarif, text
from agentspec.checker.formats import json as json_format
from agentspec.text.diagnostic import Diagnostic, Edit, Fix
from agentspec.text.secrets import hide
from agentspec.text.source import Source, Span

FORMATS = {"text": text.render, "json": json_format.render, "sarif": sarif.render, "github": github.render}
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGH12345"
SECRETS = {
    "openai": f"sk-proj-{LETTERS}",
    "aws": "AKIA" + "ABCDEFGHIJ123456",
    "google": "AIza" + LETTERS[:35],
    "github": "ghp_" + LETTERS[:36],
    "gitlab": "glpat-" + LETTERS[:22],
    "slack": "xoxb-" + LETTERS[:24],
    "hugging face": "hf_" + LETTERS[:32],
    "web token": f"eyJ{LETTERS[:20]}.eyJ{LETTERS[:20]}.{LETTERS[:20]}",
}
# Specs that have another finding at the place of the secret, in its line, or about its key.
SPECS = {
    "wrong type.yaml": "name: a\nmodel:\n  temperature: {secret}\n",
    "unknown key.yaml": "name: a\nmodel: {{modle: {secret}}}\n",
    "in a key.yaml": "name: a\nmodel:\n  {secret}: 1\n",
    "unknown word.yaml": "name: a\nmodel: {{provider: {secret}, tool_format: {secret}}}\n",
    "misspelt section.yaml": 'name: a\nmodle:\n  headers: {{Authorization: "Bearer {secret}"}}\n',
    "unclosed.yaml": 'name: a\nmodel: {{headers: {{X-Api-Key: "{secret}\n',
    "silenced.yaml": "name: a\nmodel: {{seed: x, model: {secret}}}  # agentspec: ignore[AS701]\n",
    "broken.agent": "agent a {{ model {{ model: {secret} {secret} ] }} }}\n",
    "text.agent": 'agent a {{ model {{ modle: "{secret}" }} }}\n',
    "expression.yaml": "name: a\nexecution:\n  loop_control:\n    - {{when: \"iteratoin == '{secret}'\", stop: x}}\n",
    "several lines.yaml": "name: a\ncontext:\n  system: |\n    first\n    {secret} ${{inputs.x}}\n",
}


def shown(path: Path, text: str, form: str, options: Options = DEFAULTS) -> str:
    path.write_text(text)
    report = check_paths([path], options)
    assert report.diagnostics, "the spec must have a finding"
    return FORMATS[form](report)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_secret_of_a_known_form_is_in_no_format(tmp_path, secret, form):
    for name, spec in SPECS.items():
        output = shown(tmp_path / name, spec.format(secret=secret), form)

        assert secret not in output, name
        assert secret[:14] not in output, name


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "spec",
    [
        "name: a\nmodel: {headers: {Authorization: Bearer fedcba9876543210x}, modle: x}\n",
        "name: a\nmodel: {hedaers: {Authorization: Bearer fedcba9876543210x}}\n",
        "name: a\nmodel: {headers: 'x-api-key: fedcba9876543210x'}\n",
        "name: a\nx-key: &key Bearer fedcba9876543210x\nmodel: {headers: {Authorization: *key}}\nx-key: 1\n",
        "name: a\nmodel: {base_url: 'https://me:fedcba9876543210x@example.org', timeout: 3}\n",
        "name: a\nmodel:\n  seed: 'postgres://me:fedcba9876543210x@a-long-name.example.org/'\n",
        "name: a\nmodel:\n  headers:\n    Authorization: |\n      Bearer fedcba9876543210x\n  sed: 1\n",
        "name: a\nmodel:\n  headers:\n    Authorization: >-\n      Bearer fedcba9876543210x ${envv.X}\n",
    ],
)
def test_a_credential_that_only_its_place_gives_away_is_in_no_format(tmp_path, spec, form):
    for options in (DEFAULTS, Options(ignore=("AS701",))):
        assert "fedcba9876543" not in shown(tmp_path / "a.yaml", spec, form, options)


def test_a_private_key_is_hidden_with_its_lines():
    key = "-----BEGIN RSA PRIVATE KEY-----\n  MIIEpAIBAAKCAQEA1\n  c3RhcnM=\n  -----END RSA PRIVATE KEY-----"

    assert hide(key) == "*" * 31 + "\n" + "*" * 19 + "\n" + "*" * 10 + "\n  -----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    "prose",
    [
        "task-list of gh_pages, see https://example.org:8080/x and sk-short",
        "Authorization: required",
        "Authorization: ${env.TOKEN_OF_THE_SERVICE}",
        'headers: {Authorization: "Bearer ${env.EXAMPLE_API_KEY}"}',
        "a cookie: take it",
        "sk-learn-models-for-everybody",
    ],
)
def test_ordinary_text_is_shown_as_it_is(prose):
    assert hide(prose) == prose


def test_a_text_that_was_cut_shows_no_beginning_of_a_secret():
    assert hide("found `Bearer ghp_abcdefghij…`") == "found `Bearer ***************`"
    assert hide("found `redis://me:gehei…`") == "found `redis://me:*****…`"


def test_what_is_hidden_keeps_every_column():
    for secret in SECRETS.values():
        line = f'a: "{secret}"\r\nb: 1\n'

        assert hide(line) == f'a: "{"*" * len(secret)}"\r\nb: 1\n'


def test_a_fix_that_would_print_a_secret_is_left_out():
    secret = SECRETS["openai"]
    source = Source("a.yaml", f"a: {secret}")
    place = Span(source, 3, len(source.text))
    found = Diagnostic("AS102", "error", f"`{secret}`", place, fix=Fix("quote", (Edit(place, f"'{secret}'"),)))

    (one,) = concealed([found])

    assert (one.fix, one.message) == (None, f"`{'*' * len(secret)}`")
    assert secret not in json.dumps(json_format.as_value(one))


def test_a_source_is_looked_through_once_for_all_of_its_findings():
    source = Source("a.yaml", f"key: {SECRETS['aws']}\n" * 50)
    found = [Diagnostic("AS102", "error", "wrong", Span(source, at, at + 3)) for at in range(0, 1000, 20)]

    assert len({id(one.span.source) for one in concealed(found)}) == 1


def test_what_holds_no_secret_is_given_back_as_it_is():
    found = Diagnostic("AS102", "error", "wrong", Span(Source("a.yaml", "abc"), 0, 1))

    assert concealed([found])[0] is found
