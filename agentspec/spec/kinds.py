"""kinds: the kinds of value that a key can hold, each a type for Python and an annotation for the schema.

A kind says what a value is (`duration`, `expression`, a reference to a tool), never whether it is right in its spec.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from agentspec.spec.statuses import RESERVED_STATUSES, STATUS
from agentspec.spec.values import DURATION_UNITS, SIZE_UNITS, is_pattern, parse_duration, parse_size
from agentspec.syntax.limits import MAX_TYPE_MARKS

MARK: Final = "x-agentspec"

NAME: Final = r"^[A-Za-z_][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*$"
TOOL_NAME: Final = r"^[A-Za-z0-9_-]{1,64}$"
IDENTIFIER: Final = r"^[A-Za-z_][A-Za-z0-9_]*$"
VARIABLE: Final = r"^[A-Za-z_][A-Za-z0-9_]*$"
SEMVER: Final = (
    r"^(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)"
    r"(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$"
)  # semver.org, 2.0.0
RANGE: Final = (
    r"^(?:\*|(?:\^|~|>=|<=|>|<|=)?[0-9]+(?:\.[0-9]+){0,2}(?:-[0-9A-Za-z.-]+)?"
    r"(?:(?:, *| +)(?:\^|~|>=|<=|>|<|=)?[0-9]+(?:\.[0-9]+){0,2}(?:-[0-9A-Za-z.-]+)?)*)$"
)
PYTHON: Final = r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$"
_SLOT = r"\$\{[^}]*\}"
_HOST = rf"(?:\[[0-9A-Fa-f:.]+\]|(?:[^\s/?#@:\[\]$]|{_SLOT})+)"
_PORT = rf"(?::(?:[0-5]?\d{{1,4}}|6[0-4]\d{{3}}|65[0-4]\d\d|655[0-2]\d|6553[0-5]|{_SLOT})?)?"
_REST = rf"(?:[/?#](?:[!-#%-~]|\$[!-z|}}~]|{_SLOT})*\$?)?"  # RFC 3986, 2: what is no ASCII is written with `%`
_OPEN = r"\$\{[^}]*"  # a slot that is not closed is a finding of its own
_WEB = r"[Hh][Tt][Tt][Pp][Ss]?://"
ADDRESS: Final = rf"^\s*(?:{_WEB}(?:[^\s/?#@]*@)?(?:{_HOST}{_PORT}{_REST}(?:{_OPEN})?|{_OPEN})\s*$|\$\{{)"
WEB_ADDRESS: Final = rf"^\s*(?:{_WEB}[^\s/?#]|\$\{{)"
HEADER_NAME: Final = r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"  # RFC 9110, 5.6.2
HEADER_TEXT: Final = r"^\s*[^\x00-\x08\x0a-\x1f\x7f]*\s*$"
SHORTHAND: Final = rf"^(?:string|integer|number|boolean|object|any)(?:\[\]|\?){{0,{MAX_TYPE_MARKS}}}$"


class Mark:
    """Puts `x-agentspec` beside what JSON Schema can say about a value, and limits that it can say itself."""

    def __init__(self, kind: str, *, schema: dict[str, Any] | None = None, **more: Any) -> None:
        self.annotation = {"kind": kind, **more}
        self.schema = schema or {}

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core)
        schema.update(self.schema)
        schema[MARK] = self.annotation
        return schema


class Quantity:
    """A number with a unit, read into seconds or bytes."""

    def __init__(self, measure: str, *, positive: bool = False) -> None:
        self.measure, self.positive = measure, positive

    def _read(self, value: object) -> float | int:
        if not isinstance(value, str):
            raise ValueError(f"a {self.measure} is written with its unit")  # noqa: TRY004 - pydantic hears ValueError
        amount = parse_duration(value) if self.measure == "duration" else parse_size(value)
        if self.positive and not amount:
            raise ValueError(f"a {self.measure} above zero is needed")
        return amount

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        del source, handler
        return core_schema.no_info_plain_validator_function(self._read)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        del core, handler
        units = "|".join(DURATION_UNITS if self.measure == "duration" else SIZE_UNITS)
        above = r"(?!0+(?:\.0+)?[A-Za-z])" if self.positive else ""
        mark = {"kind": self.measure, "positive": True} if self.positive else {"kind": self.measure}
        return {"type": "string", "pattern": rf"^{above}[0-9]+(?:\.[0-9]+)?(?:{units})$", MARK: mark}


def cel_text(value: object) -> object:
    """The CEL text of what was written for an expression: a bare `true` or `3` is an expression too."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case _:
            return value


class Expression:
    """A CEL expression, kept as its text. `place` is the key of its typed names in `agentspec.expressions.places`."""

    def __init__(self, place: str, **more: Any) -> None:
        self.annotation = {"kind": "expression", "place": place, **more}

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        del source, handler
        text = core_schema.str_schema(strict=True, pattern=r"\S", regex_engine="python-re")
        return core_schema.no_info_before_validator_function(cel_text, text)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        del core, handler
        return {"type": ["string", "boolean", "number"], "pattern": r"\S", MARK: self.annotation}


def _not_reserved(word: str) -> str:
    if word in RESERVED_STATUSES:
        raise ValueError(f"`{word}` is the runtime's own word")
    return word


def _compiles(pattern: str) -> str:
    if not is_pattern(pattern):
        raise ValueError("not a regular expression")
    return pattern


def _only_boolean(value: object) -> object:
    """`1` is equal to `True` in Python and is no boolean in a spec."""
    if not isinstance(value, bool):
        raise ValueError("a boolean is needed here")  # noqa: TRY004 - pydantic hears ValueError
    return value


Yes = Annotated[Literal[True], BeforeValidator(_only_boolean)]
"""`true`, and nothing else."""
No = Annotated[Literal[False], BeforeValidator(_only_boolean)]
"""`false`, and nothing else."""

Duration = Annotated[float, Quantity("duration")]
"""Seconds, written with a unit: `250ms`, `30s`, `5m`, `2h`, `1d`."""
Period = Annotated[float, Quantity("duration", positive=True)]
"""Seconds above zero."""
Size = Annotated[int, Quantity("size", positive=True)]
"""Bytes, written with a unit: `64KiB`, `10MB`."""

Count = Annotated[int, Field(ge=1)]
"""A whole number from 1."""
Whole = Annotated[int, Field(ge=0)]
"""A whole number from 0."""
Share = Annotated[float, Field(ge=0, le=1)]
"""A number from 0 to 1."""
Money = Annotated[float, Field(gt=0), Mark("money")]
"""US dollars above zero."""
Price = Annotated[float, Field(ge=0), Mark("money")]
"""US dollars, zero included: a local model costs nothing."""

Line = Annotated[str, Field(pattern=r"\S", min_length=1)]
"""Text that isn't blank."""
Text = Annotated[str, Mark("template", place="prompt")]
"""Text for the model, with `${inputs.x}` and `${run.x}`."""
CallText = Annotated[str, Mark("template", place="tools.template")]
"""Text of a tool, with `${args.x}`, `${identity.x}`, `${inputs.x}` and `${run.x}`."""
SecretText = Annotated[str, Mark("template", place="connection")]
"""Text that may hold `${env.NAME}`; never shown and never journaled."""

Address = Annotated[str, Field(pattern=ADDRESS), Mark("template", place="connection", form="address")]
"""Where a server answers, over HTTP; it may hold `${env.NAME}`."""
HeaderName = Annotated[str, Field(pattern=HEADER_NAME), Mark("name")]
HeaderText = Annotated[str, Field(pattern=HEADER_TEXT), Mark("template", place="connection", form="header")]
"""The value of a header: one line, which may hold `${env.NAME}`."""

Name = Annotated[str, Field(pattern=NAME), Mark("name")]
Identifier = Annotated[str, Field(pattern=IDENTIFIER), Mark("name")]
ToolName = Annotated[str, Field(pattern=TOOL_NAME), Mark("name")]
Variable = Annotated[str, Field(pattern=VARIABLE), Mark("variable")]
"""The name of an environment variable."""
Status = Annotated[
    str,
    Field(pattern=STATUS),
    AfterValidator(_not_reserved),
    Mark("status", schema={"not": {"enum": list(RESERVED_STATUSES)}}),
]
"""The status that a rule ends a run with."""
Version = Annotated[str, Field(pattern=SEMVER), Mark("version")]
VersionRange = Annotated[str, Field(pattern=RANGE), Mark("range")]
Python = Annotated[str, Field(pattern=PYTHON), Mark("python")]
"""`package.module:function`; runs only with `--allow-python`."""
Regex = Annotated[str, Field(min_length=1), AfterValidator(_compiles), Mark("regex")]
PathText = Annotated[str, Field(min_length=1), Mark("path")]
Glob = Annotated[str, Field(min_length=1), Mark("glob")]
Host = Annotated[str, Field(pattern=r"^[^\s/]+$"), Mark("host")]
"""`api.example.org`, `*.example.org`, `localhost:8080`, or `*` for any."""

ToolRef = Annotated[str, Field(min_length=1), Mark("reference", to="tool")]
ToolGlob = Annotated[str, Field(min_length=1), Mark("reference", to="tool", glob=True)]
AgentRef = Annotated[str, Field(min_length=1), Mark("reference", to="agent")]
ProviderRef = Annotated[str, Field(pattern=NAME), Mark("reference", to="provider")]

Free = Annotated[dict[str, Any], Mark("free")]
"""A mapping that is handed on as it is."""
Anything = Annotated[Any, Mark("free")]
"""Any value, null included."""
JsonSchema = Annotated[dict[str, Any], Mark("json_schema")]
"""A JSON Schema 2020-12, taken as written."""

Shorthand = Annotated[str, Field(pattern=SHORTHAND), Mark("type")]
"""A type in one word: `string`, `number?`, `string[]`."""
