"""What a mail with a link says, in a language that is served, and what SES says of mails that came back."""

from datetime import datetime
from typing import Any

from shared import mailing, settings
from shared.domain.mailing import Mail
from shared.domain.push import Push
from shared.web import html, site
from shared.web.links import Links


def written(push: Push, url_token: str, sender: str, locale: str) -> Mail:
    """The mail with the link of a push; `sender` is its owner's address, empty where there is none."""
    said = locale or settings.current().default_locale
    # Mail scanners follow links, so this one has the retrieval step, whatever the push says.
    link = Links(settings.current().base_url, locale or None).to_page(push._replace(retrieval_step=True), url_token)
    values = {"push": push, "link": link, "sender": sender, "brand": site.operator()}
    return Mail(
        subject=html.text("mail_subject.txt", values, said).strip(),
        text=html.text("mail.txt", values, said),
        html=html.render("mail.html", values, said),
    )


def note_return(detail: dict[str, Any], *, now: datetime) -> None:
    """Note an event "Email Bounced" or "Email Complaint Received" of SES (Amazon SES Developer Guide, event examples).

    A bounce that is not permanent, such as of a full mailbox, stops nothing.
    """
    if complaint := detail.get("complaint"):
        complained = [one["emailAddress"] for one in complaint["complainedRecipients"]]
        mailing.note_return(complained, "Complaint", is_final=True, now=now)
    if bounce := detail.get("bounce"):
        bounced = [one["emailAddress"] for one in bounce["bouncedRecipients"]]
        is_final = bounce["bounceType"] == "Permanent"
        mailing.note_return(bounced, "Permanent" if is_final else "Passing", is_final=is_final, now=now)
