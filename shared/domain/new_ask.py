"""Rules for a new ask (contract, section 16). Pure."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from shared.domain import errors
from shared.domain.ask import NewAsk
from shared.domain.fields import Fields, is_blank
from shared.domain.limits import ASK_ANSWERS, ASK_BYTES, DURATIONS, MAX_ASK_MESSAGE, MAX_NAME
from shared.domain.rules import PushSettings
from shared.domain.sentence import Sentence

_LIMITS = ("expire_after_days", "expire_after_duration", "expire_after_views", "deletable_by_viewer", "retrieval_step")
_DAY = timedelta(days=1)


def new_ask(parameters: Mapping[str, Any], settings: PushSettings) -> NewAsk:
    """Check the parameters of a new ask and return it.

    Raises: InvalidPush, with every invalid field.
    """
    fields = Fields(parameters)
    message = fields.text("message", MAX_ASK_MESSAGE)
    if is_blank(message) and "message" not in fields.refused:
        fields.refuse("message", Sentence("can't be blank"))
    new = NewAsk(
        message=message,
        name=fields.text("name", MAX_NAME),
        expire_after_days=fields.number("expire_after_days", settings.days),
        answers=fields.number("answers", ASK_ANSWERS),
        files=fields.switch("files", default=False),
        max_bytes=fields.number("max_bytes", ASK_BYTES),
        notify_when_answered=fields.switch("notify_when_answered", default=True),
        push=_push_limits(fields, parameters.get("push"), settings),
    )
    if new.files and not settings.file_attachments:
        fields.refuse("files", Sentence("are not available here"))
    if fields.refused:
        raise errors.InvalidPush(fields.refused)
    return new


def _push_limits(fields: Fields, value: Any, settings: PushSettings) -> dict[str, Any]:
    """Return the limits of each answer, as fields of a new push; invalid ones are reported as `push`."""
    if not isinstance(value, Mapping | None):
        fields.refuse("push", "must be an object")
        return {}
    push = Fields(given := value or {})
    lifetime, days = push.lifetime(settings.days)
    limits = {
        "expire_after_views": push.number("expire_after_views", settings.views),
        "deletable_by_viewer": push.switch("deletable_by_viewer", settings.deletable_by_viewer),
        "retrieval_step": push.switch("retrieval_step", settings.retrieval_step),
    }
    for name, messages in push.refused.items():
        for message in messages:
            fields.refuse("push", f"{name} {message}")
    if given.keys() - set(_LIMITS):
        fields.refuse("push", f"may only have {', '.join(_LIMITS)}")
    is_short = lifetime in DURATIONS[: DURATIONS.index(_DAY)]
    return limits | ({"expire_after_duration": DURATIONS.index(lifetime)} if is_short else {"expire_after_days": days})
