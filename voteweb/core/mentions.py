"""Find the members whom a text names with "@", and turn a text into a quotation."""

import re
from collections.abc import Iterator

from voteweb.core import config, markdown
from voteweb.core.validation import is_member_name

#: A sign with the name that follows it; Chinese keyboards type the wide sign.
_MENTION = re.compile("[@＠]([A-Za-z0-9_-]+)")
#: The last letter of Latin scripts: a name ends at a change of script, not at "é".
_LAST_LATIN = "\u024f"


def names(text: str, most: int = config.MAX_MENTIONS) -> tuple[str, ...]:
    """Return the names that the Markdown *text* names with "@", in lower case, in their order, at most so many.

    Whether they are members' is not known here. Code, quotations, links and mail addresses name nobody.
    """
    if "@" not in text and "＠" not in text:
        return ()
    found = dict.fromkeys(name.lower() for piece in markdown.prose(text) for name in _names_in(piece))
    return tuple(found)[:most]


def _names_in(piece: str) -> Iterator[str]:
    for match in _MENTION.finditer(piece):
        before, after = piece[max(match.start() - 1, 0) : match.start()], piece[match.end() : match.end() + 2]
        if is_member_name(match[1]) and not _joins_before(before) and not _joins_after(after):
            yield match[1]


def _joins_before(character: str) -> bool:
    """Tell whether *character* before the sign makes it part of a mail address or of a path."""
    return _is_latin(character) or character in frozenset("_%+-@＠/")


def _joins_after(characters: str) -> bool:
    """Tell whether *characters* after a name make it part of a longer word, a domain or an address elsewhere."""
    first, second = characters[:1], characters[1:]
    return _is_latin(first) or first in ("@", "＠") or (first == "." and _is_latin(second))


def _is_latin(character: str) -> bool:
    """Tell whether *character* is a Latin letter, a digit, or an accent that is written after its letter."""
    return (character.isalnum() and character <= _LAST_LATIN) or "\u0300" <= character <= "\u036f"


def quotation(text: str) -> str:
    """Return *text* as a quotation in Markdown, with an empty line after it for the answer."""
    lines = "".join(f"> {line}".rstrip() + "\n" for line in text.strip("\n").split("\n"))
    return f"{lines}\n"
