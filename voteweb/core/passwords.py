"""Hash passwords and verify hashes, always at the same cost, and only some at once: others wait, or raise Busy."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import BoundedSemaphore

from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError

from voteweb.core import config
from voteweb.core.errors import Busy

#: OWASP's recommended minimum: 19 MiB and two passes, about 20 ms. A log-in is the most expensive request that a
#: stranger can send, so a higher cost would make it easier to overload the server.
_hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
#: How many times as expensive a hash may be that another version or program has made.
MAX_COST = 8
#: Without it, log-ins that come all at once would take the cores and the memory of all other pages.
_slots = BoundedSemaphore(config.MAX_HASHES)


def hash_password(password: str) -> str:
    """Return the argon2id hash of *password*, which includes its parameters and a new salt. Raises Busy."""
    with _slot():
        return _hasher.hash(_encode(password))


def verify(stored_hash: str, password: str) -> bool:
    """Tell whether *stored_hash* is of *password*.

    Pass an empty hash for an unknown member, or one without a password: the result is False after the usual time, so
    that the time does not reveal who is a member. Raises Busy.
    """
    checked_hash = stored_hash or _dummy_hash()
    try:
        with _slot():
            return _hasher.verify(checked_hash, _encode(password)) and bool(stored_hash)
    except (VerificationError, InvalidHashError):
        return False


def is_hash(stored: str) -> bool:
    """Tell whether *stored* is an argon2 hash that costs a log-in at most MAX_COST times what ours does."""
    try:
        parameters = extract_parameters(stored)
    except InvalidHashError:
        return False
    work = parameters.time_cost * parameters.memory_cost
    return parameters.parallelism <= MAX_COST and 0 < work <= MAX_COST * _hasher.time_cost * _hasher.memory_cost


def needs_rehash(stored_hash: str) -> bool:
    """Tell whether *stored_hash* has outdated parameters, so that the next log-in should hash the password again."""
    return _hasher.check_needs_rehash(stored_hash)


@contextmanager
def _slot() -> Iterator[None]:
    """Hold one of the places for computing a hash; raise Busy when none becomes free in time."""
    if not _slots.acquire(timeout=config.HASH_WAIT_SECONDS):
        raise Busy
    try:
        yield
    finally:
        _slots.release()


def _encode(password: str) -> bytes:
    """Encode *password*; a lone surrogate, which no form should send, does not raise."""
    return password.encode("utf-8", "surrogatepass")


@cache
def _dummy_hash() -> str:
    return hash_password("nobody's password")


def is_common(password: str) -> bool:
    """Tell whether *password*, in any case of its letters, is among the most frequent in published leaks."""
    return password.casefold() in _common()


@cache
def _common() -> frozenset[str]:
    # Loaded at the first new password: the module's lists take 15 MB, of which most is not needed.
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # type: ignore[import-untyped]

    return frozenset(text for text in FREQUENCY_LISTS["passwords"] if len(text) >= config.MIN_PASSWORD_LENGTH)
