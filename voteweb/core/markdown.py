"""Parse Markdown into HTML in a time that grows with the length of the text, whatever it contains.

Some rules of the parser look ahead from every bracket, or back from every "://", through the whole text: 20,000 such
characters would take seconds. Each text has a budget for them; what comes after it is spent stays plain text.
"""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_inline import StateInline, linkify
from markdown_it.token import Token
from markdown_it.utils import EnvType

from voteweb.core.emphasis import InlineState

#: Steps that a text may take to find the ends of links' labels and the beginnings of plain links: four times as many
#: as in a text full of links. They take 0.05 s.
_MAX_STEPS = 10_000
#: Cells of all tables of a text: a row of one character is filled up to as many cells as the header has.
_MAX_CELLS = 5_000
#: Characters that are read before and after the "://" of a plain link and count as a step.
_STEP_LENGTH = 100
#: Characters of the addresses of all links of a text: as many as 20,000 Chinese characters take, percent-encoded.
_MAX_ADDRESSES_LENGTH = 180_000
#: Levels of quotes and lists inside each other.
_MAX_NESTING = 20
_BLANK = re.compile(r"\s")
_STEPS, _CELLS = "steps", "cells"


def to_html(source: str) -> str:
    """Return the Markdown *source* as HTML that is not safe yet; its headings are h2 to h4."""
    tokens = _parse(source)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            # The page has an h1: headings of a text begin at h2 and end at h4.
            token.tag = f"h{min(int(token.tag[1]) + 1, 4)}"
    _limit_addresses(tokens)
    return str(_parser.renderer.render(tokens, _parser.options, {}))


def prose(source: str) -> Iterator[str]:
    """Yield the text of each block of the Markdown *source* that is not a quotation, without its code and links.

    Underscores around emphasis remain where it follows "@": they may begin and end a name.
    """
    quotes = 0
    for token in _parse(source):
        quotes += token.nesting if token.type in ("blockquote_open", "blockquote_close") else 0
        if token.type == "inline" and not quotes:
            yield _prose_of(token.children or [])


def _prose_of(tokens: list[Token]) -> str:
    """Return the text of *tokens* with a line end in the place of everything else."""
    pieces: list[str] = []
    links, underscores = 0, []
    for token in tokens:
        text = "\n"
        if token.type in ("link_open", "link_close"):
            links += token.nesting
        elif token.type == "text" and not links:
            text = token.content
        elif token.nesting == 1:  # emphasis begins
            underscores.append(token.markup if pieces and pieces[-1][-1:] == "@" and "_" in token.markup else "\n")
            text = underscores[-1]
        elif token.nesting == -1:
            text = underscores.pop()
        pieces.append(text)
    return "".join(pieces)


def _parse(source: str) -> list[Token]:
    return _parser.parse(source, {_STEPS: _MAX_STEPS, _CELLS: _MAX_CELLS})


def _limit_addresses(tokens: list[Token]) -> None:
    """Remove the addresses of links beyond the limit: a long one may be defined once and used by thousands of links."""
    left = _MAX_ADDRESSES_LENGTH
    for link in (child for token in tokens for child in token.children or () if child.type == "link_open"):
        left -= len(str(link.attrs["href"]))
        if left < 0:
            link.attrs = {}


def _spend(state: StateInline | StateBlock, budget: str, amount: int) -> bool:
    """Take *amount* off a *budget* of the text; tell whether there was as much, else the budget is used up."""
    left: int = state.env[budget]
    state.env[budget] = max(left - amount, 0)
    return amount <= left


class _InlineParser(ParserInline):
    """The parser of what is inside a paragraph."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Parse *src* as the parser does, with emphasis of our own."""
        state = InlineState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens

    def skipToken(self, state: StateInline) -> None:
        """Skip one token on the way to the end of a link's label, or all of them when the budget is used up."""
        if _spend(state, _STEPS, 1):
            super().skipToken(state)
        else:
            state.pos = state.posMax


def _linkify(state: StateInline, silent: bool) -> bool:
    """Make a plain web address a link, as the rule of the parser does; only http and https links are kept later."""
    if state.src[state.pos] != ":" or state.src[max(state.pos - 4, 0) : state.pos].lower() not in ("http", "ttps"):
        return False
    blank = _BLANK.search(state.src, state.pos)
    read = len(state.pending) + (blank.start() if blank else len(state.src)) - state.pos
    return _spend(state, _STEPS, 1 + read // _STEP_LENGTH) and linkify(state, silent)


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table, as the rule of the parser does, unless it has too many cells."""
    is_table = table(state, start, end, True)
    if silent or not is_table:
        return is_table
    columns = 1 + state.src.count("|", state.bMarks[start + 1], state.eMarks[start + 1])
    most = state.env[_CELLS] // columns
    rows = next((line for line in range(start, min(start + most, end)) if state.isEmpty(line)), end) - start
    return _spend(state, _CELLS, columns * rows) and table(state, start, end, False)


def _new_parser() -> MarkdownIt:
    parser = MarkdownIt("js-default", {"html": False, "linkify": True, "breaks": False, "maxNesting": _MAX_NESTING})
    parser.inline = _InlineParser()
    parser.inline.ruler.at("linkify", _linkify)
    # This one guesses links in www.example.com and in file.py, for seconds in a long word.
    parser.core.ruler.disable("linkify")
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    return parser.disable("image")


_parser = _new_parser()
