"""Find the members that a text names with "@", and turn a text into a quotation.

Whether a name is a member's is decided when the text is written: :func:`encode` notes it in letters beside the text.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from voteweb.core import config, markdown
from voteweb.core.names import is_in_one_script, name_key, script
from voteweb.core.validation import is_member_name

#: A sign with what may be the name that follows it; Chinese keyboards type the wide sign.
_MENTION = re.compile(rf"[@＠]([^\s@＠.,:;!?'\"()/{markdown.WIDE}]{{1,{config.MAX_USER_NAME_LENGTH + 1}}})")
#: The last letter of Latin scripts: a name ends at a change of script, not at "é".
_LAST_LATIN = "\u024f"
#: Scripts that write spaces between words: there a name ends with its word. In others each beginning may be the name.
_SPACED = frozenset(("", "ARABIC", "ARMENIAN", "CYRILLIC", "GEORGIAN", "GREEK", "HEBREW", "LATIN"))
#: The letters of :func:`encode`: the first for no member, then one for each possible end of a name. "R" has a meaning
#: of its own in the state of a comment, beside which they are stored.
LETTERS = "ABCDEFGHIJKLMNOPQSTUVWXYZ"


class _Mention(NamedTuple):
    """A place in a text where the sign is followed by ``typed``; ``names`` are the possible names in it, if any."""

    start: int
    typed: str
    names: tuple[str, ...]


def candidates(text: str) -> tuple[tuple[str, ...], ...]:
    """Return what the Markdown *text* may name with "@", MAX_MENTIONS at most, as :func:`name_key` spells names.

    Each holds one name or, where no space ends a name, all its possible ends, the longest first. Whether they are
    members' is not known here. Code, quotations, links and mail addresses name nobody.
    """
    if "@" not in text and "＠" not in text:
        return ()
    found: dict[tuple[str, ...], None] = {}
    for _, mention in _mentions_in(markdown.prose(text)):
        found |= {mention.names: None} if mention.names else {}
        if len(found) >= config.MAX_MENTIONS:  # a text may have a thousand more, and each takes time
            break
    return tuple(found)


def encode(found: Sequence[tuple[str, ...]], members: Collection[str]) -> str:
    """Return letters that note which of *found*, the candidates of a text, are members; "" if none is."""
    chosen = (next((at for at, name in enumerate(names, 1) if name in members), 0) for names in found)
    return "".join(LETTERS[at] for at in chosen).rstrip(LETTERS[0])


def find(pieces: Sequence[str], letters: str) -> tuple[list[list[tuple[int, int, str]]], int]:
    """Return where each of *pieces*, the prose of a text, names members, which :func:`encode` has noted in *letters*.

    A place is start, end and name. Return also how long that took, in steps of the parser of Markdown.
    """
    places: list[list[tuple[int, int, str]]] = [[] for _ in pieces]
    chosen: dict[tuple[str, ...], int] = {}
    steps = 0
    for at, mention in _mentions_in(pieces):
        steps += 5 + len(mention.typed)
        if not mention.names:
            continue
        if mention.names not in chosen:
            chosen[mention.names] = LETTERS.index(letters[len(chosen)]) if len(chosen) < len(letters) else 0
        if 0 < chosen[mention.names] <= len(mention.names):
            name = mention.names[chosen[mention.names] - 1]
            lengths = range(len(mention.typed), 0, -1)
            length = next(length for length in lengths if name_key(mention.typed[:length]) == name)
            places[at].append((mention.start, mention.start + 1 + length, name))
    return places, steps


def _mentions_in(pieces: Iterable[str]) -> Iterator[tuple[int, _Mention]]:
    """Yield the first MAX_MENTION_PLACES places where *pieces* may name somebody, with the number of the piece."""
    matches = ((at, piece, match) for at, piece in enumerate(pieces) for match in _MENTION.finditer(piece))
    for at, piece, match in islice(matches, config.MAX_MENTION_PLACES):
        name = _in_one_script(match[1])
        end = match.start(1) + len(name)
        before, after = piece[max(match.start() - 1, 0) : match.start()], piece[end : end + 2]
        if _joins_before(before) or _joins_after(name, after):
            yield at, _Mention(match.start(), name, ())
            continue
        is_word = {script(character) for character in name} <= _SPACED
        ends = [len(name)] if is_word else range(len(name), config.MIN_USER_NAME_LENGTH - 1, -1)
        possible = tuple(name_key(name[:end]) for end in ends if is_member_name(name[:end]))
        yield at, _Mention(match.start(), name, possible)


def _in_one_script(run: str) -> str:
    """Return the beginning of *run* that could be a name: letters of one script, digits, - and _."""
    end = next((at for at, letter in enumerate(run) if letter not in "-_0123456789" and not script(letter)), len(run))
    # If a beginning is no name in one script, no longer one is.
    beginnings = [run[:length] for length in range(1, end + 1)]
    return run[: bisect_left(beginnings, True, key=lambda text: not (text.isascii() or is_in_one_script(text)))]


def _joins_before(character: str) -> bool:
    """Tell whether *character* before the sign makes it part of a mail address or of a path."""
    return _is_latin(character) or character in frozenset("_%+-@＠/")


def _joins_after(name: str, characters: str) -> bool:
    """Tell whether *characters* after *name* make it part of a longer word, a domain or an address elsewhere."""
    first, second = characters[:1], characters[1:]
    if first in ("@", "＠"):
        return True
    return _is_latin(name[-1:]) and (_is_latin(first) or (first == "." and _is_latin(second)))


def _is_latin(character: str) -> bool:
    """Tell whether *character* is a Latin letter, a digit, or an accent that is written after its letter."""
    return (character.isalnum() and character <= _LAST_LATIN) or "\u0300" <= character <= "\u036f"


def quotation(text: str) -> str:
    """Return *text* as a quotation in Markdown, with an empty line after it for the answer; "" for an empty one."""
    lines = "".join(f"> {line}".rstrip() + "\n" for line in text.strip("\n").split("\n"))
    return f"{lines}\n" if text else ""
