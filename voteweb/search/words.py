"""Divide texts and typed words into the tokens of the index.

Texts are compared without case, accents and compatibility forms. A word is a run of letters and digits: ``open-source``
is two, and what is typed so is a phrase of two. ``c++``, ``c#`` and ``.net`` are tokens of their own. Chinese,
Japanese, Korean, Thai and similar texts have no blanks between words, or inflect them: each of their characters is a
token, with the pair that it begins after it. ``编程语`` becomes ``编 编程 程 程语 语``, so that the tokens of any
substring stand in a row, and most searches read the short lists of pairs instead of the long ones of characters.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from voteweb.core import config
from voteweb.core.names import limit_marks

#: Thai and Lao; Myanmar; Hangul; Khmer; kana, bopomofo and Han; Hangul; Han of later planes.
_UNSPACED = (
    "\u0e01-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17d3\u3005-\u3007\u3041-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c"
    "\uac00-\ud7fb\uf900-\ufaff\U00016fe0-\U00018cff\U0001aff0-\U0001b2ff\U00020000-\U0003ffff"
)
IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
#: Marks of words, such as the vowels of Hindi, which ``\w`` of regular expressions does not match.
_MARKS = "".join(
    chr(code) for code in (*range(0x300, 0x3100), *range(0xA600, 0xAC00)) if unicodedata.category(chr(code))[0] == "M"
)
_LETTER = rf"[^\W_{_UNSPACED}]"
_TOKEN = re.compile(
    rf"((?:(?=[\w{_MARKS}])[{_UNSPACED}])+)"
    rf"|((?:(?<![\w.])|(?<=[{_UNSPACED}]))\.(?=[a-z]))?"
    rf"((?:{_LETTER}|[{IS_UNSPACED.sub('', _MARKS)}])+)"
    rf"(\+\+(?!\+)|[+#](?![+#]|{_LETTER}))?"
)
_ASCII_WORD = re.compile("[a-z0-9]+")
_SIGN = re.compile(r"[a-z0-9][+#]|(?<![\w.])\.[a-z]")
#: The accents of Latin, Greek and Cyrillic letters; joiners and hyphens that are not seen; choices of a glyph.
_IGNORED = re.compile("[\u0300-\u036f\u200c\u200d\u00ad\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
#: A character with all that changes it.
_CLUSTER = re.compile(f"[\x00-\x7f]+(?![{_MARKS}\ufe00-\ufe0f])|.[{_MARKS}\ufe00-\ufe0f]*", re.DOTALL)
#: Characters of a token: no word that somebody looks for is longer.
_MAX_TOKEN_LENGTH = 64


def normalized(text: str) -> str:
    """Return *text* as it is compared: without case, accents, and compatibility forms such as full-width letters."""
    if text.isascii():
        return text.lower()
    # Normalizing takes the square of the number of marks of one letter, and other programs write texts too.
    decomposed = unicodedata.normalize("NFKD", limit_marks(text))
    return unicodedata.normalize("NFKC", _IGNORED.sub("", decomposed).casefold())


def tokens(text: str) -> list[str]:
    """Return the tokens of *text* in order, without those after the first MAX_TEXT_LENGTH characters."""
    folded = normalized(text[: config.MAX_TEXT_LENGTH])
    if folded.isascii() and not _SIGN.search(folded):  # the same, four times as fast
        return [word[:_MAX_TOKEN_LENGTH] for word in _ASCII_WORD.findall(folded)]
    return [token for token, _, _ in _split(folded)]


def typed_tokens(text: str) -> list[str]:
    """Return the tokens to look for where *text* was typed: those of a text, without characters that pairs imply."""
    found = tokens(text)
    if len(found) > 1 and IS_UNSPACED.match(found[0]) and found[1][:-1] == found[0]:
        del found[0]
    if len(found) > 1 and IS_UNSPACED.match(found[-1]) and found[-2][1:] == found[-1]:
        del found[-1]
    return found


def located(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each token of *text* with its begin and its end in *text*, in which all its characters are whole."""
    pieces: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    for match in _CLUSTER.finditer(text):
        piece = _normalized_cluster(match[0])
        pieces.append(piece)
        start, end = match.span()
        is_plain = len(piece) == end - start  # of one character, or ASCII
        begins += range(start, end) if is_plain else [start] * len(piece)
        ends += range(start + 1, end + 1) if is_plain else [end] * len(piece)
    for token, start, end in _split("".join(pieces)):
        yield token, begins[start], ends[end - 1]


_normalized_cluster = lru_cache(maxsize=8_192)(normalized)


def _split(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each token of a normalized *text* with its begin and end."""
    for match in _TOKEN.finditer(text):
        unspaced, dot, word, sign = match.groups()
        start, end = match.span()
        if unspaced:
            for at in range(start, end - 1):
                yield text[at], at, at + 1
                yield text[at : at + 2], at, at + 2
            yield text[end - 1], end - 1, end
        elif not dot and not sign:
            yield word[:_MAX_TOKEN_LENGTH], start, end
        else:
            yield f"{dot or ''}{word[:_MAX_TOKEN_LENGTH]}{sign or ''}", start, end
            # Whoever looks for Google finds Google+ too, but not C++ by C.
            if len(word) > 1:
                yield word[:_MAX_TOKEN_LENGTH], match.start(3), match.end(3)
