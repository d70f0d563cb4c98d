"""Whatever a model writes into an argument is a value: it never becomes SQL, and shows and changes nobody else's rows."""

import asyncio

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

FRAGMENTS = [
    "' OR '1'='1",
    "'; DELETE FROM orders; --",
    '" OR ""="',
    "bob' --",
    "\\'; DROP TABLE orders; --",
    "1) OR (1=1",
    "%",
    "_",
    ":id",
    "%(param_1)s",
    "$1",
    "?",
    "a\0b",
    "\ud800",
    "NULL",
    "{}",
    '{"$ne": null}',
    "/*",
    "pear",
    "bob",
    "2",
    "ﬀ\u202e\u0130",
]
TEXTS = st.sampled_from(FRAGMENTS) | st.text(max_size=30)
WHOLES = st.integers() | st.sampled_from([0, -1, 2, 2**31, 2**63, -(2**63) - 1, 10**400])
NUMBERS = WHOLES | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([1e308, 5e-324, -0.0])
ORDERS = st.sampled_from(["id", "-id", "owner", "-owner", "price", "-note"])
WORDS = st.fixed_dictionaries(
    {},
    optional={
        "owner": TEXTS,
        "item": TEXTS,
        "note": TEXTS,
        "qty": WHOLES,
        "price": NUMBERS,
        "paid": st.booleans(),
        "id": WHOLES,
    },
)
PAGES = st.fixed_dictionaries({}, optional={"order": ORDERS, "limit": st.integers(1, 50), "cursor": TEXTS})
GRANTED = {
    "verbs": ["get", "search", "create", "update", "delete"],
    "where": "row.owner == identity.user",
    "columns": {"write": ["owner", "item", "qty", "price", "paid", "note"]},
    "defaults": {"owner": "${identity.user}", "note": "${has(args.item) ? args.item : ''}"},
    "actions": {"find": {"parameters": {"q": "any"}, "sql": ["SELECT :q AS q"]}},
    "audit": "audit",
}
THEIRS = "SELECT id, owner, item, qty, note FROM orders WHERE owner <> 'ada' ORDER BY id"


def tried(shop, tools, name, arguments, key):
    """The answer to a call, and that nothing of anybody else is in it or has changed."""
    before = shop.do(THEIRS)
    output = asyncio.run(tools.raw(name, arguments, key))
    assert shop.do(THEIRS) == before
    told = output.text if output.error is None else output.error.message
    assert "for bob" not in told
    assert "other case" not in told
    assert "Error" not in told, told  # no word of a library
    return output


def many(function):
    few = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
    return few(function)


@many
@given(filters=WORDS, pages=PAGES)
@example(filters={"owner": "bob"}, pages={})
@example(filters={"paid": False, "id": 2}, pages={"order": "-owner", "limit": 1})
def test_a_search_shows_own_rows_whatever_it_asks_for(shop, filters, pages):
    output = tried(shop, shop.kept(**GRANTED), "search_orders", {**filters, **pages}, "k")

    if output.error is None:
        assert {row["owner"] for row in output.data["rows"]} <= {"ada"}


@many
@given(
    name=st.sampled_from(["create_orders", "update_orders", "delete_orders", "get_orders"]), given=WORDS, number=WHOLES
)
@example(name="update_orders", given={"owner": "bob"}, number=1)
@example(name="delete_orders", given={}, number=2)
@example(name="create_orders", given={"item": "pear"}, number=0)
def test_a_change_reaches_own_rows_alone(shop, name, given, number):
    arguments = given if name == "create_orders" else {**given, "id": number}

    output = tried(shop, shop.kept(**GRANTED), name, arguments, repr(arguments))

    if output.error is None and "owner" in (output.data or {}):
        assert output.data["owner"] == "ada"


VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)


@many
@given(value=TEXTS)
def test_a_text_comes_back_from_a_statement_as_it_went_in(shop, value):
    output = tried(shop, shop.kept(**GRANTED), "find", {"q": value}, repr(value))

    if output.error is None:
        assert output.data == {"rows": [{"q": value}]}
    else:
        assert output.error.message.startswith("`q` holds ")


@many
@given(value=VALUES, name=st.sampled_from(["get_orders", "delete_orders", "update_orders", "find"]))
def test_any_value_of_an_argument_has_an_answer(shop, value, name):
    arguments = {"q": value} if name == "find" else {"id": value, "note": value, "qty": value, "price": value}

    tried(shop, shop.kept(**{**GRANTED, "audit": None}), name, arguments, "k")


@pytest.mark.parametrize("user", ["' OR '1'='1", "bob'--", "ada\nbob", "%", ""])
def test_the_identity_is_a_value_too(shop, user):
    tools = shop(**GRANTED, identity={"user": user, "roles": [user], "tenant": user})

    assert asyncio.run(tools.ids()) == []
