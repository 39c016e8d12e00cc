"""Serialize domain values to the API's JSON. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.domain import base64url, jwe, networks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from shared.domain.ask import Opened
    from shared.domain.audit import AuditEntry
    from shared.domain.mail import Mailing
    from shared.domain.new_push import Created, NewPush
    from shared.domain.push import Listed, Push, Retrieved
    from shared.web.push_links import Links

MASK = "********"

Json = dict[str, Any]


def created_push(creation: Created, links: Links, ignored: Sequence[str] = ()) -> Json:
    """Return a new push with its passphrase, upload forms and ignored fields. No other response contains them.

    A repeated request gets the same response, except for new upload forms.
    """
    forms = uploads(creation)
    return {
        **_push(creation.push, creation.url_token, links, now=creation.push.created_at),
        "passphrase": creation.new.passphrase or "",
        "name": creation.new.name,
        "note": creation.new.note,
        **(mailing(creation.new.mailing) if creation.new.mailing else {}),
        **_notice_fields(creation.new),
        **_allowed_ips(creation.push),
        **_sealing(creation.push),
        **_manage_url(creation, links),
        **({"uploads": forms} if forms else {}),
        **({"ignored": list(ignored)} if ignored else {}),
    }


def uploads(creation: Created) -> list[Json]:
    """Return the forms to upload the files of a new push with."""
    return [
        {
            "filename": upload.filename,
            "url": upload.url,
            "fields": upload.fields,
            "expires_at": _time(upload.expires_at),
        }
        for upload in creation.uploads
    ]


def mailing(wanted: Mailing) -> Json:
    """Return the recipients and language of a requested mail."""
    return {"notify_emails_to": ",".join(wanted.recipients), "notify_emails_to_locale": wanted.locale}


def retrieved_push(result: Retrieved, url_token: str, links: Links) -> Json:
    """Return a push with its payload and files, for the recipient."""
    files = [{"filename": file.filename, "content_type": file.content_type, "url": file.url} for file in result.files]
    push = _push(result.push, url_token, links, now=result.at)
    return {**push, **_sealing(result.push), "payload": result.payload, "files": files}


def preview(push: Push, url_token: str, links: Links) -> Json:
    """Return the link for the recipient, and the key that it needs if the sender sealed the push."""
    return {"url": links.to_page(push, url_token), **_sealing(push)}


def expired_push(push: Push, url_token: str, links: Links, *, now: datetime) -> Json:
    """Return a push after a DELETE."""
    return _push(push, url_token, links, now=now)


def push_status(push: Push, *, now: datetime) -> Json:
    """Return the state of an anonymous push, for its sender."""
    is_expired = push.is_expired(now)
    return {
        "expired": is_expired,
        "ended_by": str(push.ending) if is_expired else None,
        "views_remaining": push.views_remaining,
        "expire_after_views": push.expire_after_views,
        "first_viewed_at": push.first_viewed_at and _time(push.first_viewed_at),
        "last_viewed_at": push.last_viewed_at and _time(push.last_viewed_at),
        "created_at": _time(push.created_at),
        "expires_at": _time(push.expires_at),
        "expired_on": _time(push.expires_at) if is_expired else None,
    }


def listed_pushes(pushes: Iterable[Listed], links: Links, *, now: datetime) -> list[Json]:
    """Return a page of an owner's pushes."""
    return [
        {
            **_push(listed.push, listed.label.url_token, links, now=now),
            "name": listed.label.name,
            "note": listed.label.note,
            **({"ask_name": listed.label.name} if listed.push.ask_id else {}),
            **_allowed_ips(listed.push),
            **_sealing(listed.push),
        }
        for listed in pushes
    ]


def ask(opened: Opened, links: Links, *, now: datetime) -> Json:
    """Return an ask, for its owner."""
    stored, terms = opened
    ended_on = stored.ended_on(now)
    return {
        "ask_token": terms.ask_token,
        "html_url": links.to_ask_page(terms.ask_token),
        "name": terms.name,
        "message": terms.message,
        "answers": stored.limit,
        "answers_remaining": stored.answers_remaining,
        "files": terms.files,
        "max_bytes": terms.max_bytes,
        "expired": ended_on is not None,
        "created_at": _time(stored.created_at),
        "expires_at": _time(stored.expires_at),
        "expired_on": ended_on and _time(ended_on),
        "push": terms.push,
    }


def audit_log(entries: Iterable[AuditEntry], key: str = "logs") -> Json:
    """Return a page of an audit log, under the key of the API version."""
    return {
        key: [
            {
                "kind": str(entry.kind),
                "ip": entry.ip,
                "user_agent": entry.user_agent,
                "referrer": entry.referrer,
                "created_at": _time(entry.created_at),
                "updated_at": _time(entry.created_at),
                **_notify_by_email(entry),
            }
            for entry in entries
        ]
    }


def _notify_by_email(entry: AuditEntry) -> Json:
    if entry.recipients is None:
        return {}
    return {
        "notify_by_email": {
            "recipients": ",".join(entry.recipients),
            "locale": entry.locale,
            "status": entry.status,
            "successful_sends": entry.successful_sends,
            "error_message": entry.error_message,
        }
    }


def _notice_fields(new: NewPush) -> Json:
    return {} if new.notify_when_viewed is None else {"notify_when_viewed": new.notify_when_viewed}


def _allowed_ips(push: Push) -> Json:
    return {"allowed_ips": networks.texts(push.networks)} if push.networks else {}


def _sealing(push: Push) -> Json:
    """Return who sealed the push and the id of the key, if it was the sender."""
    if push.sealed_key_id is None:
        return {}
    return {jwe.SEALED_BY: jwe.SENDER, "sealed_key_id": base64url.encode(push.sealed_key_id)}


def _manage_url(creation: Created, links: Links) -> Json:
    key = creation.manage_key
    return {"manage_url": links.to_manage_page(creation.url_token, key)} if key else {}


def _push(push: Push, url_token: str, links: Links, *, now: datetime) -> Json:
    is_expired = push.is_expired(now)
    return {
        "expire_after_views": push.expire_after_views,
        "expire_after_days": push.expire_after_days,
        "views_remaining": push.views_remaining,
        "days_remaining": push.days_remaining(now),
        "expired": is_expired,
        "expired_on": _time(push.expires_at) if is_expired else None,
        "expires_at": _time(push.expires_at),
        "url_token": url_token,
        "kind": push.kind,
        "deletable_by_viewer": push.deletable_by_viewer,
        "retrieval_step": push.retrieval_step,
        "passphrase": _passphrase(push, is_expired=is_expired),
        "created_at": _time(push.created_at),
        "updated_at": _time(push.updated_at),
        "deleted": push.is_deleted,
        "html_url": links.to_page(push, url_token),
        "json_url": links.to_json(url_token),
    }


def _passphrase(push: Push, *, is_expired: bool) -> str | None:
    if is_expired:
        return None
    return MASK if push.is_protected else ""


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
