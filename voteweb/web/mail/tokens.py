"""The token of the link that confirms an address, and the ids of mails: they cannot be guessed, nor are they stored."""

from hashlib import blake2b

from flask import current_app

from voteweb.core.mail import PendingEmail
from voteweb.core.names import name_key


def confirmation_token(name: str, pending: PendingEmail) -> str:
    """Return the token of the link with which the member *name* confirms the *pending* address, this once."""
    return _digest(f"confirm {name_key(name)} {pending}")


def message_id(entry: str, since: float) -> str:
    """Return the first part of the Message-ID of a mail: the same for every attempt, so that a second copy is known."""
    return _digest(f"message {entry} {since:.6f}")


def _digest(text: str) -> str:
    key = blake2b(str(current_app.secret_key).encode(), person=b"mail").digest()
    return blake2b(text.encode(), digest_size=16, key=key).hexdigest()
