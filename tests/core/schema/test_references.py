"""Where a `$ref` leads: into its own schema, into a component, or nowhere; and the way out."""

import pytest

from agentspec.core.schema.references import dead_end

ROOT = {
    "properties": {"who": {}, "a/b": {}, "tags": {"prefixItems": [{}, {"$anchor": "second"}]}},
    "$defs": {"Id": {"type": "string"}},
}
COMPONENTS = {"Person": {"properties": {"name": {}}}}
ELSEWHERE = ("nothing stands there in this schema", "write it from the root of this schema: `#/$defs/NAME`")


@pytest.mark.parametrize(
    "ref",
    [
        "#",
        "#/$defs/Id",
        "#/properties/a~1b",
        "#/properties/tags/prefixItems/1",
        "#second",
        "#/%24defs/Id",
        "#/components/Person",
        "#/components/schemas/Person",
        "#/components/Person/properties/name",
    ],
)
def test_a_reference_leads_to_what_stands_there(ref):
    assert dead_end(ref, ROOT, COMPONENTS) is None


@pytest.mark.parametrize(
    ("ref", "told"),
    [
        ("#/$defs/Ids", ELSEWHERE),
        ("#/properties/tags/prefixItems/2", ELSEWHERE),
        ("#third", ELSEWHERE),
        ("#/definitions/Person", ("nothing stands there in this schema", "write `#/components/Person`")),
        ("#/components/Persn", ("there is no component `Persn`", "did you mean `#/components/Person`?")),
        ("#/components/Zebra", ("there is no component `Zebra`", "there are `Person`")),
        (
            "#/components/Person/properties/age",
            ("nothing stands there in the component `Person`", "write `#/components/Person`, or where in it"),
        ),
        (
            "https://a.example/person.json",
            ("it names another document, and nothing is fetched", "put the schema into `capability.components`"),
        ),
    ],
)
def test_a_reference_that_leads_nowhere_is_told_with_the_way_out(ref, told):
    assert dead_end(ref, ROOT, COMPONENTS) == told


def test_documents_within_a_document_are_not_judged():
    assert dead_end("person.json#/x", {"$defs": {"p": {"$id": "person.json"}}}, {}) is None
