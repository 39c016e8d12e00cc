import json

from functions import create_push
from tests.drivers.client import Api, Context
from tests.engines import moto_in_process


def test_a_handler_creates_a_push() -> None:
    body = json.dumps({"push": {"payload": "correct horse"}}).encode()
    event = Api().event("POST", "/api/v2/pushes", headers={"content-type": "application/json"}, body=body)
    with moto_in_process.fresh():
        response = create_push.handler(event, Context(20_000))
    assert response["statusCode"] == 201
