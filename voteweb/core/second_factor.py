"""The second factor of a log-in: codes of an authenticator app (TOTP, RFC 6238), whose secret is stored nowhere.

The secret is a digest of the member's id and of random characters, the nonce, that only the site's secret key can make.
The nonce alone is stored, so that neither the database nor a backup tells a code.
"""

import re
import secrets
import unicodedata
from base64 import b32encode
from hashlib import blake2b
from hmac import compare_digest
from typing import NamedTuple

import pyotp

#: Steps of 30 seconds by which the clock of a phone may be wrong.
_DRIFT = 1
_DIGITS = 6
#: The stored form: the nonce, and the step of the last code that was accepted.
_STORED = re.compile(r"([0-9a-f]{32}) ([0-9]{1,12})")


class SecondFactor(NamedTuple):
    """A second factor as a member's record holds it: no code of ``step``, the last accepted one, or before counts."""

    nonce: str
    step: int = 0

    def __str__(self) -> str:
        return f"{self.nonce} {self.step}"


def parse(stored: str) -> SecondFactor | None:
    """Return what a member's record holds of the second factor, None if there is none, or it cannot be read."""
    match = _STORED.fullmatch(stored)
    return SecondFactor(match[1], int(match[2])) if match else None


def is_stored(field: str) -> bool:
    return parse(field) is not None


def new_nonce() -> str:
    return secrets.token_hex(16)


def authenticator(secret_key: str, member_id: int, nonce: str) -> pyotp.TOTP:
    """Return what makes the codes of a member, with the secret that the app needs."""
    key = blake2b(secret_key.encode(), person=b"second factor").digest()
    secret = blake2b(f"{member_id} {nonce}".encode(), digest_size=20, key=key).digest()
    return pyotp.TOTP(b32encode(secret).decode(), digits=_DIGITS)


def find_step(app: pyotp.TOTP, typed: str, now: float) -> int | None:
    """Return the step of the code that is *typed*, with any blanks; None unless *app* shows it about *now*."""
    code = "".join(unicodedata.normalize("NFKC", typed[: 4 * _DIGITS]).split()).encode("utf-8", "replace")
    step = app.timecode(now)
    steps = range(step - _DRIFT, step + _DRIFT + 1)
    return max((at for at in steps if compare_digest(app.generate_otp(at).encode(), code)), default=None)
