"""Rows are read as they are granted: visible ones, readable columns, page by page."""

import pytest


async def test_a_row_is_read_by_its_key_with_the_granted_columns_in_their_order(shop):
    tools = shop(columns={"read": ["item", "id", "paid"]})

    assert await tools.value("get_orders", id=1) == {"item": "apple", "id": 1, "paid": True}


async def test_a_row_that_is_not_there_and_one_that_is_hidden_are_told_in_the_same_words(shop):
    tools = shop(where="row.owner == identity.user")

    assert await tools.refusal("get_orders", id=99) == "`orders` has no row with `id` 99"
    assert await tools.refusal("get_orders", id=2) == "`orders` has no row with `id` 2"


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ("row.owner == identity.user", [1, 3]),
        ("row.owner != identity.user", [2, 4]),
        ("!(row.owner == identity.user)", [2, 4]),
        ("row.owner == 'nobody' || row.qty > 4", [2, 3]),
        ("row.qty > 4 && row.paid == false", [2, 3]),
        ("!(row.qty > 4)", [1]),  # the row without a quantity is unknown, so it is in neither
        ("row.note == null", [1]),
        ("has(row.note)", [2, 3, 4]),
        ("row.note.contains('%_')", [3]),
        ("row.item.startsWith('P')", []),
        ("row.item.startsWith('p')", [2, 4]),
        ("row.item.endsWith('ar')", [2]),
        ("row.item.endsWith('a longer text than any')", []),
        ("row.paid", [1]),
        ("!row.paid", [2, 3]),
        ("row.qty in [3, 5]", [1, 2]),
        ("row.owner in []", []),
        ("!(row.note in [])", [2, 3, 4]),
        ("'ops' in identity.roles", [1, 2, 3, 4]),
        ("identity.tenant == 't2'", []),
        ("row.price >= 1.5", [1, 2]),
        ("row.owner < 'a'", [4]),
        ("row['owner'] == \"bob\"", [2]),
        ("row.owner == row.owner", [1, 2, 3, 4]),
        ("true", [1, 2, 3, 4]),
    ],
)
async def test_a_condition_means_in_the_database_what_it_means_in_cel(shop, where, ids):
    assert await shop(where=where).ids() == ids


@pytest.mark.parametrize(
    "where", ["row.owner == identity.user", "row.owner != identity.user", "row.qty == int(identity.user)"]
)
async def test_nobody_in_particular_sees_no_row_that_belongs_to_somebody(shop, where):
    assert await shop(where=where, identity={}).ids() == []


async def test_a_search_goes_on_behind_its_cursor_and_finds_each_row_once(shop):
    tools = shop()
    for order in ("id", "-id", "qty", "-qty", "owner", "-price", "paid", "note"):
        found, cursor = [], None
        while True:
            page = await tools.value("search_orders", order=order, limit=1, **({"cursor": cursor} if cursor else {}))
            found += [row["id"] for row in page["rows"]]
            cursor = page["cursor"]
            if cursor is None:
                break
        assert sorted(found) == [1, 2, 3, 4], order
        assert found == await tools.ids(order=order)


async def test_what_does_not_fit_into_an_answer_begins_the_next_page(shop):
    tools = shop(most=1200)

    first = await tools.value("search_orders")

    assert [row["id"] for row in first["rows"]] == [1]
    assert [row["id"] for row in (await tools.value("search_orders", cursor=first["cursor"]))["rows"]] == [2]


@pytest.mark.parametrize("cursor", ["", "x", "null", "WyJhIl0", "é", "A" * 10_000, "W1tbW1tb", "WzEsMiwzXQ"])
async def test_a_cursor_that_was_never_given_out_is_refused(shop, cursor):
    tools = shop()

    if cursor:
        assert "`cursor`" in await tools.refusal("search_orders", cursor=cursor)
    else:
        assert await tools.ids(cursor=cursor) == [1, 2, 3, 4]


async def test_a_cursor_of_another_search_is_refused(shop):
    tools = shop()
    cursor = (await tools.value("search_orders", limit=1))["cursor"]

    assert await tools.refusal("search_orders", limit=1, owner="ada", cursor=cursor) == (
        "`cursor` belongs to another search; call again without `cursor`, or with the one of the last answer and the "
        "same filters and order"
    )
