"""Find the title of a page in any HTML, in time that grows with its length only.

html.parser alone takes minutes for 64 KB of some broken pages, since it looks for the end of each tag again and again.
So the page is searched once, and html.parser reads a single tag. Bytes are searched: to decode half a megabyte
that is not in the charset which its server names takes longer than all else.
"""

import codecs
import html
import re
from html.parser import HTMLParser

import webencodings

from voteweb.core import config
from voteweb.core.validation import clean_line

#: The parts of a head in lower case that are searched for: comments and elements whose text is no HTML are skipped, the
#: head's end ends the search.
_STEP = re.compile(
    rb"<(!--|script\b|style\b|noscript\b|template\b|svg\b|title\b|/head\b|body\b"
    rb"|meta\b[^<]*?\b(?:property|name)\s*=\s*[\"']?(?:og:title|og:site_name|twitter:title)\b)"
)
#: The names of tags with the title, and the name of the site, for programs that share the page.
_SHARED = ("og:title", "og:site_name", "twitter:title")
#: Bytes at the beginning of a page among which it can name its charset, and what does so: comments are skipped.
_PRESCANNED = 1_024
_PRESCAN = re.compile(rb"<!--.*?-->|(<meta[\s/](?:\"[^\"]*\"|'[^']*'|[^>\"'])*+)>", re.IGNORECASE | re.DOTALL)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';]+)", re.IGNORECASE)
_XML = re.compile(rb"<\?xml\s[^>]*?encoding\s*=\s*[\"']\s*([^\s\"'>]+)")
#: The encodings that a page names in itself, and those that browsers read then: it would not be ASCII in the first.
_NOT_IN_PAGE = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}
#: Bytes of a page in UTF-16 that are read: its markup is not ASCII, so they have to be decoded; few pages are in it.
_MAX_UTF_16 = 65_536
#: Signs between the title of a page and the name of its site.
_SEPARATORS = r"|·•–—:«»/-"
#: Titles of pages that keep programs out, lead elsewhere or failed, and of those without one.
_NO_TITLE = re.compile(
    rf"[{_SEPARATORS}]\s.*|https?://\S+|(?:just a moment|one moment, please|please wait|attention required"
    r"|access denied|are you (?:a )?(?:human|robot)|robot check|security check|human verification"
    r"|verify you are human"
    r"|client challenge|verifying (?:that )?you are (?:a )?human.*|checking (?:your|the|if) .*browser.*|ddos-guard"
    r"|pardon our interruption|before you continue to \w+|redirecting|loading|untitled(?: document| page)?"
    r"|index|home(?: ?page)?|(?:log|sign) ?in"
    r"|(?:error )?[45]\d\d(?:[\s:-]+(?:bad request|unauthorized|forbidden|(?:page )?not found|too many requests|error"
    r"|internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out))?)"
    r"[\s.…!?]*(?:[|·•–—-]\s.*)?",
    re.IGNORECASE | re.DOTALL,
)
#: Elements and comments of a head that are looked at, and bytes of a tag, and of a title before it is cleaned.
_MAX_STEPS, _MAX_RAW = 1_000, 4_000


def title_of(body: bytes, charset: str, host: str = "") -> str:
    """Return the title of the page *body*, which may be cut off; "" if it has none that could be posted.

    *charset* is the one that its server names, or "". Where the title is that of the site, which has this *host*, or
    only adds it to the title that the page gives to programs that share it (og:title, twitter:title), that is returned.
    """
    encoding = _encoding(body, charset)
    if encoding.name == "replacement":
        return ""
    if encoding.name.startswith("utf-16"):
        body, encoding = encoding.codec_info.decode(body[:_MAX_UTF_16], "replace")[0].encode(), webencodings.UTF8

    def decode(found: bytes) -> str:
        return str(encoding.codec_info.decode(found, "replace")[0])

    raw, tags = _find(body)
    title, contents = _clean(html.unescape(decode(raw))), {name: _content(decode(tag)) for name, tag in tags.items()}
    shared = _clean(contents.get("og:title", "")) or _clean(contents.get("twitter:title", ""))
    title, shared = ("" if _NO_TITLE.fullmatch(text) else text for text in (title, shared))
    is_of_site = _letters(title) in {_letters(contents.get("og:site_name", "")), _letters(host), *host.split(".")}
    return shared or title if is_of_site or _adds_site_name(title, shared) else title or shared


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold().removeprefix("www.")))


def _adds_site_name(title: str, shared: str) -> bool:
    """Tell whether *title* is *shared* with more words before or after it, behind a sign such as "|" or "–"."""
    if not shared:
        return False
    after, before = title.removeprefix(shared), title.removesuffix(shared)
    return bool(
        (after != title and re.match(rf"\s*[{_SEPARATORS}]\s", after))
        or (before != title and re.search(rf"\s[{_SEPARATORS}]\s*$|[:»]\s+$", before))
    )


def _encoding(body: bytes, charset: str) -> webencodings.Encoding:
    """Return the encoding of *body* by its mark of byte order, its server's *charset* or itself, UTF-8 if unnamed."""
    marks = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16le", codecs.BOM_UTF16_BE: "utf-16be"}
    marked = next((name for mark, name in marks.items() if body.startswith(mark)), charset)
    encoding = webencodings.lookup(marked) or _named_in(body[:_PRESCANNED]) or webencodings.UTF8
    # Python's gbk lacks characters of pages that say so, or gb2312.
    return webencodings.lookup("gb18030") if encoding.name == "gbk" else encoding


def _named_in(beginning: bytes) -> webencodings.Encoding | None:
    """Return the encoding that the *beginning* of a page names, as browsers read it, None if it names none."""
    labels: list[str] = []
    for match in _PRESCAN.finditer(beginning):
        attributes = _attributes(match[1].decode("latin-1") + ">") if match[1] else {}
        labels.append(attributes.get("charset", ""))
        if attributes.get("http-equiv", "").lower() == "content-type":
            labels += _CHARSET.findall(attributes.get("content", ""))[:1]
    labels += [label.decode("latin-1") for label in _XML.findall(beginning) if beginning.startswith(b"<?xml")]
    named = next(filter(None, map(webencodings.lookup, labels)), None)
    return webencodings.lookup(_NOT_IN_PAGE[named.name]) if named and named.name in _NOT_IN_PAGE else named


def _find(page: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Return the first title in the head of *page*, and the first tag of each name with what programs share.

    More may follow a tag; the title is empty if there is none.
    """
    title, tags = b"", dict[str, bytes]()
    lower, position = page.lower(), 0
    for _ in range(_MAX_STEPS):
        step = _STEP.search(lower, position)
        if step is None or step[1] in (b"/head", b"body"):
            break
        position = step.end()
        if step[1].startswith(b"meta"):
            name = re.split(rb"[\s=\"']", step[1])[-1].decode("latin-1")
            tags.setdefault(name, page[step.start() : step.start() + _MAX_RAW])
            continue
        end = lower.find(b"-->" if step[1] == b"!--" else b"</" + step[1], position)
        if step[1] == b"title" and not title:
            _, _, title = page[position : end if end >= 0 else position + _MAX_RAW].partition(b">")
            title = title[:_MAX_RAW]
        if end < 0:
            break
        position = end
    return title, tags


class _FirstTag(HTMLParser):
    attributes: dict[str, str | None] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.attributes is None:
            self.attributes = dict(attrs)


def _attributes(tag: str) -> dict[str, str]:
    """Return the attributes of the *tag*, which may be followed by more."""
    parser = _FirstTag()
    parser.feed(tag[: tag.find("<", 1)] if "<" in tag[1:] else tag)
    return {name: value or "" for name, value in (parser.attributes or {}).items()}


def _content(tag: str) -> str:
    """Return the content of a *tag* for programs that share the page."""
    attributes = _attributes(tag)
    name = attributes.get("property") or attributes.get("name", "")
    return attributes.get("content", "") if name.strip().lower() in _SHARED else ""


def _clean(raw: str) -> str:
    """Return *raw* as a line that can be a title, "" if it cannot, as with characters that could not be decoded."""
    line = clean_line(" ".join(raw[: 5 * config.MAX_TITLE_LENGTH].split()), config.MAX_TITLE_LENGTH)
    line = line[: config.MAX_TITLE_LENGTH].rstrip()
    is_title = len(line) >= config.MIN_TITLE_LENGTH and any(map(str.isalnum, line)) and "\ufffd" not in line
    return line if is_title else ""
