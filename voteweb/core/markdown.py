"""Parse Markdown into HTML in a time that is bounded for each text, and grows with its length only.

Each text has budgets: of links, of marks of emphasis, and of steps of the parser. Beyond them its rest stays plain
text. Among the steps are those of rules that look ahead from every bracket, or back from every "://", through the whole
text: 20,000 such characters would take seconds.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.common.utils import isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline, RuleFuncInlineType
from markdown_it.rules_block import StateBlock, blockquote, table
from markdown_it.rules_inline import StateInline, autolink, link, linkify, text
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

from voteweb.core.links import domain, readable_domain


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


_LINKS, _MARKS, _STEPS = "links", "marks", "steps"
#: Links and marks of emphasis of a text.
_MAX_LINKS, _MAX_MARKS = 50, 500
#: Steps of a text, at up to 6 µs: as many as so many links and marks take, and one for each ten characters.
_MAX_STEPS, _CHARACTERS_OF_STEP = 2_500, 10
#: Steps that a block such as a paragraph or an item of a list counts as, a cell of a table, and a link; a line and a
#: mark are one each.
_BLOCK_STEPS, _CELL_STEPS, _LINK_STEPS = 4, 2, 8
#: Characters before and after the "://" of a plain link, and of the address of any link, that count as a step.
_STEP_LENGTH = 100
#: Levels of quotes and lists inside each other.
_MAX_NESTING = 20
#: Punctuation and brackets of scripts that write no blanks after them, and of no names and addresses.
WIDE = "。．，、；：！？…～“”＂＇（）［］｛｝＜＞〈〉《》「」『』【】〔〕〖〗｡､｢｣"
#: The end of a plain address; an apostrophe may be within a word.
_END = re.compile(rf"[\s{WIDE}‘]|’(?![a-z])|——", re.IGNORECASE)
#: The parts of an address: what is before its host, its host, and the rest.
_HOST = re.compile(r"(https?://(?:www\.)?)([^/?#:@\\\s]+)(?![^/?#\\]*@)(.*)", re.IGNORECASE | re.DOTALL)
#: Marks of emphasis.
_RUN = re.compile(r"\*+|_+|~+")
#: A link to put into a text: its start, end and address.
Link = tuple[int, int, str]
#: Returns the links to put into each of these texts, and the steps that it took to find them.
FindLinks = Callable[[Sequence[str]], tuple[Iterable[Iterable[Link]], int]]


def to_html(source: str, find_links: FindLinks | None = None) -> tuple[str, int]:
    """Return the Markdown *source* as HTML that is not safe yet, with headings h2 to h4; and the steps that it took.

    *find_links* is asked once about all that :func:`prose` yields.
    """
    tokens, steps = _parse(source)
    if find_links:
        named = [(token, _prose_of(token.children or [])) for token in _prose_tokens(tokens)]
        links, more_steps = find_links(["".join(pieces) for _, pieces in named])
        steps += more_steps
        for (token, pieces), places in zip(named, links, strict=True):
            token.children = _put_links(token.children or [], pieces, places)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            # The page has an h1: headings of a text begin at h2 and end at h4.
            token.tag = f"h{min(int(token.tag[1]) + 1, 4)}"
    return str(_parser.renderer.render(tokens, _parser.options, {})), steps


def prose(source: str) -> Iterator[str]:
    """Yield the text of each block of the Markdown *source* that is not a quotation, without its code and links.

    Underscores around emphasis remain where it follows "@": they may begin and end a name.
    """
    for token in _prose_tokens(_parse(source)[0]):
        yield "".join(_prose_of(token.children or []))


def _prose_tokens(tokens: list[Token]) -> Iterator[Token]:
    """Yield the tokens of the texts that are not in quotations."""
    quotes = 0
    for token in tokens:
        quotes += token.nesting if token.type in ("blockquote_open", "blockquote_close") else 0
        if token.type == "inline" and not quotes:
            yield token


def _prose_of(tokens: list[Token]) -> list[str]:
    """Return the text of each of *tokens*, or a line end in the place of everything else."""
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
    return pieces


def _put_links(tokens: list[Token], pieces: list[str], links: Iterable[Link]) -> list[Token]:
    """Return *tokens*, whose texts are *pieces*, with *links* in those that hold one as a whole."""
    linked: list[Token] = []
    start = 0
    for token, piece in zip(tokens, pieces, strict=True):
        done, end = start, start + len(piece)
        for first, last, address in links:
            if start <= first and last <= end:
                linked += [
                    _text_token(piece[done - start : first - start]),
                    Token("link_open", "a", 1, {"href": address}),
                    _text_token(piece[first - start : last - start]),
                    Token("link_close", "a", -1),
                ]
                done = last
        linked.append(_text_token(piece[done - start :]) if done > start else token)
        start = end
    return linked


def _text_token(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _parse(source: str) -> tuple[list[Token], int]:
    """Return the tokens of *source*, and the steps that they took."""
    steps = _MAX_STEPS + len(source) // _CHARACTERS_OF_STEP
    budgets = {_LINKS: _MAX_LINKS, _MARKS: _MAX_MARKS, _STEPS: max(steps - source.count("\n"), 0)}
    return _parser.parse(source, budgets), steps - budgets[_STEPS]


def _spend(state: StateInline | StateBlock, budget: str, amount: int) -> bool:
    """Take *amount* off a *budget* of the text; tell whether there was as much, else the budget is used up."""
    left: int = state.env[budget]
    state.env[budget] = max(left - amount, 0)
    return amount <= left


class _Parser(MarkdownIt):
    """The parser of Markdown, which shows addresses as they were typed."""

    def normalizeLinkText(self, link: str) -> str:
        """Return *link* as it was typed, but for its host, if that has other letters: it is shown as in rows."""
        parts = _HOST.match(link)
        if parts is None or (parts[2].isascii() and "xn--" not in parts[2].lower()):
            return link
        host = readable_domain(domain(link))
        return f"{parts[1]}{host}{parts[3]}" if host else link


class _InlineParser(ParserInline):
    """The parser of the text inside a paragraph."""

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


def _text(state: StateInline, silent: bool) -> bool:
    """Read the characters up to the next that can be markup, or all of them when the steps are used up."""
    if silent or _spend(state, _STEPS, 1):
        return text(state, silent)
    state.pending += state.src[state.pos : state.posMax]
    state.pos = state.posMax
    return True


def _marks(state: StateInline, silent: bool) -> bool:
    """Read a run of marks of emphasis as plain text when their budget is used up."""
    run = None if silent else _RUN.match(state.src, state.pos, state.posMax)
    if run is None or _spend(state, _MARKS, len(run[0])):
        _spend(state, _STEPS, len(run[0]) if run else 0)
        return False
    state.pending += run[0]
    state.pos = run.end()
    return True


def _limited(rule: RuleFuncInlineType) -> RuleFuncInlineType:
    """Return a *rule* that makes links as long as their budget lasts."""

    def limited(state: StateInline, silent: bool) -> bool:
        first = len(state.tokens)
        if not state.env[_LINKS] or not rule(state, silent):
            return False
        if not silent:
            address = next(str(token.attrs["href"]) for token in state.tokens[first:] if token.type == "link_open")
            _spend(state, _LINKS, 1)
            _spend(state, _STEPS, _LINK_STEPS + len(address) // _STEP_LENGTH)
        return True

    return limited


def _linkify(state: StateInline, silent: bool) -> bool:
    """Make a plain web address a link, as the rule of the parser does; only http and https links are kept later."""
    if state.src[state.pos] != ":" or state.src[max(state.pos - 4, 0) : state.pos].lower() not in ("http", "ttps"):
        return False
    source, match = state.src, _END.search(state.src, state.pos)
    end = match.start() if match else len(source)
    length = end - state.pos
    if length < len("://") or not _spend(state, _STEPS, 1 + (len(state.pending) + length) // _STEP_LENGTH):
        return False
    state.src = source[:end]  # the rule of the parser goes on to letters behind full-width punctuation
    try:
        return linkify(state, silent)
    finally:
        state.src = source


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table, as the rule of the parser does, unless it has too many cells."""
    is_table = table(state, start, end, True)
    if silent or not is_table:
        return is_table
    columns = 1 + state.src.count("|", state.bMarks[start + 1], state.eMarks[start + 1])
    most = state.env[_STEPS] // (_CELL_STEPS * columns)
    rows = next((line for line in range(start, min(start + most, end)) if state.isEmpty(line)), end) - start
    return _spend(state, _STEPS, _CELL_STEPS * columns * rows) and table(state, start, end, False)


def _quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a quotation, as the rule of the parser does, which looks at each line up to the next empty one."""
    is_quote = blockquote(state, start, end, True)
    if silent or not is_quote:
        return is_quote
    lines = next((line for line in range(start, end) if state.isEmpty(line)), end) - start
    return _spend(state, _STEPS, lines) and blockquote(state, start, end, False)


def _plain(state: StateBlock, start: int, end: int, _silent: bool) -> bool:
    """Read all that is left as one paragraph when the steps are used up."""
    if _spend(state, _STEPS, _BLOCK_STEPS):
        return False
    state.push("paragraph_open", "p", 1).map = [start, end]
    token = state.push("inline", "", 0)
    token.content, token.children = state.getLines(start, end, state.blkIndent, False).strip(), []
    state.push("paragraph_close", "p", -1)
    state.line = end
    return True


def _escape(_renderer: object, tokens: Sequence[Token], index: int, *_: object) -> str:
    """Escape a text without its quotation marks, whose escapes take the cleaner of HTML most of its time."""
    return tokens[index].content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _new_parser() -> MarkdownIt:
    parser = _Parser("js-default", {"html": False, "linkify": True, "breaks": False, "maxNesting": _MAX_NESTING})
    parser.inline = _InlineParser()
    inline, block = parser.inline.ruler, parser.block.ruler
    inline.at("text", _text)
    inline.before("strikethrough", "marks", _marks)
    for name, rule in {"linkify": _linkify, "link": link, "autolink": autolink}.items():
        inline.at(name, _limited(rule))
    # This one guesses links in www.example.com and in file.py, for seconds in a long word.
    parser.core.ruler.disable("linkify")
    block.at("table", _table, {"alt": ["paragraph", "reference"]})
    block.at("blockquote", _quote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    block.before("table", "plain", _plain)
    parser.add_render_rule("text", _escape)
    return parser.disable("image")


_parser = _new_parser()
