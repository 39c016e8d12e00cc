"""The certificate of the local stack's https address."""

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFETIME: Final = timedelta(days=397)  # the longest that Safari accepts
_SPARE: Final = timedelta(days=7)


def server_context(directory: Path) -> ssl.SSLContext:
    """Return a TLS context with the directory's certificate; create one if it is missing or expires soon.

    The next run uses it again, so that a browser asks about it once.
    """
    path = directory / "certificate.pem"
    if not path.exists() or _expires_at(path) < datetime.now(UTC) + _SPARE:
        path.touch(mode=0o600)
        path.write_bytes(create(datetime.now(UTC)))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


def create(now: datetime) -> bytes:
    """Return a new key and its self-signed certificate for 127.0.0.1, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Secret sharing on this machine")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + LIFETIME)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    return key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain) + certificate.public_bytes(pem)


def _expires_at(path: Path) -> datetime:
    return x509.load_pem_x509_certificate(path.read_bytes()).not_valid_after_utc
