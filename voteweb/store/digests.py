"""The digest under which the store keeps what it must recognize and not know, such as the token of a link."""

from hashlib import sha256


def digest(text: str) -> str:
    """Return 32 hexadecimal digits that tell *text* from all others, and from which nobody learns it."""
    return sha256(text.encode()).hexdigest()[:32]
