"""types: the types that names in expressions have, and how every document form of a type is read.

Reading never fails: a form that says nothing understandable is `any`; the shape check finds what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, TypeAlias

from agentspec.syntax.limits import MAX_TYPE_MARKS

Kind = Literal["number", "integer", "string", "boolean", "time", "object", "any", "list", "record"]

SCALARS: dict[str, Kind] = {
    "number": "number",
    "integer": "integer",
    "string": "string",
    "boolean": "boolean",
    "time": "time",
    "object": "object",
    "any": "any",
}


class Type(NamedTuple):
    """One type. `members` are the only values of an enum; `fields` belong to a record, `item` to a list or object.

    Optional values may be missing: `has(x)` asks, and using one while it is missing fails.
    """

    kind: Kind
    optional: bool = False
    item: Type | None = None
    fields: tuple[tuple[str, Type], ...] = ()
    members: tuple[str, ...] = ()
    name: str = ""  # of a record that places declare: `turn`, `tool_result`

    def field(self, name: str) -> Type | None:
        """The type of a record's field, or None where it has no such field."""
        for known, found in self.fields:
            if known == name:
                return found
        return None

    def __str__(self) -> str:
        return spell(self)


Fields: TypeAlias = tuple[tuple[str, Type], ...]

ANY = Type("any")
OBJECT = Type("object")
STRING = Type("string")


def spell(form: Type) -> str:
    """The type as an author writes it: `number`, `string?`, `"a" | "b"`, `string[]`, `{name: string}`."""
    if form.members:
        text = " | ".join(f'"{member}"' for member in form.members)
        text = f"({text})" if form.optional else text
    elif form.kind == "list" and form.item is not None:
        inner = spell(form.item)
        text = f"({inner})[]" if " | " in inner and not inner.startswith(("(", "{")) else f"{inner}[]"
    elif form.kind == "record":
        text = form.name or "{" + ", ".join(f"{name}: {spell(found)}" for name, found in form.fields) + "}"
    else:
        text = form.kind
    return text + "?" if form.optional else text


def record(fields: Mapping[str, object], name: str = "") -> Type:
    """A record from names and the forms of their types."""
    return Type("record", fields=tuple((key, read_type(form)) for key, form in fields.items()), name=name)


def read_type(form: object) -> Type:
    """The type that a document form says: shorthand text, `{enum}`, `{items}`, `{fields}`, or a JSON Schema."""
    if isinstance(form, Type):
        return form
    if isinstance(form, str):
        return _read_word(form.strip())
    if isinstance(form, Mapping):
        found = _read_mapping(form)
        return found._replace(optional=True) if form.get("optional") is True and "default" not in form else found
    return ANY


def _read_word(word: str) -> Type:
    if word.count("[") + word.count("?") > MAX_TYPE_MARKS:
        return ANY
    if word.endswith("?"):
        return _read_word(word[:-1].rstrip())._replace(optional=True)
    if word.endswith("[]"):
        return Type("list", item=_read_word(word[:-2].rstrip()))
    if word == "array":
        return Type("list", item=ANY)
    return Type(SCALARS.get(word, "any"))


def _read_mapping(form: Mapping[str, object]) -> Type:
    if isinstance(form.get("enum"), list):
        return _read_enum(form["enum"])
    if "const" in form:
        return _read_enum([form["const"]])
    fields = form.get("fields")
    if isinstance(fields, Mapping):
        return record(fields)
    if "values" in form:
        return Type("object", item=read_type(form["values"]))
    word = form.get("type")
    if isinstance(word, list):
        return _read_union(word, form)
    if isinstance(form.get("properties"), Mapping):
        return _read_properties(form)
    if "items" in form and word in (None, "array"):
        return Type("list", item=read_type(form["items"]))
    return read_type(word) if isinstance(word, str | Mapping) else ANY


def _read_union(words: list[object], form: Mapping[str, object]) -> Type:
    rest = [word for word in words if word != "null"]
    if len(rest) != 1:
        return ANY
    return read_type({**form, "type": rest[0]})._replace(optional=len(rest) < len(words))


def _read_enum(members: object) -> Type:
    values = members if isinstance(members, list) else []
    words = tuple(value for value in values if isinstance(value, str))
    missing = None in values
    if words and len(words) + missing == len(values):
        return Type("string", optional=missing, members=words)
    kinds = {type(value) for value in values if value is not None}
    kind: dict[frozenset[type], Kind] = {
        frozenset((bool,)): "boolean",
        frozenset((int,)): "integer",
        frozenset((float,)): "number",
        frozenset((int, float)): "number",
    }
    return Type(kind.get(frozenset(kinds), "any"), optional=missing)


def _read_properties(form: Mapping[str, object]) -> Type:
    """A closed or open object with known properties; what is not required is optional (JSON Schema 2020-12)."""
    properties = form["properties"]
    assert isinstance(properties, Mapping)
    required = form.get("required")
    needed = set(required) if isinstance(required, Iterable) and not isinstance(required, str) else set()
    fields: list[tuple[str, Type]] = []
    for name, inner in properties.items():
        found = read_type(inner)
        has_value = name in needed or (isinstance(inner, Mapping) and "default" in inner)
        fields.append((str(name), found if has_value else found._replace(optional=True)))
    return Type("record", fields=tuple(fields)) if fields else OBJECT


def read_parameters(form: object) -> Fields:
    """The parameters of a tool by name, from shorthand or from a full JSON Schema under `schema`."""
    if not isinstance(form, Mapping):
        return ()
    schema = form.get("schema")
    if isinstance(schema, Mapping) and ("properties" in schema or schema.get("type") == "object"):
        return read_type(schema).fields
    return tuple((str(name), read_type(inner)) for name, inner in form.items())
