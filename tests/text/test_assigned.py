"""What stands behind a name that tells of a secret is hidden, however it is spelled, and nothing else is."""

import pytest

from agentspec.text.assigned import without_secrets

GEHEIM = [
    "password: geheim",
    "api_key=geheim",
    "apiKey = geheim",
    "Authorization: Bearer geheim",
    "proxy-authorization: Basic geheim",
    "Set-Cookie: sid=geheim; Path=/",
    "DB_PASS='geheim'",
    'export SECRET="geheim and more"',
    "export TOKEN=geheim # of the shop",
    '{"password": "geheim", "n": 1}',
    '{\\"client_secret\\": \\"geheim\\"}',
    "{user: ada, password: geheim}",
    "redis://:geheim@host/0",
    "https://ada:geheim@example.org/x",
    "https://example.org/?a=1&access_token=geheim&b=2",
    "password: |\n  geheim\nuser: ada",
    "mysql --password geheim -h host",
    "mysql --password=geheim",
    '["mysql", "--password", "geheim"]',
    "curl -s -u ada:geheim https://example.org",
    "machine example.org login ada password geheim",
    "<password>geheim</password>",
    '<add key="DbPassword" value="geheim"/>',
    "- name: DB_PASSWORD\n  value: geheim",
    '{"name":"DB_PASSWORD","value":"geheim"}',
    'os.environ["API_KEY"] = "geheim"',
    "spring.datasource.password=geheim",
    "//registry.example.org/:_authToken=geheim",
    "aws_secret_access_key = geheim",
    "AccountKey=geheim;EndpointSuffix=x",
    "Server=db;Password=geheim;Timeout=3",
    "root:$6$salt$geheim:19000",
    "The password is geheim.",
    "The token for the shop was `geheim`",
    "password_2: geheim",
    "password := 'geheim'",
    "kennwort: geheim",
    "password=$geheim1",
    "password: %dgeheim",
    "password: geheim(1",
]


@pytest.mark.parametrize("text", GEHEIM)
def test_what_stands_behind_its_name_is_hidden(text):
    left = without_secrets({"text": text, "more": [text]})

    assert "geheim" not in str(left.value)
    assert left.places == 2
    assert without_secrets(left.value) == left


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens: 5",
        "tokens=7",
        "token_count: 12",
        "password: str",
        "password = get_password()",
        "token = self.next()",
        "password: ${env.DB_PASSWORD}",
        "PASSWORD=$DB_PASSWORD",
        "set PASSWORD=%DB_PASSWORD%",
        "password = '%s' % found",
        "password = os.environ['X']",
        "<password>",
        "password: <your password>",
        "the password is required",
        "author: ada",
        "bypass: 1",
        "pass: 12, fail: 3",
        "password_length: 12",
        "a token is a word",
        "model.api_key_env=OPENAI_API_KEY",
        "password:\nuser: ada",
        "secret: null",
        '"password": ""',
        "https://example.org:8080/a@b",
    ],
)
def test_what_is_no_secret_stays(text):
    assert without_secrets([text, {"max_tokens": 7, "password": None, "token": True}]) == (
        [text, {"max_tokens": 7, "password": None, "token": True}],
        0,
    )


@pytest.mark.parametrize(
    "piece", ["a", "password ", "password: ", "-", "--a", "\\", "<", "<a password ", "curl ", "://a"]
)
def test_a_long_text_is_read_in_time_that_grows_with_it(piece):
    text = piece * (200_000 // len(piece))

    assert len(without_secrets(text).value) > 0
