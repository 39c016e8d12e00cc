"""A double of Secrets Manager that deletes a version once it has lost its last label, as AWS may at any time.

moto and MiniStack keep such versions, and moto loses other labels at a rotation.
"""

import secrets
import uuid
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError


class SecretsManager:
    """A client for one secret; `calls` lists the operations, `refusing` counts further calls that IAM rejects."""

    def __init__(self, *, refusing: int = 0) -> None:
        self._strings: dict[str, str] = {}
        self._labels: dict[str, str] = {}  # label → version
        self._created: dict[str, datetime] = {}
        self._refusing = refusing
        self.calls: list[str] = []
        self.generate()

    def generate(self, *labels: str, at: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> str:
        """Create a version with these labels, like a rotation or a changed GenerateSecretString; return its id."""
        version, before = str(uuid.uuid4()), self._labels.get("AWSCURRENT")
        self._created[version] = at
        self._strings[version] = secrets.token_hex(32)
        if before:
            self._labels["AWSPREVIOUS"] = before
        self._labels |= dict.fromkeys(("AWSCURRENT", *labels), version)
        return version

    def fail_to_rotate(self, *, at: datetime) -> None:
        """Leave the result of a failed rotation: an empty version labelled pending."""
        version = str(uuid.uuid4())
        self._created[version], self._labels["AWSPENDING"] = at, version

    @property
    def current(self) -> str:
        """Return the id of the current version."""
        return self._labels["AWSCURRENT"]

    @property
    def kept(self) -> dict[str, list[str]]:
        """Return every remaining version with its labels."""
        found: dict[str, list[str]] = {}
        for label, version in self._labels.items():
            found.setdefault(version, []).append(label)
        return found

    def describe_secret(self, **_asked: str) -> dict[str, Any]:
        """Return the staging labels of all remaining versions."""
        self._permit("DescribeSecret")
        return {"VersionIdsToStages": self.kept}

    def list_secret_version_ids(self, **_asked: str) -> dict[str, Any]:
        """Return all remaining versions with their labels and creation dates."""
        self._permit("ListSecretVersionIds")
        listed = [
            {"VersionId": version, "VersionStages": labels, "CreatedDate": self._created[version]}
            for version, labels in self.kept.items()
        ]
        return {"Versions": listed}

    def update_secret_version_stage(self, **asked: str) -> None:
        """Move a label to a version."""
        self._permit("UpdateSecretVersionStage")
        self._labels[asked["VersionStage"]] = asked["MoveToVersionId"]

    def put_secret_value(self, **asked: Any) -> None:
        """Create a version with the caller's value; its request's token is its id."""
        self._permit("PutSecretValue")
        version, before = asked["ClientRequestToken"], self.current
        self._created[version] = datetime(2026, 1, 2, tzinfo=UTC)
        self._strings[version] = asked["SecretString"]
        self._labels |= {"AWSPREVIOUS": before} | dict.fromkeys(asked["VersionStages"], version)

    def get_secret_value(self, **asked: str) -> dict[str, str]:
        """Return one version, by default the current one."""
        self._permit("GetSecretValue")
        version = asked.get("VersionId", self.current)
        if version not in self.kept or version not in self._strings:
            raise ClientError({"Error": {"Code": "ResourceNotFoundException"}}, "GetSecretValue")
        return {"VersionId": version, "SecretString": self._strings[version]}

    def _permit(self, operation: str) -> None:
        self.calls.append(operation)
        if self._refusing:
            self._refusing -= 1
            raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "MARKER"}}, operation)
