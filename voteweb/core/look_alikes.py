"""Names of members that look like others: ``adm1n`` and ``Admin_`` like ``admin``, Cyrillic ones like Latin ones."""

import unicodedata

#: Characters of names, with the one that people read for them. Unicode's table of confusables, which libraries contain,
#: is about other alphabets: of these it has only 1 and 0, and 1 for l but not for i.
_READ_AS = str.maketrans("013457l", "oieasti")
_PAIRS_READ_AS = {"rn": "m", "vv": "w"}
#: Letters of other alphabets that look like Latin ones, as browsers list them for names of sites, and capitals.
_LATIN = dict(
    zip(
        "асԁеһіјӏорԛѕԝхуъЬҽпгѵѡАВЕКМНОРСТХУІЈЅԚԜαικνρυωοτγηχΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսցհոսռզ",
        "acdehijlopqswxybbenrvwabekmhopctxyijsqwaiknpuwotynxabezhikmnoptyxoughnunq",
        strict=True,
    )
)
#: Kana that look like Chinese characters or like each other.
_KANA = dict(zip("ロエカトニハタチヘベペリミーイ", "口工力卜二八夕千へべぺり三一亻", strict=True))
_SEEN_AS = str.maketrans(_LATIN | _KANA)


def skeleton(name: str) -> str:
    """Return what *name* looks like; names with the same skeleton can be mistaken for each other."""
    letters = (name if name.isascii() else _without_accents(name.translate(_SEEN_AS))).lower()
    letters = letters.replace("-", "").replace("_", "")
    for pair, letter in _PAIRS_READ_AS.items():
        letters = letters.replace(pair, letter)
    return letters.translate(_READ_AS)


def _without_accents(name: str) -> str:
    """Return *name* without the marks over and below its Latin letters, and with the dot of an "i" that has none."""
    parts = unicodedata.normalize("NFD", name.replace("ı", "i"))
    return unicodedata.normalize("NFC", "".join(c for c in parts if not "\u0300" <= c <= "\u036f"))


def looks_latin(name: str) -> bool:
    """Tell whether all letters of *name*, which is not Latin, look like Latin ones."""
    letters = [character for character in name if character.isalpha()]
    return not name.isascii() and bool(letters) and all(letter in _LATIN for letter in letters)


def look_alike(name: str, other: str) -> bool:
    """Tell whether *name* can be mistaken for *other*."""
    return skeleton(name) == skeleton(other)
