"""SES events: after a bounce or complaint, stop further mails to that address."""

from shared.service import cold_start
from shared.web import batches, mail_text

cold_start.make_clients("dynamodb")

handler = batches.eventbridge(mail_text.record_ses_event)
