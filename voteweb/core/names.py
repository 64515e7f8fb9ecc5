"""Names of members: letters and digits of one script, and the one form in which names are compared.

The rules are those of Unicode's report 39, "single script", with the sets that Japanese, Korean and Chinese are written
with. Python knows no scripts, but the names of letters begin with them.
"""

import unicodedata
from functools import lru_cache
from itertools import pairwise

from voteweb.core.characters import INVISIBLE_LETTERS

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

    No member has a name so long that it is not normalized, which would take time.
    """
    if name.isascii() or len(name) > _MAX_FOLDED_LENGTH:
        return name.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


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
