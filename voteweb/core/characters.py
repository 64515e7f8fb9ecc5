"""Characters that are not what they seem: invisible ones, those that turn the direction of a text, stacked marks."""

import re
import unicodedata

#: Joiners are part of emoji and Persian words; every other format character is invisible or changes the text direction.
JOINERS = frozenset("\u200c\u200d")
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
