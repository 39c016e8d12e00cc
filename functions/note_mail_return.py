"""Events of SES: mails that came back, or that their readers complained of, stop those that would follow."""

from shared.service import cold_start
from shared.web import batches, mail_text

cold_start.make_clients("dynamodb")

handler = batches.eventbridge(mail_text.record_ses_event)
