"""SES events: after a bounce or complaint, stop further mails to that address."""

from shared.service import cold_start, mail_returns
from shared.web import batches

cold_start.make_clients("dynamodb")

handler = batches.eventbridge(mail_returns.record)
