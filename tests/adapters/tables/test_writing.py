"""Rows are written as they are granted, within the caller's rows, and each change leaves its audit row or nothing."""

import json

import pytest

MINE = "row.owner == identity.user"
WRITE = {"write": ["item", "qty", "price", "paid", "note"]}
OWNER = {"owner": "${identity.user}"}


@pytest.fixture(autouse=True)
def granted(shop):
    verbs = ["get", "search", "create", "update", "delete"]
    shop.defaults = {"verbs": verbs, "where": MINE, "columns": WRITE, "defaults": OWNER}


async def test_a_new_row_gets_its_defaults_and_is_shown_as_it_was_stored(shop):
    row = await shop().value("create_orders", item="kiwi", qty=2, price=0.3, paid=True)

    assert row == {"id": 5, "owner": "ada", "item": "kiwi", "qty": 2, "price": 0.3, "paid": True, "note": None}


async def test_a_new_row_that_the_caller_could_not_see_is_not_made(shop):
    tools = shop(columns={"write": ["owner", "item"]})

    words = await tools.refusal("create_orders", owner="bob", item="kiwi")

    assert words == "the new row would not be among those of `orders` that you may see; nothing was changed"
    assert shop.do("SELECT count(*) FROM orders") == [(4,)]


async def test_nobody_in_particular_makes_no_row_that_belongs_to_nobody(shop):
    tools = shop(identity={})

    assert await tools.refusal("create_orders", item="kiwi") == "`identity.user` has no value"


async def test_a_change_is_shown_whole_and_touches_nothing_else(shop):
    row = await shop().value("update_orders", id=1, qty=4, note=None)

    assert row == {"id": 1, "owner": "ada", "item": "apple", "qty": 4, "price": 1.5, "paid": True, "note": None}
    assert shop.do("SELECT id FROM orders WHERE qty = 4") == [(1,)]


@pytest.mark.parametrize(("name", "more"), [("update_orders", {"qty": 1}), ("delete_orders", {})])
async def test_a_hidden_row_is_neither_changed_nor_removed(shop, name, more):
    assert await shop().refusal(name, id=2, **more) == "`orders` has no row with `id` 2"
    assert shop.do("SELECT qty FROM orders WHERE id = 2") == [(5,)]


async def test_no_change_moves_a_row_out_of_the_callers_sight(shop):
    tools = shop(columns={"write": ["owner"]})

    words = await tools.refusal("update_orders", id=1, owner="bob")

    assert words == "the row would leave those of `orders` that you may see; nothing was changed"
    assert shop.do("SELECT owner FROM orders WHERE id = 1") == [("ada",)]


async def test_a_row_is_removed_once(shop):
    tools = shop()

    assert await tools.value("delete_orders", id=1) == {"deleted": 1}
    assert await tools.refusal("delete_orders", id=1) == "`orders` has no row with `id` 1"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"item": "pear"},
            {
                "sqlite": "a value that has to be unique is taken already (`orders.item`)",
                "postgresql": "a value that has to be unique is taken already (`orders_item_key`)",
            },
        ),
        (
            {"item": "kiwi", "qty": 0},
            {
                "sqlite": "the table does not allow these values (`qty > 0`)",
                "postgresql": "the table does not allow these values (`orders_qty_check`)",
            },
        ),
        ({"item": None}, "`item` can't be null"),
        ({"item": "a\0b"}, "`item` holds a NUL character, which no text of a table may"),
        (
            {"item": "kiwi", "qty": 2**80},
            {
                "sqlite": "`qty` is an integer of 64 bits, and this one is larger",
                "postgresql": "`qty` is an integer of 32 bits, and this one is larger",
            },
        ),
        ({"item": "\ud800"}, "`item` holds half of a surrogate pair, which is no character"),
    ],
)
async def test_what_the_table_refuses_is_told_without_the_values_of_other_rows(shop, arguments, words):
    tools = shop()

    output = await tools.raw("create_orders", arguments)

    assert (output.status, output.error.message) == (
        "error",
        words if isinstance(words, str) else words[shop.dialect],
    )
    assert shop.do("SELECT count(*) FROM orders") == [(4,)]


async def test_each_change_and_its_audit_row_are_kept_together(shop):
    tools = shop(audit="agentspec_audit")

    await tools.call("update_orders", id=1, qty=4, key="k1")
    await tools.call("create_orders", item="pear", key="k2")  # is refused: `pear` is taken

    (kept,) = shop.do(
        "SELECT call_key, at, run_id, tool, verb, row_key, identity_user, before, after FROM agentspec_audit"
    )
    assert kept[:7] == ("k1", "2023-11-14T22:13:20Z", "r1", "update_orders", "update", "1", "ada")
    assert [json.loads(value)["qty"] for value in kept[7:]] == [3, 4]


async def test_a_change_whose_audit_row_can_not_be_written_is_not_made(shop):
    shop.do("CREATE TABLE agentspec_audit (call_key TEXT, answer TEXT, other TEXT NOT NULL)")
    tools = shop(audit="agentspec_audit")

    assert "failed" in await tools.refusal("update_orders", id=1, qty=4)
    assert shop.do("SELECT qty FROM orders WHERE id = 1") == [(3,)]


async def test_a_call_that_is_made_again_after_a_crash_is_answered_and_not_repeated(shop):
    tools = shop(audit="agentspec_audit")

    first = await tools.call("create_orders", item="kiwi", key="once")
    again = await tools.call("create_orders", item="kiwi", key="once")

    assert again.data == first.data
    assert shop.do("SELECT count(*) FROM orders") == [(5,)]
    assert tools.tools["create_orders"][0].repeat == "idempotent"
    assert shop().tools["create_orders"][0].repeat == "once"


async def test_only_granted_verbs_and_columns_are_offered(shop):
    tools = shop(verbs=["get", "create"], columns={"read": ["id", "item"], "write": ["item"]})

    assert list(tools.tools) == ["get_orders", "create_orders"]
    plan = tools.tools["create_orders"][0]
    assert plan.parameters == {
        "type": "object",
        "properties": {"item": {"type": "string"}},
        "required": ["item"],
        "additionalProperties": False,
    }
    assert await tools.value("create_orders", item="kiwi") == {"id": 5, "item": "kiwi"}
