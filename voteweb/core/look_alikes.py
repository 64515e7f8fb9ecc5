"""Names of members that look like others: ``adm1n`` and ``Admin_`` like ``admin``."""

#: Characters of names, with the one that people read for them. Unicode's table of confusables, which libraries contain,
#: is about other alphabets: of these it has only 1 and 0, and 1 for l but not for i.
_READ_AS = str.maketrans("013457l", "oieasti")
_PAIRS_READ_AS = {"rn": "m", "vv": "w"}


def skeleton(name: str) -> str:
    """Return what *name* looks like; names with the same skeleton can be mistaken for each other."""
    letters = name.lower().replace("-", "").replace("_", "")
    for pair, letter in _PAIRS_READ_AS.items():
        letters = letters.replace(pair, letter)
    return letters.translate(_READ_AS)


def look_alike(name: str, other: str) -> bool:
    """Tell whether *name* can be mistaken for *other*."""
    return skeleton(name) == skeleton(other)
