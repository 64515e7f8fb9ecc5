"""Names of hosts in the ASCII form that browsers resolve: IDNA as UTS #46 and browsers have it.

Python's own codec "idna" is that of 2003: it makes straße.de strasse.de, which is another site.
"""

import re
import unicodedata

#: A label as it is resolved; "_" stands in names that are no web sites' by the book, but are served all the same.
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
#: Letters that were others in 2003 and stand for themselves since; casefolding would still change them.
_THEMSELVES = {"ß": "ß", "ẞ": "ß", "ς": "ς"}
#: Letters of Korean that nobody sees: two names could look the same.
_UNSEEN = {"\u115f", "\u1160"}


def ascii_host(host: str) -> str:
    """Return *host* in ASCII and lower case; raise ValueError when it can be no host's name."""
    compatible = unicodedata.normalize("NFKC", _fold(host))  # which may bring new capitals
    mapped = unicodedata.normalize("NFKC", _fold(compatible)).replace("\u3002", ".")  # the full stop of Chinese
    labels = [_ascii_label(label) for label in mapped.removesuffix(".").split(".")]
    return ".".join(labels) + ("." if mapped.endswith(".") else "")


def _fold(text: str) -> str:
    return "".join(_THEMSELVES.get(character) or character.casefold() for character in text)


def _ascii_label(label: str) -> str:
    if not label.isascii():
        # A mark changes the letter before it; what is invisible, or a blank, could make one name look like another.
        kinds = [unicodedata.category(character)[0] for character in label]
        if kinds[0] == "M" or not {"C", "Z"}.isdisjoint(kinds) or not _UNSEEN.isdisjoint(label):
            raise ValueError(f"no host's name: {label!r}")
        label = f"xn--{label.encode('punycode').decode('ascii')}"
    if not _LABEL.fullmatch(label):
        raise ValueError(f"no host's name: {label!r}")
    return label
