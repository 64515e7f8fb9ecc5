"""Hash passwords and verify hashes, always at the same cost."""

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

#: OWASP's recommended minimum: 19 MiB and two passes, about 20 ms. A log-in is the most expensive request that a
#: stranger can send, so a higher cost would make it easier to overload the server.
_hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)


def hash_password(password: str) -> str:
    """Return the argon2id hash of *password*, which includes its parameters and a new salt."""
    return _hasher.hash(_encode(password))


def verify(stored_hash: str, password: str) -> bool:
    """Tell whether *stored_hash* is of *password*.

    Pass an empty hash for an unknown member, or one without a password: the result is False after the usual time, so
    that the time does not reveal who is a member.
    """
    try:
        return _hasher.verify(stored_hash or _dummy_hash(), _encode(password)) and bool(stored_hash)
    except (VerificationError, InvalidHashError):
        return False


def needs_rehash(stored_hash: str) -> bool:
    """Tell whether *stored_hash* has outdated parameters, so that the next log-in should hash the password again."""
    return _hasher.check_needs_rehash(stored_hash)


def _encode(password: str) -> bytes:
    """Encode *password*; a lone surrogate, which no form should send, does not raise."""
    return password.encode("utf-8", "surrogatepass")


@cache
def _dummy_hash() -> str:
    return hash_password("nobody's password")
