"""Files that hold secrets are known by their names, however they are spelled."""

import pytest

from agentspec.adapters.tools.files.secret_files import SecretFiles


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/p/.env", ".env"),
        ("/p/.ENV", ".env"),
        ("/p/.env.local", ".env.*"),
        ("/p/.env.production", ".env.*"),
        ("/p/.envrc", ".envrc"),
        ("/p/.Env~", ".env"),
        ("/p/.env.example.bak", ".env.*"),
        ("/p/..env.swp", ".env"),
        ("/p/id_rsa.bak", "id_rsa"),
        ("/p/.id_ed25519.swp", "id_ed25519"),
        ("/p/id_ed25519_sk", "id_ed25519_sk"),
        ("/p/kubeconfig", "kubeconfig"),
        ("/p/prod.KubeConfig", "*.kubeconfig"),
        ("/p/client.p12", "*.p12"),
        ("/p/_netrc", "_netrc"),
        ("/p/.pgpass", ".pgpass"),
        ("/home/a/.docker/config.json~", ".docker/config.json"),
        ("/p/server.pem", "*.pem"),
        ("/p/Server.KEY", "*.key"),
        ("/p/id_rsa", "id_rsa"),
        ("/p/id_dsa", "id_dsa"),
        ("/p/id_ecdsa", "id_ecdsa"),
        ("/p/ID_ED25519", "id_ed25519"),
        ("/p/.netrc", ".netrc"),
        ("/p/.npmrc", ".npmrc"),
        ("/p/.pypirc", ".pypirc"),
        ("/p/.git-credentials", ".git-credentials"),
        ("/home/a/.ssh/config", ".ssh/**"),
        ("/home/a/.ssh/keys/deep/x.txt", ".ssh/**"),
        ("/home/a/.ssh", ".ssh/**"),
        ("/home/a/.AWS/credentials", ".aws/**"),
        ("/home/a/.gnupg/trustdb.gpg", ".gnupg/**"),
        ("/home/a/.kube/config", ".kube/config"),
        ("/home/a/.docker/config.json", ".docker/config.json"),
    ],
)
def test_a_secret_file_is_named_with_its_rule(path, rule):
    assert SecretFiles().reason(path) == rule


@pytest.mark.parametrize(
    "path",
    [
        "/p/.env.example",
        "/p/.env.SAMPLE",
        "/p/.env.template",
        "/p/env",
        "/p/notes.bak",
        "/p/~",
        "/p/.kube",
        "/p/environment.py",
        "/p/id_rsa.pub",
        "/p/keyboard.py",
        "/p/config.json",
        "/p/kube/config",
        "/p/ssh/config",
        "/",
    ],
)
def test_other_files_are_not(path):
    assert SecretFiles().reason(path) == ""


def test_the_list_can_be_extended():
    secrets = SecretFiles(["*.Vault", "conf/private/**"])

    assert secrets.reason("/p/a.VAULT") == "*.Vault"
    assert secrets.reason("/p/conf/private/deep/x") == "conf/private/**"
    assert secrets.reason("/p/conf/public/x") == ""
    assert secrets.reason("/p/.env") == ".env"
