"""ID tokens, signed as Cognito signs them."""

import json
from functools import cache
from typing import Any, Final

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from shared.domain import base64url

_KEY_ID: Final = "local"


def sign(claims: dict[str, Any]) -> str:
    """Return a JWT with these claims (RS256)."""
    header = {"kid": _KEY_ID, "alg": "RS256"}
    signed = ".".join(base64url.encode(json.dumps(part).encode()) for part in (header, claims))
    return f"{signed}.{base64url.encode(key().sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


@cache
def key() -> rsa.RSAPrivateKey:
    """Return the key of this process."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)
