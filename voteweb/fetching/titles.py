"""Find the title of a page in its HTML, whatever that contains, in time that grows with its length only.

html.parser alone takes minutes for 64 KB of some broken pages, since it looks for the end of each tag again and again.
So the text is searched once, and html.parser reads single tags.
"""

import codecs
import html
import re
from html.parser import HTMLParser

from voteweb.core import config
from voteweb.core.validation import clean_line

#: What a head is searched for: comments and elements whose text is no HTML are skipped, the head's end ends the search.
_STEP = re.compile(
    r"<(?:(?P<comment>!--)|(?P<skipped>script|style|noscript|template|svg)\b|(?P<title>title)\b|(?P<meta>meta)\b"
    r"|(?P<end>/head|body)\b)",
    re.IGNORECASE,
)
_META_CHARSET = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
#: Bytes at the beginning of a page in which browsers look for its charset.
_CHARSET_BYTES = 4_096
#: Encodings of text on the web, under Python's names; others could take long, or decode to no text.
_ENCODING = re.compile(r"utf-8|utf-16(-[bl]e)?|iso8859-\d+|cp\d+|koi8-[ru]|mac-\w+|gb\w+|big5\w*|shift_jis|euc_\w+")
#: What browsers read where these are named.
_WIDER = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
#: Signs between the title of a page and the name of its site.
_SEPARATORS = r"|·•–—:«»/-"
#: Tags of metadata that are read, and the characters of one, and of a title before it is cleaned.
_MAX_METAS, _MAX_TAG, _MAX_RAW_TITLE = 100, 4_000, 5 * config.MAX_TITLE_LENGTH


def title_of(body: bytes, charset: str) -> str:
    """Return the title of the page *body*, which may be cut off; "" if it has none that could be posted.

    *charset* is the one that its server names, or "". Where the title only adds the site's name to the one that the
    page gives to programs that share it (og:title), that one is returned.
    """
    title, shared = map(_clean, _find(_decode(body, charset)))
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


def _decode(body: bytes, charset: str) -> str:
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return body.decode(encoding, "replace").removeprefix("\ufeff")
    encoding = _encoding(charset)
    if not encoding and (meta := _META_CHARSET.search(body[:_CHARSET_BYTES])):
        encoding = _encoding(meta[1].decode("ascii"))
        if encoding.startswith("utf-16"):  # the tag could be read, so it is not true
            encoding = "utf-8"
    return body.decode(encoding or "utf-8", "replace")


def _encoding(charset: str) -> str:
    """Return Python's name of an encoding of text, "" if *charset* is none."""
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):  # ValueError: with a null character
        return ""
    name = _WIDER.get(name, name)
    return name if _ENCODING.fullmatch(name) else ""


def _find(page: str) -> tuple[str, str]:
    """Return the first title of the head of *page*, and the one that it gives to programs that share it."""
    title = shared = ""
    position, metas = 0, 0
    while (step := _STEP.search(page, position)) and metas < _MAX_METAS and step["end"] is None:
        position = step.end()
        if step["meta"]:
            metas += 1
            shared = shared or _shared_title(page[step.start() : step.start() + _MAX_TAG])
            continue
        end = _end(page, position, step)
        if end is None and not step["title"]:
            break
        if step["title"] and not title:
            _, _, content = page[position : end if end is not None else position + _MAX_RAW_TITLE].partition(">")
            title = html.unescape(content[:_MAX_RAW_TITLE])
        if end is None:
            break
        position = end
    return title, shared


def _end(page: str, position: int, step: re.Match[str]) -> int | None:
    """Return where the comment or element that *step* has found ends, None if it does not."""
    closing = "-->" if step["comment"] else f"</{step['skipped'] or step['title']}"
    found = re.compile(closing, re.IGNORECASE).search(page, position)
    return found.start() if found else None


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
    line = clean_line(" ".join(raw[:_MAX_RAW_TITLE].split()), config.MAX_TITLE_LENGTH)
    line = line[: config.MAX_TITLE_LENGTH].rstrip()
    return line if len(line) >= config.MIN_TITLE_LENGTH and any(map(str.isalnum, line)) else ""
