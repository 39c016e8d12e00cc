"""Render mails with a link and notices in a served language."""

from typing import Any

from shared.domain.mail import Mail
from shared.domain.notice import Notice
from shared.domain.push import Push
from shared.runtime import settings
from shared.web import html, languages, site
from shared.web.push_links import Links


def link_mail(push: Push, url_token: str, sender: str, stop_token: str, locale: str) -> Mail:
    """Return the mail with a push's link.

    `sender` is the owner's e-mail address; empty if it is not known. `stop_token` is part of the link that stops mails
    to the recipient. `locale` is the mail's language; empty for the installation's default.
    """
    language = locale or settings.current().default_locale
    # Mail scanners follow links, so a mailed link always has the retrieval step.
    link = Links(settings.current().base_url, locale or None).to_page(push._replace(retrieval_step=True), url_token)
    values = {"push": push, "link": link, "sender": sender, "brand": site.operator_brand()}
    return _mail("mail", values, language, stop_token)


def notice_mail(notice: Notice, token: str, locale: str) -> Mail:
    """Return the mail that notifies an owner of a view, of an end by guesses, or of an answer to an ask.

    It links to the push's record, which requires sign-in, and not to the push. `token` is part of the link that stops
    notices about this push or ask.
    """
    language, base = languages.match_tag(locale) or settings.current().default_locale, settings.current().base_url
    values = {"notice": notice, "record": f"{base}/pushes/{notice.push.id}", "brand": site.operator_brand()}
    return _mail("notice", values, language, token)


def _mail(name: str, values: dict[str, Any], locale: str, stop_token: str) -> Mail:
    stop = f"{settings.current().base_url}/notices/{stop_token}"
    values |= {"stop": stop}
    return Mail(
        subject=html.text(f"{name}_subject.txt", values, locale).strip(),
        text=html.text(f"{name}.txt", values, locale),
        html=html.render(f"{name}.html", values, locale),
        # A mail program's own button (RFC 2369, RFC 8058): it sends a POST there, and asks nobody again.
        headers=(("List-Unsubscribe", f"<{stop}>"), ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")),
    )
