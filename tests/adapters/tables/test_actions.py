"""An action carries several statements out: all or none, with bound arguments, and with its audit row."""

import pytest

from agentspec.errors import SpecInvalid

SPLIT = {
    "description": "Take some of one order into a new one.",
    "parameters": {"id": "integer", "item": "string", "qty": "integer"},
    "sql": [
        "UPDATE orders SET qty = qty - :qty WHERE id = :id AND owner = :identity_user",
        "INSERT INTO orders (id, owner, item, qty) SELECT id + 100, owner, :item, :qty FROM orders WHERE id = :id",
        "SELECT id, qty FROM orders WHERE owner = :identity_user AND id IN (:id, :id + 100) ORDER BY id;",
    ],
}


async def test_the_rows_of_the_last_statement_are_the_answer(shop):
    tools = shop(actions={"split_order": SPLIT})

    output = await tools.call("split_order", id=1, item="cider", qty=2)

    assert output.data == {"rows": [{"id": 1, "qty": 1}, {"id": 101, "qty": 2}]}
    assert output.text == '{"id": 1, "qty": 1}\n{"id": 101, "qty": 2}'
    assert (tools.tools["split_order"][0].effect, tools.tools["split_order"][0].repeat) == ("write", "once")


async def test_a_statement_that_fails_takes_the_earlier_ones_with_it(shop):
    tools = shop(actions={"split_order": SPLIT}, audit="audit")

    await tools.refusal("split_order", id=1, item="pear", qty=2)  # `pear` is taken

    assert shop.do("SELECT qty FROM orders WHERE id = 1") == [(3,)]


async def test_an_action_without_rows_tells_how_many_it_changed_and_is_made_once_for_a_call(shop):
    tools = shop(actions={"more": {"sql": ["UPDATE orders SET qty = qty + 1 WHERE qty < 6"]}}, audit="audit")

    first = await tools.call("more", key="k")
    again = await tools.call("more", key="k")

    assert first.data == again.data == {"changed": [2]}
    assert shop.do("SELECT verb, resource, after FROM audit") == [("action", "orders", '{"changed": [2]}')]
    assert shop.do("SELECT qty FROM orders WHERE id = 1") == [(4,)]


async def test_an_argument_is_never_part_of_a_statement(shop):
    tools = shop(
        actions={"find": {"parameters": {"item": "string"}, "sql": ["SELECT id FROM orders WHERE item = :item"]}}
    )

    for item in ("' OR '1'='1", "x'; DROP TABLE orders; --", "%(item)s", ":item", "\\"):
        assert await tools.value("find", item=item) == {"rows": []}
    assert shop.do("SELECT count(*) FROM orders") == [(4,)]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE orders SET qty = :qyt", "unknown parameter `:qyt`; did you mean `:qty`?"),
        ("COMMIT", "`COMMIT` can't be part of one transaction: leave it out"),
        ("/* x */ -- y\n PRAGMA journal_mode = off", "`PRAGMA` can't be part of one transaction: leave it out"),
    ],
)
def test_a_statement_that_can_not_be_part_of_an_action_is_refused_before_the_run(shop, statement, words):
    with pytest.raises(SpecInvalid) as raised:
        shop(actions={"more": {"parameters": {"qty": "integer"}, "sql": [statement]}})

    assert str(raised.value) == f"`capability.resources.orders.actions.more.sql[0]`: {words}"
