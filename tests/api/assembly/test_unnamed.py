"""A spec that asks for whom the run acts is told where nobody was named: else its tables are silently empty."""

import pytest

from agentspec.api.assembly.unnamed import unnamed

OWN = {"resources": {"orders": {"where": "row.owner == identity.user && row.t == identity.tenant"}}}
USER = "`capability.resources.orders.where` asks for `identity.user`, and nobody is named: `--identity user=…`"
TENANT = "`capability.resources.orders.where` asks for `identity.tenant`, and nobody is named: `--identity tenant=…`"


@pytest.mark.parametrize(
    ("capability", "told"),
    [
        (OWN, [USER, TENANT]),
        (OWN | {"identity": {"user": "ada"}}, [TENANT]),
        (OWN | {"identity": {"user": "ada", "tenant": "t1"}}, []),
        (OWN | {"identity": {"user": "", "tenant": "t1"}}, [USER]),
        (
            {"approval": {"rules": [{"when": "'admin' in identity.roles", "decision": "allow"}]}},
            [
                "`capability.approval.rules[0].when` asks for `identity.roles`, and nobody is named: `--identity roles=…`"
            ],
        ),
        (
            {"tools": {"mail": {"http": {"url": "https://a.example/${identity.user}"}}}},
            ["`capability.tools.mail.http.url` asks for `identity.user`, and nobody is named: `--identity user=…`"],
        ),
        ({"tools": {"mail": {"description": "Fills identity.user in", "expr": "1"}}}, []),
    ],
)
def test_each_name_that_is_asked_for_is_told_once_with_its_first_place(capability, told):
    assert list(unnamed(capability)) == told
