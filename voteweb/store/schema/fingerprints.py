"""Fingerprints of imported rows: whole numbers in buckets, which Redis keeps in eight bytes each.

A fingerprint has 76 bits: 12 name its bucket, 64 are its member there. That a new row has the fingerprint of one of a
million others has a probability of 1.4e-17; that any two of a million have the same one, of 7e-12.
"""

from hashlib import blake2b
from typing import NamedTuple

#: Buckets of one site. Redis keeps whole numbers compact up to set-max-intset-entries, 512 unless set: two million rows
#: in all, and 33 million with the 8192 that we advise. A bucket with more takes 60 bytes per row.
BUCKETS = 4_096
_MEMBER_BITS = 64


class Fingerprint(NamedTuple):
    """The place of an imported row: its bucket, and a signed number of 64 bits, of which Redis makes integer sets."""

    bucket: int
    member: int

    def as_number(self) -> int:
        """Return the fingerprint as one number from 0."""
        return self.bucket << _MEMBER_BITS | self.member + (1 << _MEMBER_BITS - 1)


def fingerprint(digest: str) -> Fingerprint:
    """Return the fingerprint of the row that *digest* identifies."""
    size = (BUCKETS.bit_length() - 1 + _MEMBER_BITS + 7) // 8
    hashed = int.from_bytes(blake2b(digest.encode(), digest_size=size).digest(), "big")
    return from_number(hashed % (BUCKETS << _MEMBER_BITS))


def from_number(number: int) -> Fingerprint:
    """Return the fingerprint that :meth:`Fingerprint.as_number` returned as *number*; raise ValueError for no such."""
    bucket, member = divmod(number, 1 << _MEMBER_BITS)
    if not 0 <= bucket < BUCKETS:
        raise ValueError(number)
    return Fingerprint(bucket, member - (1 << _MEMBER_BITS - 1))


def is_bucket(name: str) -> bool:
    """Tell whether a bucket has this *name*."""
    return name.isascii() and name.isdecimal() and str(int(name)) == name and int(name) < BUCKETS


def is_member(stored: str) -> bool:
    """Tell whether *stored* is a member of a bucket as Redis spells it."""
    digits = stored.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= len(str(1 << _MEMBER_BITS))):
        return False
    number = int(stored)
    return str(number) == stored and -(1 << _MEMBER_BITS - 1) <= number < 1 << _MEMBER_BITS - 1
