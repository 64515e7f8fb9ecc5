"""The tokens of links in mails: they cannot be guessed, and nothing of them is stored."""

from hashlib import blake2b

from itsdangerous import BadData, URLSafeSerializer

from voteweb.core import config
from voteweb.core.mail import PendingEmail, StopKind
from voteweb.core.names import name_key
from voteweb.web.context import current_app


def confirmation_token(name: str, pending: PendingEmail) -> str:
    """Return the token of the link with which the member *name* confirms the *pending* address, this once."""
    return _digest(f"confirm {name_key(name)} {pending}")


def stop_token(name: str, kind: StopKind, address: str) -> str:
    """Return the token of the link that ends mails of a *kind* to the *address* of the member *name*."""
    return str(_serializer().dumps([name_key(name), kind, _digest(address)]))


def read_stop_token(token: str) -> tuple[str, StopKind, str] | None:
    """Return the name, the kind and the digest of the address of a link that ends mails; None if it is none of ours."""
    if len(token) > config.MAX_MAIL_TOKEN_LENGTH:
        return None
    try:
        name, kind, digest = _serializer().loads(token)
    except BadData:
        return None
    return name, StopKind(kind), digest


def is_address_of(digest: str, address: str) -> bool:
    """Tell whether the *digest* of a link is that of *address*."""
    return bool(address) and digest == _digest(address)


def message_id(entry: str, since: float) -> str:
    """Return the first part of the Message-ID of a mail: the same for every attempt, so that a second copy is known."""
    return _digest(f"message {entry} {since:.6f}")


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(str(current_app().secret_key), salt="mail-stop")


def _digest(text: str) -> str:
    key = blake2b(str(current_app().secret_key).encode(), person=b"mail").digest()
    return blake2b(text.encode(), digest_size=16, key=key).hexdigest()
