"""Queue of mailings: send the link of a push to those whom its owner named."""

from datetime import datetime

import functions.pages  # noqa: F401 (it says where templates and languages are)
from shared.service import cold_start, mailing
from shared.web import batches, mail_text

cold_start.make_clients("dynamodb", "secretsmanager", "sesv2")

TRIES = 20  # as many as the queue lets it have (template.yaml)


def _send_mail(push_id: str, entry: str, *, now: datetime, is_last_try: bool) -> None:
    mailing.send(push_id, entry, mail_text.link_mail, now=now, is_last_try=is_last_try)


handler = batches.mail_queue(_send_mail, TRIES)
