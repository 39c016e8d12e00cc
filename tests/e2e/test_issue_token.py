"""An operator creates, lists and revokes API tokens."""

from tests.drivers.http_client import HttpApi
from tests.e2e.conftest import Command

OWNER = "operator@example.com"


def test_a_token_works_until_it_is_revoked(api: HttpApi, command: Command) -> None:
    owner = ("--owner", OWNER)
    minted = command("issue_token", "mint", "--name", "laptop", *owner).splitlines()
    caller = api.as_owner(minted[-1])
    before = caller.active().status

    listed = command("issue_token", "list", *owner)
    revoked = command("issue_token", "revoke", "--digest", listed.split()[0], *owner)

    assert "laptop" in listed
    assert minted[-1] not in listed
    assert minted[-1][-4:] in revoked
    assert (before, caller.active().status) == (200, 401)
    assert command("issue_token", "list", *owner) == ""
