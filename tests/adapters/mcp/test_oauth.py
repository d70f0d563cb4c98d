"""A person agrees once in a browser; what was granted is kept for the owner alone."""

import asyncio
import stat
from urllib.parse import urlsplit

import pytest

from agentspec.adapters.mcp.oauth import Desk, Granted, Tokens, granted_in
from agentspec.errors import Unavailable

CLIENT = {"client_id": "c", "redirect_uris": ["http://127.0.0.1:0/callback"]}


async def visit(address: str, target: str) -> bytes:
    """What a browser that was sent to this machine gets."""
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(f"GET {target} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    page = await reader.read()
    writer.close()
    return page


async def asked(desk: Desk) -> asyncio.Task[Granted]:
    asking = asyncio.create_task(desk.ask("https://example.org/authorize"))
    await asyncio.sleep(0)
    return asking


@pytest.fixture
async def desk(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    notices: list[str] = []
    opened = Desk(notices.append)
    opened.notices = notices
    await opened.open(Tokens(None))
    yield opened
    await opened.close()


async def test_the_address_is_shown_and_the_code_comes_back_to_this_machine(desk):
    asking = await asked(desk)

    page = await visit(desk.redirect, "/callback?code=abc&state=s&iss=https://i")

    assert await asking == Granted("abc", "s", "https://i")
    assert page.endswith(b"You can close this window.")
    assert desk.notices == ["agree in a browser that this agent may use it: https://example.org/authorize"]


async def test_what_does_not_come_from_the_browser_is_nothing(desk):
    asking = await asked(desk)

    for target in ("/favicon.ico", "/other?code=evil", ""):
        await visit(desk.redirect, target)
    assert not asking.done()
    await visit(desk.redirect, "/callback?code=good")

    assert (await asking).code == "good"


async def test_a_refusal_is_told(desk):
    asking = await asked(desk)

    await visit(desk.redirect, "/callback?error=access_denied")

    with pytest.raises(Unavailable) as refused:
        await asking
    assert str(refused.value) == "the authorization server refused: access_denied"


def test_an_answer_without_a_code_is_a_refusal():
    with pytest.raises(Unavailable, match="it sent no code"):
        granted_in("state=s")


async def test_tokens_are_kept_for_their_owner_alone_and_read_again(tmp_path):
    from mcp.shared.auth import OAuthClientInformationFull, OAuthToken  # noqa: PLC0415 - optional

    path = tmp_path / "below" / "s.json"
    tokens = Tokens(path)
    await tokens.set_tokens(OAuthToken(access_token="secret"))
    await tokens.set_client_info(OAuthClientInformationFull.model_validate(CLIENT))

    again = Tokens(path)

    assert (await again.get_tokens()).access_token == "secret"
    assert (await again.get_client_info()).client_id == "c"
    assert again.redirect == "http://127.0.0.1:0/callback"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


async def test_a_file_that_cannot_be_read_is_as_none(tmp_path):
    (tmp_path / "s.json").write_text("{")

    assert await Tokens(tmp_path / "s.json").get_tokens() is None
