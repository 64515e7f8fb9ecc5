"""Characters that texts may have; names of members, and the one form in which names are compared.

A name has letters and digits of one script. The rules are those of Unicode's report 39, "single script", with the sets
that Japanese, Korean and Chinese are written with. Python knows no scripts, but the names of letters begin with them.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

#: Joiners are part of emoji and Persian words; every other format character is invisible or changes the text direction.
JOINERS = frozenset("\u200c\u200d")
#: A flag: a black one, its letters as tags, and their end.
_FLAG = re.compile("(\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f)")
#: Letters and marks that show nothing: Hangul fillers and the inherent vowels of Khmer.
INVISIBLE_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0")
#: Marks above or below one letter; no word of a living language has more, and a pile of them covers the lines around.
MAX_MARKS = 6
#: Characters among which there may be more marks: no mark counts as part of a word or is a space.
_PILE = re.compile(rf"[^\w\s\0-\x7f]{{{MAX_MARKS + 1},}}")
#: Characters that no HTML of ours contains: controls but for tabs and line ends, and those that turn the direction.
_NOT_SHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def is_visible(character: str) -> bool:
    """Tell whether *character* may be in a text: neither a control, nor invisible, nor turning the direction."""
    return character in JOINERS or (
        unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
        and character not in INVISIBLE_LETTERS
    )


def only_visible(text: str, instead: Callable[[str], str] = lambda character: "") -> str:
    """Return *text* with *instead* of each character that is not visible; the letters of flags, as Scotland's, stay."""
    parts = _FLAG.split(text)
    parts[::2] = ["".join(c if is_visible(c) else instead(c) for c in part) for part in parts[::2]]
    return "".join(parts)


def limit_marks(text: str) -> str:
    """Return *text* with at most MAX_MARKS marks above and below each of its letters."""
    return _PILE.sub(_limit, text)


def _limit(pile: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for character in pile[0]:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if marks <= MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def clean_html(html: str) -> str:
    """Return *html* without characters that are not shown, which a text can also name, such as ``&#8238;``."""
    return limit_marks(_NOT_SHOWN.sub("", html))


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


def is_clear_label(label: str) -> bool:
    """Tell whether nobody takes a *label* of a host for another: its letters are of one script, and none looks Latin.

    Latin letters may stand beside those of Chinese, Japanese and Korean.
    """
    letters = [character for character in label if character not in JOINERS]
    others = [character for character in letters if not character.isascii()]
    is_asian = all(any(script(character) in together for together in _TOGETHER) for character in others)
    return bool(letters) and is_in_one_script("".join(others if is_asian else letters)) and not looks_latin(label)


_NAMES_KEPT = 4_096
_MAX_FOLDED_LENGTH = 100
#: Digits, the hyphen and the underscore belong to every script, as U+0030 to U+0039 do.
_COMMON = frozenset("0123456789-_")
#: The scripts of living languages by the first word of their letters' names (UAX 31, table 5).
_SCRIPTS = {
    word: word
    for word in (
        "ARABIC", "ARMENIAN", "BENGALI", "BOPOMOFO", "CJK", "CYRILLIC", "DEVANAGARI", "ETHIOPIC", "GEORGIAN", "GREEK",
        "GUJARATI", "GURMUKHI", "HEBREW", "HIRAGANA", "KANNADA", "KATAKANA", "KHMER", "LAO", "LATIN", "MALAYALAM",
        "MYANMAR", "ORIYA", "SINHALA", "TAMIL", "TELUGU", "THAANA", "THAI", "TIBETAN",
    )
} | {"ARABIC-INDIC": "ARABIC", "EXTENDED": "ARABIC", "IDEOGRAPHIC": "CJK", "KATAKANA-HIRAGANA": "KANA"}  # fmt: skip
#: Scripts that one language mixes.
_TOGETHER = (
    frozenset(("CJK", "HIRAGANA", "KATAKANA", "KANA")), frozenset(("CJK", "HANGUL")), frozenset(("CJK", "BOPOMOFO")),
)  # fmt: skip
#: The last code points of letters that words of today are written with; what follows are signs of phoneticians and
#: medieval letters. Latin clicks look like "l" and "!".
_LAST = {"LATIN": (0x024F, 0x1E00, 0x1EFF), "CYRILLIC": (0x052F, 0, 0), "GREEK": (0x03CE, 0x1F00, 0x1FFF)}
_CLICKS = frozenset("ǀǁǂǃ")


def name_key(name: str) -> str:
    """Return *name* as keys and sets spell it: two names with one key are the same (NFKC, casefolded).

    The Turkish İ, which casefolding makes an "i" with a dot more, is an "i".
    No member has a name so long that it is not normalized, which would take time.
    """
    if name.isascii() or len(name) > _MAX_FOLDED_LENGTH:
        return name.lower()
    folded = unicodedata.normalize("NFKC", name).casefold().replace("i\u0307", "i")
    return unicodedata.normalize("NFKC", folded)


# Takes 13 µs for one name, and a text that repeats names of another script asks for thousands of their beginnings.
@lru_cache(maxsize=_NAMES_KEPT)
def is_in_one_script(name: str) -> bool:
    """Tell whether *name*, which is short, is normal and consists of letters and digits of one script, "-" and "_"."""
    if unicodedata.normalize("NFKC", name) != name or not INVISIBLE_LETTERS.isdisjoint(name):
        return False
    scripts = {script(character) for character in name if character not in _COMMON}
    is_one = len(scripts) == 1 or any(scripts <= together for together in _TOGETHER)
    return is_one and "" not in scripts and _has_one_zero(name) and _has_marks_after_letters(name)


def script(character: str) -> str:
    """Return the script of a letter, a mark or a digit, "" for any other character and for rare letters."""
    category = unicodedata.category(character)
    if category not in ("Ll", "Lm", "Lo", "Lu", "Mc", "Mn", "Nd") or character in _CLICKS:
        return ""
    words = unicodedata.name(character, "").split()
    if words[:2] == ["HANGUL", "SYLLABLE"]:
        return "HANGUL"
    found = _SCRIPTS.get(words[0], "") if words else ""
    last, first, end = _LAST.get(found, (0x10FFFF, 0, 0))
    return found if ord(character) <= last or first <= ord(character) <= end else ""


def _has_one_zero(name: str) -> bool:
    """Tell whether all digits of *name* are of one system of numbers."""
    return len({ord(c) - unicodedata.digit(c) for c in name if unicodedata.category(c) == "Nd"}) <= 1


def _has_marks_after_letters(name: str) -> bool:
    """Tell whether each mark, such as a vowel of Hindi or Thai, follows a letter or one other mark of a letter."""
    categories = "".join(unicodedata.category(character)[0] for character in name)
    return (
        categories[0] != "M"
        and not any(mark == "M" and before not in "LM" for before, mark in pairwise(categories))
        and "MMMM" not in categories
        and not any(a == b for a, b in pairwise(name) if unicodedata.category(a)[0] == "M")
    )
