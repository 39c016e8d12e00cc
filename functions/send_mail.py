"""Queue of mailings: mail a push's link to the recipients its owner chose."""

from datetime import datetime

import functions.pages  # noqa: F401 (sets the directory of templates and catalogues)
from shared.service import cold_start, mailing
from shared.web import batches, mail_text

cold_start.make_clients("dynamodb", "secretsmanager", "sesv2")

TRIES = 20  # the queue's maxReceiveCount (template.yaml)


def _send_mail(push_id: str, entry: str, *, now: datetime, is_last_try: bool) -> None:
    mailing.send(push_id, entry, mail_text.link_mail, now=now, is_last_try=is_last_try)


handler = batches.mail_queue(_send_mail, TRIES)
