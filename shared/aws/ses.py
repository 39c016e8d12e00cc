"""Send mails with SES, API v2."""

from typing import Any

from shared.aws import clients
from shared.domain.mail import Mail
from shared.runtime import settings

# Errors that a retry cannot fix: SES rejects the address or the mail.
_FINAL = {"MessageRejected", "BadRequestException", "InvalidParameterValue"}


class NotTaken(Exception):
    """SES will never accept this mail for this address."""


def send(recipient: str, mail: Mail) -> None:
    """Send a mail to one recipient, so that recipients do not see each other.

    Not idempotent: if a response is lost and the SDK retries, the mail may be sent twice.

    Raises: NotTaken; ClientError, for errors that a retry may fix, such as throttling.
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
