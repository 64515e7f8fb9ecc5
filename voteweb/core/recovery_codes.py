"""Recovery codes: made, spelled for people, and read again however they are typed; and how their digests are stored."""

import re
import secrets
import unicodedata

#: Codes of a member: enough for years, few enough to be copied by hand.
COUNT = 10
#: Digits and letters of which none looks like another: 5 bits each, 80 bits a code, so that nobody guesses one.
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH, _GROUP = 16, 4
#: What people type for a digit that looks like it.
_READ_AS = str.maketrans("oil", "011")
#: Characters of the longest code that is read: with a sign after each letter.
MAX_TYPED_LENGTH = 4 * _LENGTH
#: What is stored of a member's codes: which secret key made the digests, and a digest for each code that is left.
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
