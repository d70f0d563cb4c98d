"""types: how the types of inputs, parameters and results are written, short or spelled out.

Only the form is checked here; lowering to JSON Schema belongs to the layers that call tools.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidatorFunctionWrapHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from agentspec.spec.base import Maybe, Record, Some, key
from agentspec.spec.kinds import MARK, Anything, Identifier, JsonSchema, Line, PathText, Regex, Shorthand, Whole
from agentspec.spec.values import is_full_schema

# What `is_full_schema` asks, for readers of the JSON Schema.
IS_FULL: Final[dict[str, Any]] = {
    "required": ["schema"],
    "maxProperties": 1,
    "properties": {
        "schema": {
            "type": "object",
            "anyOf": [
                {"required": ["properties"]},
                {"required": ["type"], "properties": {"type": {"const": "object"}}},
            ],
        }
    },
}


class TypeForm(Record):
    """A type that is spelled out: one of `type`, `enum`, `items`, `fields`, `any_of` or `schema`."""

    one_of = ("type", "enum", "items", "fields", "any_of", "schema")

    type: Maybe[Shorthand] = key("A type in one word.", None)
    enum: Maybe[Some[Anything]] = key("The values that are allowed.", None)
    items: Maybe[Shorthand | TypeForm] = key("A list of this type.", None)
    fields: Maybe[dict[Identifier, Shorthand | TypeForm]] = key("An object with these fields and no others.", None)
    any_of: Maybe[Some[Shorthand | TypeForm]] = key("One of these types.", None)
    schema_: Maybe[JsonSchema | PathText] = key("A JSON Schema, or the path of one.", None, alias="schema")
    optional: bool = key("Whether it may be left out.", default=False)
    default: Anything = key("What it is where it is left out.", None)
    description: Maybe[Line] = key("What it is, for the model and for people.", None)
    minimum: Maybe[float] = key("The smallest number.", None)
    maximum: Maybe[float] = key("The largest number.", None)
    exclusiveMinimum: Maybe[float] = key("A number that it must be above.", None)  # noqa: N815 - JSON Schema's word
    exclusiveMaximum: Maybe[float] = key("A number that it must be below.", None)  # noqa: N815 - JSON Schema's word
    multipleOf: Maybe[Annotated[float, Field(gt=0)]] = key("A step.", None)  # noqa: N815 - JSON Schema's word
    minLength: Maybe[Whole] = key("The shortest text, in characters.", None)  # noqa: N815 - JSON Schema's word
    maxLength: Maybe[Whole] = key("The longest text, in characters.", None)  # noqa: N815 - JSON Schema's word
    pattern: Maybe[Regex] = key("A regular expression that the text must match.", None)
    format: Maybe[Line] = key("A format of JSON Schema, such as `date`.", None)
    minItems: Maybe[Whole] = key("The fewest items.", None)  # noqa: N815 - JSON Schema's word
    maxItems: Maybe[Whole] = key("The most items.", None)  # noqa: N815 - JSON Schema's word
    uniqueItems: Maybe[bool] = key("Whether all items differ.", None)  # noqa: N815 - JSON Schema's word


Type = Shorthand | TypeForm
"""`string`, `number?`, `string[]`, or a mapping."""


class _Parameters:
    """Types by name, or `{schema: …}` alone with a JSON Schema of the whole, which is taken as written."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self._read, handler(source))

    def _read(self, value: object, named: ValidatorFunctionWrapHandler) -> object:
        return value if is_full_schema(value) else named(value)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core)
        named = {word: schema.pop(word) for word in ("propertyNames", "additionalProperties")}
        return {**schema, "if": IS_FULL, "else": named, MARK: {"kind": "parameters"}}


Parameters = Annotated[dict[Identifier, Type], _Parameters()]
"""The parameters of a tool."""
