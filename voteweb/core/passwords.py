"""Hash passwords and verify hashes, always at the same cost, and only some at once: others wait, or raise Busy.

Systems type one letter as one character or as several. New hashes are of the form NFC; old ones may be of another.
Recovery codes stand in for a forgotten password.
"""

import re
import secrets
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import BoundedSemaphore
from typing import Literal

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
#: How many times shorter NFC makes a text: one letter can be four characters.
_MAX_SHRINKING = 4


def normal(form: Literal["NFC", "NFD"], password: str) -> str:
    """Return *password* in this *form*; one that is too long as it is, since that could take long."""
    is_long = len(password) > _MAX_SHRINKING * config.MAX_PASSWORD_LENGTH
    return password if is_long else unicodedata.normalize(form, password)


def _forms(password: str) -> list[str]:
    """Return the different forms of *password* that a hash may be of, that of new hashes first; one if it is ASCII."""
    return list(dict.fromkeys((normal("NFC", password), password, normal("NFD", password))))


def hash_password(password: str) -> str:
    """Return the argon2id hash of *password*, which includes its parameters and a new salt. Raises Busy."""
    with _slot():
        return _hasher.hash(_encode(normal("NFC", password)))


def verify(stored_hash: str, password: str) -> bool:
    """Tell whether *stored_hash* is of *password*. Raises Busy."""
    return find_form(stored_hash, password) is not None


def find_form(stored_hash: str, password: str) -> str | None:
    """Return the form of *password* of which *stored_hash* is, None if it is of none.

    Pass an empty hash for an unknown member, or one without a password: the result is None after the usual time, so
    that the time does not reveal who is a member. Raises Busy.
    """
    checked_hash = stored_hash or _dummy_hash()
    with _slot():
        found = next((form for form in _forms(password) if _is_of(checked_hash, form)), None)
    return found if stored_hash else None


def _is_of(checked_hash: str, form: str) -> bool:
    try:
        return _hasher.verify(checked_hash, _encode(form))
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


def needs_rehash(stored_hash: str, form: str) -> bool:
    """Tell whether *stored_hash*, of a password in this *form*, has outdated parameters, or is not of the form NFC."""
    return _hasher.check_needs_rehash(stored_hash) or form != normal("NFC", form)


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


@cache
def common() -> frozenset[str]:
    """Return the most frequent passwords in published leaks, in lower case."""
    # Loaded at the first new password: the module's lists take 15 MB, of which most is not needed.
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # type: ignore[import-untyped]

    return frozenset(text for text in FREQUENCY_LISTS["passwords"] if len(text) >= config.MIN_PASSWORD_LENGTH)


#: Codes of a member: enough for years, few enough to be copied by hand.
COUNT = 10
#: Digits and letters of which none looks like another: 5 bits each, 80 bits a code, so that nobody guesses one.
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH, _GROUP = 16, 4
#: Letters that people type for a digit that looks like them.
_READ_AS = str.maketrans("oil", "011")
#: Characters of the longest code that is read: with a sign after each letter.
MAX_TYPED_LENGTH = 4 * _LENGTH
#: The stored form of a member's codes: which secret key made the digests, and a digest for each code that is left.
_STORED = re.compile(rf"[0-9a-f]{{8}}( [0-9a-f]{{24}}){{0,{COUNT}}}")


def new_codes() -> tuple[str, ...]:
    """Return new random codes, without hyphens."""
    return tuple("".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH)) for _ in range(COUNT))


def spell(code: str) -> str:
    """Return *code* as it is shown: in groups, with hyphens between them."""
    return "-".join(code[at : at + _GROUP] for at in range(0, _LENGTH, _GROUP))


def read(typed: str) -> str:
    """Return the code that is *typed*, in any case, with any signs between its letters; "" if it can be none."""
    if len(typed) > MAX_TYPED_LENGTH:
        return ""
    folded = unicodedata.normalize("NFKC", typed).casefold()
    code = "".join(filter(str.isalnum, folded)).translate(_READ_AS)
    return code if len(code) == _LENGTH and set(code) <= set(_ALPHABET) else ""


def is_stored(field: str) -> bool:
    """Tell whether *field* is what a member's record holds of their codes; "" for none."""
    return not field or _STORED.fullmatch(field) is not None
