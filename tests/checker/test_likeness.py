"""Which texts are meant to be a spec, and which belong to other programs."""

import pytest

from agentspec.checker.likeness import is_like_spec

OURS = {
    "a misspelt name": "nmae: a\nmodel: {provider: script}\n",
    "a name and what it extends": "name: a\nextends: worker\n",
    "a misspelt section": "name: a\nmodle:\n  provider: script\n",
    "another misspelt section": "name: a\nexecuton: {max_iterations: 3}\n",
    "no name at all": "model:\n  provider: script\nexecution:\n  max_iterations: 3\n",
    "a misspelt head": "presset: quick\nexecution:\n  max_iterations: 3\n",
    "a misspelt scenario": "senario: works\nfor: a.yaml\nturns: []\n",
    "a bracket that nothing closes": "name: a\nmodel: {provider: script\nexecution: [\n",
    "a tab, and a misspelt name": "naem: a\ncontext:\n\tsystem: hi\n",
    "JSON with a misspelt name": '{"nmae": "a", "model": {"provider": "script"}}',
    "JSON cut off": '{"name": "a", "executon": {"max_iterations": 3',
    "capitals": "Name: a\nModel: {provider: script}\n",
}
FOREIGN = {
    "docker compose": "name: web\nservices:\n  app: {image: x}\nvolumes: {}\n",
    "a GitHub workflow": "name: test\non: [push]\npermissions: {}\njobs:\n  a: {runs-on: ubuntu}\n",
    "a GitHub action": "name: x\ndescription: y\ninputs: {a: {default: 1}}\nruns: {using: node20}\n",
    "a list of turns": "- text: hello\n- tool_calls: [{name: search}]\n",
    "Kubernetes": "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {}\n",
    "a Helm chart": "apiVersion: v2\nname: x\ndescription: y\nversion: 1.0.0\n",
    "dbt": "name: shop\nversion: 1.0.0\nprofile: shop\nmodels:\n  shop: {materialized: view}\n",
    "an npm package": '{"name": "x", "version": "1.0.0", "description": "y", "scripts": {"model": "z"}}',
    "a message": '{"role": "tool", "name": "search", "content": "x"}',
    "a page": "name: x\ncontent:\n  body: y\n",
    "TypeScript": '{"extends": "./base.json", "compilerOptions": {"strict": true}, "include": []}',
    "a task file": "version: 3\ntasks:\n  a: {cmds: []}\n",
    "mkdocs": "site_name: x\ntheme: {name: material}\nnav: []\n",
    "conda": "name: x\nchannels: [y]\ndependencies: [z]\n",
    "kubectl": "apiVersion: v1\nkind: Config\ncontexts: []\nclusters: []\n",
    "OpenAPI": "openapi: 3.1.0\ninfo: {title: x}\npaths: {}\n",
}


@pytest.mark.parametrize("text", OURS.values(), ids=OURS)
def test_a_spec_with_a_slip_is_a_spec(text):
    assert is_like_spec(text)


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_what_belongs_to_another_program_is_none(text):
    assert not is_like_spec(text)
