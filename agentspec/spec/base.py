"""base: what all models of the spec share: strict, frozen, closed, with one line of documentation for each key.

No key stands here, and nothing on the way of `agentspec check` may import this file: it needs pydantic.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Final, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

T = TypeVar("T")

FREE_PREFIX: Final = "x-"


def _refuse_null(value: object) -> object:
    if value is None:
        raise ValueError("a value is needed here")
    return value


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


Maybe = Annotated[T | None, BeforeValidator(_refuse_null)]
"""A key that may be left out. `None` means *not written*: an author's null is refused."""

Items = Annotated[tuple[T, ...], BeforeValidator(_tuple)]
"""A list, read into a tuple so that the record stays frozen."""

Some = Annotated[tuple[T, ...], Field(min_length=1), BeforeValidator(_tuple)]
"""A list with at least one item: an empty one would mean nothing."""


def key(doc: str, default: Any = ..., *, shown: str | None = None, alias: str | None = None) -> Any:
    """A key of a section: its line of documentation and its default as an author writes it.

    A default other than None is validated like a written value (`"120s"` becomes `120.0`). `shown` says in words what
    holds where a key is left out and no value can say it. A key whose default is None is unset. Without a default the
    key is required.
    """
    shown_default: dict[str, Any] = {} if shown is None else {"x-default": shown}
    if default is None or default is ...:
        return Field(default, description=doc, json_schema_extra=shown_default, alias=alias)
    return Field(default, description=doc, validate_default=True, json_schema_extra=shown_default, alias=alias)


class Record(BaseModel):
    """The base of everything that an author writes with braces. Its docstring's first line is its documentation.

    `one_of`: exactly one of these keys; `some_of`: at least one; `not_both`: pairs that exclude each other;
    `needs`: a key that is only allowed beside another. A key that begins with `x-` is allowed and ignored everywhere.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True, allow_inf_nan=False)

    one_of: ClassVar[tuple[str, ...]] = ()
    some_of: ClassVar[tuple[str, ...]] = ()
    not_both: ClassVar[tuple[tuple[str, str], ...]] = ()
    needs: ClassVar[dict[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _without_free_keys(cls, values: object) -> object:
        if not isinstance(values, dict):
            return values
        return {name: value for name, value in values.items() if not str(name).startswith(FREE_PREFIX)}

    @model_validator(mode="after")
    def _keys_agree(self) -> Self:
        for problem in self._conflicts(self._written()):
            raise ValueError(problem)
        return self

    def _written(self) -> set[str]:
        fields = type(self).model_fields
        return {fields[name].alias or name for name in self.model_fields_set}

    @classmethod
    def _conflicts(cls, written: set[str]) -> Iterator[str]:
        if cls.one_of and len(written.intersection(cls.one_of)) != 1:
            yield f"exactly one of {cls.one_of}"
        if cls.some_of and written.isdisjoint(cls.some_of):
            yield f"at least one of {cls.some_of}"
        for pair in cls.not_both:
            if written.issuperset(pair):
                yield f"not both of {pair}"
        for name, other in cls.needs.items():
            if name in written and other not in written:
                yield f"{name} needs {other}"

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core)
        form = handler.resolve_ref_schema(schema)
        form["description"] = (cls.__doc__ or "").partition("\n")[0]
        form["patternProperties"] = {f"^{FREE_PREFIX}": True, "^[+]": {"type": "array"}}
        if cls.one_of:
            form["oneOf"] = [{"required": [name]} for name in cls.one_of]
        if cls.some_of:
            form["anyOf"] = [{"required": [name]} for name in cls.some_of]
        if cls.not_both:
            form["allOf"] = [{"not": {"required": list(pair)}} for pair in cls.not_both]
        if cls.needs:
            form["dependentRequired"] = {name: [other] for name, other in cls.needs.items()}
        return schema
