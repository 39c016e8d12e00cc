"""Queue of notices: mail owners that a push was viewed or ended by guesses, or that an ask was answered."""

from datetime import datetime

import functions.pages  # noqa: F401 (sets the directory of templates and catalogues)
from shared.service import cold_start, notices
from shared.web import batches, mail_text

cold_start.make_clients("cognito-idp", "dynamodb", "secretsmanager", "sesv2")

TRIES = 20  # the queue's maxReceiveCount (template.yaml)


def _send_notice(push_id: str, entry: str, *, now: datetime, is_last_try: bool) -> None:
    notices.send(push_id, entry, mail_text.notice_mail, now=now, is_last_try=is_last_try)


handler = batches.mail_queue(_send_notice, TRIES)
