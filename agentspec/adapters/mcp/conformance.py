"""conformance: drive the client as the public conformance suite of the protocol asks, one scenario a process.

Everything goes through the connection and the catalogue that runs use. Who agrees to an authorization, and who fills
in a form, are stood in for: the suite's own servers ask, and nobody else.

Contract: npm `@modelcontextprotocol/conformance` 0.2.0-alpha.12, README, "Client Testing".
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from agentspec.adapters.mcp.catalogue import Choice, McpTool, read_catalogue
from agentspec.adapters.mcp.connection import Connection, Failed, Mode, Server, require_sdk
from agentspec.adapters.mcp.oauth import Granted, Tokens, granted_in, oauth
from agentspec.errors import Unavailable

LAST_LEGACY = "2025-11-25"
REDIRECT = "http://127.0.0.1:3000/callback"
CLIENT_METADATA = "https://conformance-test.local/client-metadata.json"  # the document that the suite knows
VALUES = {"integer": 5, "number": 5, "string": "text", "boolean": True, "array": [], "object": {}}


async def conform(url: str, environment: Mapping[str, str], tell: Callable[[str], None]) -> bool:
    """Play the scenario that the suite names: list all tools and call them. False where a call had no answer."""
    require_sdk()
    scenario = environment.get("MCP_CONFORMANCE_SCENARIO", "")
    context = json.loads(environment.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    mode: Mode = "legacy" if environment.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "9") <= LAST_LEGACY else "auto"
    authorize = _authorizing(url, context) if scenario.startswith("auth/") else None
    connection = Connection(Server("suite", url=url, authorize=authorize), tell, mode=mode, elicit=_fill_in)
    try:
        listed = await connection.tools()
        found = read_catalogue(listed, Choice("suite"), set())
        for note in found.notes:
            tell(note)
        schemas = [tool.parameters for tool in found.tools]
        calls = context.get("toolCalls") or [
            {"name": tool.tool, "arguments": _arguments(tool, schemas)} for tool in found.tools
        ]
        for call in calls:
            tell(json.dumps(await connection.call(call["name"], call.get("arguments") or {}))[:500])
    except Failed as failure:
        tell(str(failure))
        return False
    finally:
        await connection.close()
    return True


def _arguments(tool: McpTool, schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """Arguments that fit; one named `schema` is given the first tool's own, as it was read."""
    properties: Mapping[str, Any] = tool.parameters.get("properties") or {}
    required = tool.parameters.get("required") or properties
    return {name: schemas[0] if name == "schema" else _value(properties.get(name) or {}) for name in required}


def _value(schema: Mapping[str, Any]) -> Any:
    return schema.get("default", VALUES.get(str(schema.get("type")), "text"))


async def _fill_in(_: Any, asked: Any) -> Any:
    """Agree to what is asked, with the defaults of its form."""
    from mcp_types import ElicitResult  # noqa: PLC0415 - optional, and slow to load

    form = getattr(asked, "requested_schema", None) or {}
    properties: Mapping[str, Any] = form.get("properties") or {}
    wanted = {*(form.get("required") or ()), *(name for name, each in properties.items() if "default" in each)}
    return ElicitResult(action="accept", content={name: _value(properties.get(name) or {}) for name in wanted})


def _authorizing(url: str, context: Mapping[str, Any]) -> Any:
    @asynccontextmanager
    async def authorize(_: Callable[[str], None]) -> AsyncIterator[Any]:
        tokens = Tokens(None)
        if context.get("client_id"):
            await tokens.set_client_info(_registered(context))
        yield oauth(url, tokens, _agree, REDIRECT, CLIENT_METADATA)

    return authorize


def _registered(context: Mapping[str, Any]) -> Any:
    from mcp.shared.auth import OAuthClientInformationFull  # noqa: PLC0415 - optional, and slow to load

    secret = context.get("client_secret")
    method = "client_secret_basic" if secret else "none"
    known = {"client_id": context["client_id"], "client_secret": secret, "redirect_uris": [REDIRECT]}
    return OAuthClientInformationFull.model_validate(known | {"token_endpoint_auth_method": method})


async def _agree(address: str) -> Granted:
    """The suite's authorization server agrees at once, by a redirect that no browser follows here."""
    import httpx2  # noqa: PLC0415 - comes with the optional `mcp`

    async with httpx2.AsyncClient() as client:
        answer = await client.get(address)
    location = answer.headers.get("location")
    if location is None:
        raise Unavailable(f"the authorization server answered {answer.status_code} without a redirect")
    return granted_in(urlsplit(location).query)
