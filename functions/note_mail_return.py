"""Events of SES: mails that came back, or that their readers complained of, stop those that would follow."""

from shared import cold_start
from shared.web import batches, mails

cold_start.make_clients("dynamodb")

handler = batches.event(mails.note_return)
