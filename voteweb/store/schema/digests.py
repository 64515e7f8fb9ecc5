"""The digest under which the store keeps what it must recognize and not know, such as the token of a link."""

import re
from hashlib import sha256

_DIGEST = re.compile(r"[0-9a-f]{32}")


def digest_of(text: str) -> str:
    """Return 32 hexadecimal digits that tell *text* from all others, and from which nobody learns it."""
    return sha256(text.encode()).hexdigest()[:32]


def is_digest(text: str) -> bool:
    return _DIGEST.fullmatch(text) is not None
