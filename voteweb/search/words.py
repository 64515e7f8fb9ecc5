"""Divide texts and typed words into the tokens of the index.

Texts are compared without case, accents and compatibility forms. A word is a run of letters and digits: ``open-source``
is two, and so typed it is a phrase of two. ``c++``, ``c#`` and ``.net`` are tokens of their own. Chinese,
Japanese, Korean, Thai and similar texts have no blanks between words, or inflect them: each of their characters is a
token, with the pair that it begins after it. ``编程语`` becomes ``编 编程 程 程语 语``, so that the tokens of any
substring stand in a row, and most searches read the short lists of pairs instead of the long ones of characters.
"""

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version
from typing import NamedTuple

from snowballstemmer import stemmer  # type: ignore[import-untyped]

from voteweb.core import config, links
from voteweb.core.errors import N_, Invalid
from voteweb.core.names import limit_marks, name_key
from voteweb.core.search_documents import Document
from voteweb.search.models import Kind

#: The version of the tables by which Python knows letters, and of the stems: with another one, tokens may be others.
VERSION = f"{unicodedata.unidata_version} {version('snowballstemmer')}"
_NOT_IN_TOKEN = re.compile(r'[\x00-\x20\x7f"\s]')
#: Hexadecimal digits of the digest of a link: at a million links, one in a million finds another one too.
_DIGEST_LENGTH = 10


def poster_token(name: str) -> str:
    return f"@{_clean(name)}"


def group_token(name: str) -> str:
    return f"#{_clean(name)}"


def domain_token(host: str) -> str:
    return f"/{_clean(host)}"


def link_token(link: str) -> str:
    """Return the token of a *link*, which is that of all links to the same page."""
    return f"={links.digest(link)[:_DIGEST_LENGTH]}"


def level_token(level: int) -> str:
    return f"^{level}"


def facets(document: Document) -> list[str]:
    """Return these tokens of *document*, and the words of the host, by which articles are found as well."""
    host = links.domain(document.link)
    found = [link_token(document.link)] if document.link else []
    if host:
        found += map(domain_token, links.rule_domains(document.link))
        found += tokens(links.readable_domain(host).rpartition(".")[0])
    if document.poster:
        found.append(poster_token(document.poster))
    if document.level:
        found.append(level_token(document.level))
    return found + [group_token(name) for name in document.groups]


def _clean(name: str) -> str:
    """Return *name* as it is compared; other programs may have stored another text as one."""
    return _NOT_IN_TOKEN.sub("_", name_key(name[: config.MAX_HOST_LENGTH]).encode(errors="replace").decode())


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


_STEMMED = re.compile("[a-z]{3,}")
#: Letters of a stem: "go" is none, so that the name of the language does not find all that goes.
_MIN_STEM_LENGTH = 3


@lru_cache(maxsize=65_536)  # a word takes 60 µs
def stem(word: str) -> str:
    """Return the stem of a normalized English *word*, the word itself if it has none: ``vote`` for ``votes``."""
    if not _STEMMED.fullmatch(word):
        return word
    found = str(stemmer("english").stemWord(word))  # one for each word: it is not made for several threads
    return found if len(found) >= _MIN_STEM_LENGTH else word


def with_stems(words: list[str]) -> list[str]:
    """Return *words* of a text with the stems that are not among them after these, each once."""
    return words + sorted({stem_token(stem(word)) for word in words if stem(word) != word})


def stem_token(stem: str) -> str:
    """Return the token that stands for all words with this *stem*, but for the stem itself."""
    return f"~{stem}"


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


_POSSESSIVE = re.compile(r"(?<=\w)['’]s?$", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})(?:[-/.](\d\d?)(?:[-/.](\d\d?))?)?")
_HOST = r"(?:[\w-]+\.)+[a-z]{2,}"
#: The address of a page; of it, what people leave out or add.
_ADDRESS = re.compile(rf"https?://.+|{_HOST}(?::\d+)?/.*", re.IGNORECASE)
_SCHEME = re.compile(r"(?:https?://)?(?:www\.)?", re.IGNORECASE)


class Term(NamedTuple):
    """A word, a phrase, or the beginning of a word, in a field ("" for all): its ``tokens`` stand in a row.

    ``is_prefix``: the last token is the beginning of one. ``stem`` is that of a word whose other forms are found too.
    """

    field: str
    tokens: tuple[str, ...]
    is_prefix: bool = False
    stem: str = ""


class Part(NamedTuple):
    """A part of a query: terms one of which must be found (or none, if ``is_excluded``), a date, or a kind.

    ``text`` is the part as it can be typed, such as ``-title:"open source"``; ``time`` is in unix seconds.
    ``is_small``: it is a word such as "the", beside others, and need not be found.
    """

    field: str
    text: str
    terms: tuple[Term, ...] = ()
    is_excluded: bool = False
    time: float | None = None
    kind: Kind | None = None
    is_small: bool = False

    @property
    def plain_word(self) -> str:
        """The word of a part that is one of Latin letters and nothing else, else ""."""
        return self.text.lower() if self.text.isascii() and self.text.isalpha() else ""


def read_terms(name: str, value: str, is_phrase: bool) -> tuple[Term, ...]:
    """Return the terms, one of which must be found, for what was typed in the field *name* ("" for all)."""
    if name in ("by", "group"):
        member_or_group = value.strip().removeprefix("@" if name == "by" else "#")
        to_token = poster_token if name == "by" else group_token
        return (Term(name, (to_token(member_or_group),)),) if member_or_group else ()
    if name == "domain":
        return (_domain(value),)
    tokens = tuple(typed_tokens(value if is_phrase else _POSSESSIVE.sub("", value)))
    root = stem(tokens[0]) if len(tokens) == 1 and not is_phrase and _STEMMED.fullmatch(tokens[0]) else ""
    words = (Term(name, tokens, stem=root),) if tokens else ()
    if name or is_phrase:
        return words
    if _ADDRESS.fullmatch(value):
        address = tuple(typed_tokens(_SCHEME.sub("", value, count=1)))
        link = value if "://" in value else f"https://{value}"
        return Term("link", (link_token(link),)), *((Term("", address),) if address else ())
    if re.fullmatch(_HOST, value, re.IGNORECASE):
        host = links.domain_of_address(value)
        return (*words, Term("domain", (domain_token(host),))) if host else words
    return words


def _domain(value: str) -> Term:
    host = links.domain(value) if "://" in value else links.domain_of_address(value.strip())
    if not host:
        raise Invalid(N_("%(typed)s: this is no domain. Please write one such as example.com."), typed=value)
    return Term("domain", (domain_token(host),))


def read_kind(value: str) -> Part:
    kind = {"article": Kind.ARTICLES, "comment": Kind.COMMENTS}.get(value.lower().removesuffix("s"))
    if not kind:
        raise Invalid(N_("%(typed)s: please write in:articles or in:comments."), typed=f"in:{value}")
    return Part("in", f"in:{kind}", kind=kind)


def read_date(name: str, value: str) -> Part:
    match = _DATE.fullmatch(value)
    try:
        if match:
            date = datetime(int(match[1]), int(match[2] or 1), int(match[3] or 1), tzinfo=UTC)
            return Part(name, f"{name}:{value}", time=date.timestamp())
    except ValueError:
        pass
    raise Invalid(
        N_("%(typed)s: this is no date. Please write one such as 2016, 2016-05 or 2016-05-31."), typed=f"{name}:{value}"
    )
