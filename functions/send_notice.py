"""Queue of notices: tell owners by mail that a push of theirs was viewed, or ended by guesses."""

from datetime import datetime

import functions.pages  # noqa: F401 (it says where templates and languages are)
from shared.service import cold_start, notices
from shared.web import batches, mail_text

cold_start.make_clients("cognito-idp", "dynamodb", "secretsmanager", "sesv2")

TRIES = 20  # as many as the queue lets it have (template.yaml)


def _send_notice(push_id: str, entry: str, *, now: datetime, is_last_try: bool) -> None:
    notices.send(push_id, entry, mail_text.notice_mail, now=now, is_last_try=is_last_try)


handler = batches.mail_queue(_send_notice, TRIES)
