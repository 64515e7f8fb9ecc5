"""Find the title of a page in any HTML, in time that grows with its length only.

html.parser alone takes minutes for 64 KB of some broken pages, since it looks for the end of each tag again and again.
So the page is searched once, and html.parser reads a single tag. Bytes are searched: to decode half a megabyte
that is not in the charset which its server names takes longer than all else.
"""

import codecs
import html
import re
from html.parser import HTMLParser

from voteweb.core import config
from voteweb.core.validation import clean_line

#: The parts of a head in lower case that are searched for: comments and elements whose text is no HTML are skipped, the
#: head's end ends the search.
_STEP = re.compile(
    rb"<(!--|script\b|style\b|noscript\b|template\b|svg\b|title\b|/head\b|body\b"
    rb"|meta\b[^<]*?\b(?:property|name)\s*=\s*[\"']?og:title\b)"
)
#: Encodings of text on the web, under Python's names; others could take long, or decode to no text.
_ENCODING = re.compile(r"utf-8|utf-16(-[bl]e)?|iso8859-\d+|cp\d+|koi8-[ru]|mac-\w+|gb\w+|big5\w*|shift_jis|euc_\w+")
#: The charsets that browsers use where these are named.
_WIDER = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}
#: Bytes of a page in UTF-16 that are read: its markup is not ASCII, so they have to be decoded; few pages are in it.
_MAX_UTF_16 = 65_536
#: Signs between the title of a page and the name of its site.
_SEPARATORS = r"|·•–—:«»/-"
#: Elements and comments of a head that are looked at, and bytes of a tag, and of a title before it is cleaned.
_MAX_STEPS, _MAX_RAW = 1_000, 4_000


def title_of(body: bytes, charset: str) -> str:
    """Return the title of the page *body*, which may be cut off; "" if it has none that could be posted.

    *charset* is the one that its server names, or "". Where the title only adds the site's name to the one that the
    page gives to programs that share it (og:title), that one is returned.
    """
    encoding = _encoding(body, charset)
    if encoding.startswith("utf-16"):
        body, encoding = body[:_MAX_UTF_16].decode(encoding, "replace").encode(), "utf-8"
    title, tag = (found.decode(encoding, "replace") for found in _find(body))
    title, shared = _clean(html.unescape(title)), _clean(_shared_title(tag))
    return shared if not title or _adds_site_name(title, shared) else title


def _adds_site_name(title: str, shared: str) -> bool:
    """Tell whether *title* is *shared* with more words before or after it, behind a sign such as "|" or "–"."""
    if not shared:
        return False
    after, before = title.removeprefix(shared), title.removesuffix(shared)
    return bool(
        (after != title and re.match(rf"\s*[{_SEPARATORS}]\s", after))
        or (before != title and re.search(rf"\s[{_SEPARATORS}]\s*$|[:»]\s+$", before))
    )


def _encoding(body: bytes, charset: str) -> str:
    """Return Python's name of the encoding of *body*: UTF-8 if neither it nor *charset* names one of text."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if body.startswith(codecs.BOM_UTF8):
        return "utf-8"
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):  # ValueError: with a null character
        return "utf-8"
    name = _WIDER.get(name, name)
    return name if _ENCODING.fullmatch(name) else "utf-8"


def _find(page: bytes) -> tuple[bytes, bytes]:
    """Return the first title in the head of *page*, and the tag with the one that it gives to programs that share it.

    More may follow the tag, and each is empty if there is none.
    """
    title = tag = b""
    lower, position = page.lower(), 0
    for _ in range(_MAX_STEPS):
        step = _STEP.search(lower, position)
        if step is None or step[1] in (b"/head", b"body"):
            break
        position = step.end()
        if step[1].startswith(b"meta"):
            tag = tag or page[step.start() : step.start() + _MAX_RAW]
            continue
        end = lower.find(b"-->" if step[1] == b"!--" else b"</" + step[1], position)
        if step[1] == b"title" and not title:
            _, _, title = page[position : end if end >= 0 else position + _MAX_RAW].partition(b">")
            title = title[:_MAX_RAW]
        if end < 0:
            break
        position = end
    return title, tag


class _FirstTag(HTMLParser):
    attributes: dict[str, str | None] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.attributes is None:
            self.attributes = dict(attrs)


def _shared_title(tag: str) -> str:
    """Return the content of the *tag*, which may be followed by more, if it is an og:title."""
    parser = _FirstTag()
    parser.feed(tag[: tag.find("<", 1)] if "<" in tag[1:] else tag)
    attributes = parser.attributes or {}
    if (attributes.get("property") or attributes.get("name") or "").strip().lower() != "og:title":
        return ""
    return attributes.get("content") or ""


def _clean(raw: str) -> str:
    """Return *raw* as a line that can be a title, "" if it cannot."""
    line = clean_line(" ".join(raw[: 5 * config.MAX_TITLE_LENGTH].split()), config.MAX_TITLE_LENGTH)
    line = line[: config.MAX_TITLE_LENGTH].rstrip()
    return line if len(line) >= config.MIN_TITLE_LENGTH and any(map(str.isalnum, line)) else ""
