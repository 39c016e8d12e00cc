"""Push, retrieve, list and ask with the client that openapi-python-client generates: use.py BASE_URL TOKEN."""

import sys

from generated import AuthenticatedClient
from generated.api.asks import create_ask, end_ask, list_asks
from generated.api.pushes import create_push, list_expired, read_audit, retrieve_push
from generated.models import (
    Ask,
    CreateAskBody,
    CreatePushJsonBody,
    Error,
    FieldErrors,
    Kind,
    NewAsk,
    NewFile,
    NewPush,
    Push,
)
from generated.types import Unset

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])


def create(push: NewPush) -> Push | Error | FieldErrors | None:
    return create_push.sync(client=client, body=CreatePushJsonBody(push=push))


push = create(NewPush(payload="s3cret", expire_after_views=1, name="n", files=[NewFile(filename="a.txt", data="YQ==")]))
assert isinstance(push, Push), push
assert (push.kind, push.name, push.views_remaining, push.passphrase) == (Kind.FILE, "n", 1, "")
assert push.created_at < push.expires_at

retrieved = retrieve_push.sync(push.url_token, client=client)
assert isinstance(retrieved, Push), retrieved
assert (retrieved.payload, retrieved.expired) == ("s3cret", False)
assert not isinstance(retrieved.files, Unset)
assert [file.filename for file in retrieved.files] == ["a.txt"]

gone = retrieve_push.sync(push.url_token, client=client)
assert isinstance(gone, Push), gone
assert (gone.payload, gone.files, gone.expired, gone.passphrase) == (None, [], True, None)
assert gone.expired_on

listed = list_expired.sync(client=client)
assert isinstance(listed, list), listed
assert [one.url_token for one in listed] == [push.url_token]

log = read_audit.sync(push.url_token, client=client)
assert log
assert not isinstance(log, Error)
assert [entry.kind.value for entry in log.logs] == ["creation", "owner_view", "failed_view"]

unknown = retrieve_push.sync("a" * 25, client=client)
assert isinstance(unknown, Error), unknown
assert unknown.error == "not-found"

refused = create(NewPush(payload=""))
assert isinstance(refused, FieldErrors), refused
assert list(refused.additional_properties) == ["payload"]

asked = create_ask.sync(client=client, body=CreateAskBody(ask=NewAsk(message="The key, please", answers=2)))
assert isinstance(asked, Ask), asked
assert (asked.answers_remaining, asked.expired) == (2, False)

ended = end_ask.sync(asked.ask_token, client=client)
assert isinstance(ended, Ask), ended
assert ended.expired

asks = list_asks.sync(client=client)
assert isinstance(asks, list), asks
assert [one.expired for one in asks] == [True]
