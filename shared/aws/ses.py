"""Mails by SES, API v2."""

from typing import Any

from shared.aws import clients
from shared.domain.mail import Mail
from shared.runtime import settings

# What will be the same at the next try: the address, or the mail itself, is not taken.
_FINAL = {"MessageRejected", "BadRequestException", "InvalidParameterValue"}


class NotTaken(Exception):
    """SES will never take this mail to this address."""


def send(recipient: str, mail: Mail) -> None:
    """Hand a mail to SES, to one recipient, so that none learns of the others.

    Not idempotent: when an answer is lost and the SDK tries again, it may be sent twice.

    Raises: NotTaken; ClientError for what may be better at another try, such as a throttle.
    """
    client = clients.client("sesv2")
    try:
        client.send_email(
            FromEmailAddress=settings.current().mail_from,
            Destination={"ToAddresses": [recipient]},
            ConfigurationSetName=settings.current().mail_reports,
            Content={"Simple": {"Subject": _text(mail.subject), "Body": _body(mail)} | _headers(mail)},
        )
    except client.exceptions.ClientError as error:
        if error.response["Error"]["Code"] in _FINAL:
            raise NotTaken from None
        raise


def _body(mail: Mail) -> dict[str, Any]:
    return {"Text": _text(mail.text), "Html": _text(mail.html)}


def _headers(mail: Mail) -> dict[str, Any]:
    return {"Headers": [{"Name": name, "Value": value} for name, value in mail.headers]} if mail.headers else {}


def _text(data: str) -> dict[str, str]:
    return {"Data": data, "Charset": "UTF-8"}
