"""Rows of dumps whose fields are HTML, such as those of Hacker News: titles and links decoded, texts in Markdown."""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any
from urllib.parse import quote

#: The fields of rows that are decoded, and those that are turned into Markdown.
_LINES, _TEXTS = ("title", "link", "article link"), ("text",)
_LOOKS_SO = re.compile(r"&(?:#x?[0-9a-f]{1,6}|amp|lt|gt|quot);|<(?:p|i|pre|a href=[^<>]*)>", re.IGNORECASE)
# Possessive: a text may be one tag that never ends.
_CODE, _PARAGRAPH = (re.compile(rf"</?(?:{name})\b[^<>]*+>", re.IGNORECASE) for name in ("pre", "p|br"))
#: A link with its attributes and its label, the beginning or the end of an emphasis, another tag, or a text.
_PART = re.compile(
    r"<a\b([^<>]*+)>((?:[^<]|<(?!/?a\b))*+)</a\b[^<>]*+>|<(/?)(?:i|em)>|<[/a-z!][^<>]*+>|([^<]++|<)", re.IGNORECASE
)
#: What stands for the beginning and the end of an emphasis, and all that is between them.
_BEGIN, _END = "\x01", "\x02"
_EMPHASIS = re.compile(f"{_BEGIN}([^{_BEGIN}{_END}]+){_END}")
_ADDRESS = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""", re.IGNORECASE)
#: An address, which stays as it is, or characters that Markdown could take for marks.
_MARKS = re.compile(r"https?://\S+|[\\`*\[\]]|(?<![^\W_])_|_(?![^\W_])|~~|&(?=#?\w+;)|<(?=[a-z])", re.IGNORECASE)
_NOT_IN_ADDRESS = re.compile(r"[\s<>\\]")


def decoded(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return *row*, whose fields are HTML, as people typed it."""
    texts = {name: value for name, value in row.items() if isinstance(value, str)}
    lines = {name: unescape(texts[name]) for name in _LINES if name in texts}
    return {**row, **lines, **{name: to_markdown(texts[name]) for name in _TEXTS if name in texts}}


def html_in(row: Mapping[str, Any]) -> str:
    """Return something in the title or text of *row* that looks like HTML, "" if nothing does."""
    fields = (value for name in ("title", *_TEXTS) if isinstance(value := row.get(name), str))
    return next((match[0] for match in map(_LOOKS_SO.search, fields) if match), "")


def to_markdown(html: str) -> str:
    """Return the text *html* as Markdown: its paragraphs, emphasis, links and code, without other tags.

    A ">" in front of a paragraph still quotes it. Takes a time that grows with the length only.
    """
    blocks: list[str] = []
    for at, part in enumerate(_CODE.split(html)):
        blocks += [_code(part)] if at % 2 else map(_paragraph, _PARAGRAPH.split(part))
    return "\n\n".join(filter(None, blocks))


def _code(html: str) -> str:
    code = unescape(_PART.sub(lambda part: part[4] or part[2] or "", html)).strip("\r\n")
    fence = max(re.findall("```+", code), key=len, default="``") + "`"
    return code and f"{fence}\n{code}\n{fence}"


def _paragraph(html: str) -> str:
    text = _PART.sub(_markdown_of, re.sub(r"\s+", " ", html))
    text = _EMPHASIS.sub(lambda match: re.sub(r"\S(?:.*\S)?", r"*\g<0>*", match[1]), text)
    text = text.replace(_BEGIN, "").replace(_END, "").strip()
    return f"\\{text}" if text.startswith("#") else text


def _markdown_of(part: re.Match[str]) -> str:
    attributes, label, slash, text = part.groups()
    if label is not None:
        return _link(_PART.sub(_markdown_of, label).strip(), attributes)
    if slash is not None:
        return _END if slash else _BEGIN
    return _MARKS.sub(_literal, unescape(text)) if text else ""


def _literal(mark: re.Match[str]) -> str:
    text = mark[0]
    return text if "://" in text else "".join(f"\\{character}" for character in text)


def _link(label: str, attributes: str) -> str:
    """Return a link in Markdown; of one whose *label* is its address, perhaps cut, the address alone."""
    match = _ADDRESS.search(attributes)
    address = unescape(match[1] or match[2] or match[3] or "").strip() if match else ""
    if not address.lower().startswith(("http://", "https://")):
        return label
    shown = _NOT_IN_ADDRESS.sub(lambda match: quote(match[0]), address)
    return f"<{shown}>" if address.startswith(label.removesuffix("...")) else f"[{label}](<{shown}>)"
