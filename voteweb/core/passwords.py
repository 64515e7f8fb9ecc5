"""Password hashes: made and checked, always at the same cost; knows neither the web nor the store."""

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

#: What OWASP recommends as the least: 19 MiB and two passes, about 20 ms. More would make logging in
#: a way to keep the server busy: the hash is the dearest thing a stranger can ask for.
_hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)


def hash_password(password: str) -> str:
    """Return the argon2id hash of *password*, with its parameters and a fresh salt in it."""
    return _hasher.hash(_plain(password))


def verify(stored_hash: str, password: str) -> bool:
    """Tell whether *stored_hash* was made of *password*.

    For an unknown member, or one without a password, pass an empty hash: the answer is no, and costs
    as much as any other, so that its time does not tell who is a member.
    """
    try:
        return _hasher.verify(stored_hash or _dummy(), _plain(password)) and bool(stored_hash)
    except (VerificationError, InvalidHashError):
        return False


def needs_rehash(stored_hash: str) -> bool:
    """Tell whether *stored_hash* was made with other parameters than today's: hash again at the next log-in."""
    return _hasher.check_needs_rehash(stored_hash)


def _plain(password: str) -> bytes:
    """Return the bytes of *password*; a lone surrogate, which no form should send, is no reason to fail."""
    return password.encode("utf-8", "surrogatepass")


@cache
def _dummy() -> str:
    """Return a hash of nobody's password."""
    return hash_password("nobody's password")
