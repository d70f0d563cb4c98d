"""An `http` tool sends the author's request; what the model says can only fill the places that were left for it."""

import json
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.tools.web.http_text import Address
from agentspec.adapters.tools.web.http_tool import HttpTool, compile_request
from agentspec.errors import ExpressionError
from agentspec.expressions.scope import make_scope
from agentspec.ports import Invocation
from tests.servers.loopback import CLOSE, STALL, Loopback, response

PARAMETERS = {"id": "string", "n": "integer?", "tags": "string[]?", "q": "string?"}
SCOPE = make_scope(parameters=PARAMETERS)


def tool(request, environment=None, timeout=5.0):
    return HttpTool(compile_request(request, SCOPE), environment or {}, timeout)


async def ask(request, environment=None, within=5.0, **arguments):
    made = tool(request, environment, within)
    try:
        return await made.call(Invocation(name="t", call_id="c", arguments=arguments, key="key-1", run={"id": "r1"}))
    finally:
        await made.close()


async def test_a_request_is_filled_in_and_its_json_answer_is_data():
    async with Loopback([[response({"ok": True})]]) as server:
        output = await ask(
            {
                "method": "POST",
                "url": "${env.BASE}/items/${args.id}?fixed=1",
                "headers": {"Authorization": "Bearer ${env.TOKEN}", "X-Run": "${run.id}"},
                "query": {"n": "${args.n}", "q": "${args.q}", "limit": 10, "all": True},
                "json": {
                    "id": "${args.id}",
                    "n": "${args.n}",
                    "tags": "${args.tags}",
                    "note": "for ${args.id}!",
                    "k": [1],
                },
            },
            {"BASE": server.url, "TOKEN": "geheim"},
            id="a/b ?&é",
            n=3,
            tags=["x"],
        )

    asked = server.asked[0]
    assert (output.text, output.data, output.status) == ('{"ok": true}', {"ok": True}, "ok")
    assert asked.line == "POST /v1/items/a%2Fb%20%3F%26%C3%A9?fixed=1&n=3&limit=10&all=true HTTP/1.1"
    assert asked.json == {"id": "a/b ?&é", "n": 3, "tags": ["x"], "note": "for a/b ?&é!", "k": [1]}
    assert {name: asked.headers[name] for name in ("authorization", "x-run", "content-type", "idempotency-key")} == {
        "authorization": "Bearer geheim",
        "x-run": "r1",
        "content-type": "application/json",
        "idempotency-key": "key-1",
    }


async def test_a_body_of_text_and_headers_of_the_author_win():
    async with Loopback([[response("done", headers={"content-type": "text/plain"})]]) as server:
        output = await ask(
            {
                "method": "PUT",
                "url": server.url,
                "body": "id=${args.id}",
                "headers": {"Content-Type": "application/x-www-form-urlencoded", "Idempotency-Key": "mine"},
            },
            id="7",
        )

    asked = server.asked[0]
    assert (output.text, output.data) == ("done", None)
    assert (asked.body, asked.headers["content-type"]) == (b"id=7", "application/x-www-form-urlencoded")
    assert asked.headers["idempotency-key"] == "mine"


@pytest.mark.parametrize(
    ("status", "body", "text", "retryable"),
    [(404, {"error": "no"}, '{"error": "no"}', False), (503, "busy", "busy", True), (401, b"", "HTTP 401", False)],
)
async def test_an_error_status_is_an_error_with_the_servers_words(status, body, text, retryable):
    async with Loopback([[response(body, status, {"content-type": "text/plain"})]]) as server:
        output = await ask({"url": f"{server.url}?key=secret"}, id="1")

    assert (output.status, output.text, output.data) == ("error", text, {"status": status})
    assert output.error.message == f"HTTP {status} from `{server.url}`"
    assert output.error.retryable is retryable


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ([response("{", headers={"content-type": "application/json"})], "the answer says that it is JSON, and is not"),
        ([response(b"\x89PNG", headers={"content-type": "image/png"})], "which is no text"),
        ([CLOSE], "the server closed the connection before it answered"),
        ([STALL], "0.3 s"),
        ([b"SSH-2.0-x\r\n\r\n"], "cannot be read"),
    ],
)
async def test_what_cannot_be_read_is_told(script, words):
    async with Loopback([script]) as server:
        output = await ask({"url": server.url}, within=0.3, id="1")

    assert output.status == "error"
    assert words in output.error.message


async def test_head_gives_the_headers():
    async with Loopback([[response("", headers={"etag": "abc", "content-length": "999"})]]) as server:
        output = await ask({"method": "HEAD", "url": server.url}, id="1")

    assert output.text.splitlines()[0] == "HTTP 200"
    assert (output.data["status"], output.data["headers"]["etag"]) == (200, "abc")


# --- redirects


async def test_a_redirect_on_the_same_server_is_followed_with_its_headers():
    async with Loopback([[response("", 302, {"location": "/there?x=1"})], [response({"n": 1})]]) as server:
        output = await ask({"url": server.url, "headers": {"X-Key": "k"}}, id="1")

    assert output.data == {"n": 1}
    assert [(one.line, one.headers["x-key"]) for one in server.asked] == [
        ("GET /v1 HTTP/1.1", "k"),
        ("GET /there?x=1 HTTP/1.1", "k"),
    ]


@pytest.mark.parametrize("place", ["http://localhost:{port}/", "http://127.0.0.1:{port}/", "//[::1]/x", "http://[bad/"])
async def test_no_redirect_leads_to_another_server(place):
    async with Loopback([[STALL]]) as other:
        location = place.format(port=other.port)
        async with Loopback([[response("", 307, {"location": location})]]) as server:
            output = await ask({"url": server.url, "headers": {"Authorization": "secret"}}, id="1")

    assert output.error.message.startswith("a redirect to ")
    assert other.asked == []


async def test_only_so_many_redirects_are_followed():
    async with Loopback([[response("", 302, {"location": "/again"})]]) as server:
        output = await ask({"url": server.url}, id="1")

    assert output.error.message.startswith("more than 3 redirects")
    assert len(server.asked) == 4


async def test_a_post_is_never_sent_twice():
    async with Loopback([[response("", 303, {"location": "/made/1"})]]) as server:
        output = await ask({"method": "POST", "url": server.url, "json": {}}, id="1")

    assert (output.status, output.text, output.data) == ("ok", "HTTP 303 to /made/1", {"status": 303})
    assert len(server.asked) == 1


# --- what the model says


@given(st.text(min_size=1, max_size=20).filter(lambda text: text not in (".", "..")))
def test_an_argument_stays_one_piece_of_the_address(text):
    text = text.encode("utf-8", "replace").decode()
    address = Address("https://api.example.org/v1/${args.id}/end?q=${args.id}", SCOPE)

    parts = urlsplit(address.render({"args": {"id": text}}))

    assert (parts.scheme, parts.netloc) == ("https", "api.example.org")
    assert [unquote(step) for step in parts.path.split("/")] == ["", "v1", text, "end"]
    assert parse_qsl(parts.query, keep_blank_values=True) == [("q", text)]


@pytest.mark.parametrize("text", [".", ".."])
async def test_no_argument_climbs_in_the_path(text):
    output = await ask({"url": "https://api.example.org/users/${args.id}"}, id=text)

    assert output.error.message == f"`{text}` can't stand in an address: it would lead to another place"


@pytest.mark.parametrize(
    ("url", "is_open"),
    [
        ("https://api.example.org/${args.id}", False),
        ("${env.BASE}/${args.id}", False),
        ("https://${inputs.host}/x/${args.id}", False),
        ("https://${args.id}.example.org/", True),
        ("https://${args.id}/", True),
        ("${args.id}", True),
        ("https://example.org?x=${args.id}", True),
    ],
)
def test_a_host_that_the_model_has_a_say_in_is_known(url, is_open):
    assert Address(url, make_scope(parameters=PARAMETERS, inputs={"host": "string"})).is_open is is_open


async def test_a_host_of_the_models_choice_has_to_be_public():
    async with Loopback([[response({})]]) as server:
        output = await ask({"url": f"http://${{args.id}}:{server.port}/"}, id="127.0.0.1")

    assert output.error.message == "`127.0.0.1` leads to `127.0.0.1`, which is no public address"
    assert server.connections == 0


@pytest.mark.parametrize("text", ["a\r\nX-Evil: 1", "a\nb", "\x00", "€"])
async def test_no_argument_makes_a_header_of_its_own(text):
    async with Loopback([[response({})]]) as server:
        output = await ask({"url": server.url, "headers": {"X-Id": "${args.id}"}}, id=text)

    assert output.error.message == "the value of the header `X-Id` has a character that a header cannot hold"
    assert server.asked == []


async def test_what_is_said_cannot_break_out_of_a_json_body():
    said = '", "admin": true, "x": "${env.TOKEN} ${args.n}'
    async with Loopback([[response({})]]) as server:
        await ask({"method": "POST", "url": server.url, "json": {"note": "so: ${args.id}"}}, {"TOKEN": "t"}, id=said)

    assert json.loads(server.asked[0].body) == {"note": f"so: {said}"}


async def test_a_variable_that_is_not_set_is_told_by_its_name():
    output = await ask({"url": "https://h/", "headers": {"A": "${env.NOT_THERE}"}}, id="1")

    assert output.error.message == "the environment variable `NOT_THERE` is not set"


def test_a_body_has_no_access_to_the_environment():
    with pytest.raises(ExpressionError, match="`env` cannot be read here"):
        compile_request({"url": "https://h/", "json": {"a": "${env.TOKEN}"}}, SCOPE)


def test_what_a_call_touches_is_its_address_without_the_query():
    made = tool(
        {"method": "DELETE", "url": "${env.BASE}/x/${args.id}?key=${env.KEY}"}, {"BASE": "https://h", "KEY": "k"}
    )

    touched = made.touches({"run": {}, "inputs": {}}, {"id": "a b"})

    assert (touched.url, touched.method) == ("https://h/x/a%20b", "DELETE")


@pytest.mark.parametrize(
    ("user", "sent"), [("ada", "ada"), ("a b/é", "a%20b%2F%C3%A9"), ("ada?admin=1#", "ada%3Fadmin%3D1%23")]
)
async def test_who_the_run_acts_for_is_sent_as_a_value(user, sent):
    request = {"url": "${env.BASE}/of/${identity.user}", "query": {"tenant": "${identity.tenant}"}}
    async with Loopback([[response({})]]) as server:
        made = tool(request, {"BASE": server.url})
        identity = {"user": user, "roles": [], "tenant": "t&u"}
        output = await made.call(Invocation(name="t", call_id="c", arguments={}, key="k", identity=identity))
        await made.close()

    assert (output.status, server.asked[0].line) == ("ok", f"GET /v1/of/{sent}?tenant=t%26u HTTP/1.1")


@pytest.mark.parametrize("user", ["ada\r\nX-Admin: 1", "a\0b"])
async def test_who_the_run_acts_for_adds_no_header(user):
    async with Loopback([[response({})]]) as server:
        made = tool({"url": "${env.BASE}", "headers": {"X-User": "${identity.user}"}}, {"BASE": server.url})
        output = await made.call(Invocation(name="t", call_id="c", arguments={}, key="k", identity={"user": user}))
        await made.close()

    assert (output.status, server.asked) == ("error", [])
