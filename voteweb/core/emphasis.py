"""Read emphasis beside Chinese, Japanese and Korean characters.

By the rule of CommonMark, "**" between punctuation and a letter can only begin emphasis, which presumes blanks between
words. These scripts have none. As in the amendment that CommonMark's issue 650 proposes, and other sites follow, their
punctuation counts as letters here, and other punctuation may end emphasis beside one of their characters.
"""

import unicodedata

from markdown_it.common.utils import isPunctChar, isWhiteSpace
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned


class InlineState(StateInline):
    """The state of the parser inside a paragraph; without characters of these scripts, it is that of CommonMark."""

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        """Return whether the run of marks at *start* can begin and end emphasis, and its length."""
        scanned = super().scanDelims(start, canSplitWord)
        end = start + scanned.length
        before = self.src[start - 1] if start else " "
        after = self.src[end] if end < self.posMax else " "
        if not (_is_cjk(before) or _is_cjk(after)):
            return scanned
        is_left = not _is_blank(after) and (not _is_other_punctuation(after) or _can_be_outside(before))
        is_right = not _is_blank(before) and (not _is_other_punctuation(before) or _can_be_outside(after))
        return Scanned(
            can_open=is_left and (canSplitWord or not is_right or isPunctChar(before)),
            can_close=is_right and (canSplitWord or not is_left or isPunctChar(after)),
            length=scanned.length,
        )


def _is_cjk(character: str) -> bool:
    """Tell whether *character* is a letter or punctuation of these scripts, which are wide; emoji are wide symbols."""
    return unicodedata.east_asian_width(character) in "WFH" and unicodedata.category(character) != "So"


def _is_blank(character: str) -> bool:
    return isWhiteSpace(ord(character))


def _is_other_punctuation(character: str) -> bool:
    return isPunctChar(character) and not _is_cjk(character)


def _can_be_outside(character: str) -> bool:
    """Tell whether *character* can stand outside of emphasis whose outermost character is other punctuation."""
    return _is_blank(character) or isPunctChar(character) or _is_cjk(character)
