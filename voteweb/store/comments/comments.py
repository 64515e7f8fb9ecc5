"""Comments: written, edited, silenced, and how a guarded commit reads and changes them.

How they are deleted or removed is in ``moderation.removals``. An act of a member needs that everybody can read what it
is about, see :func:`read_time` and :func:`read_comment`.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from voteweb.core import config, errors, mentions, validation
from voteweb.core.comments import CommentId, Node, NoticeKind, Thread
from voteweb.core.conversation import climb
from voteweb.core.models import Article, Role, User
from voteweb.core.names import name_key
from voteweb.core.rate_limits import NEWCOMER_COMMENTS
from voteweb.store.accounts.programs import program_values
from voteweb.store.articles.search_documents import record_change
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.connection import Outcome
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import VOTER_FACTOR, change_state, format_node, next_revision, parse_node
from voteweb.store.schema.values import comment_of, finite_number, is_member_id
from voteweb.store.site.context import StorePart, act
from voteweb.store.site.rate_limits import member_hits, this_day
from voteweb.store.votes.votes import raise_refusal


def read_time(attempt: Attempt, article_id: int) -> float:
    """Return when a listed article was posted; raise NoSuchArticle, ArticleGone."""
    title, stored, gone = attempt.value("HMGET", attempt.keys.article(article_id), "title", "time", "gone")
    time = finite_number(stored)
    if title is None or time is None:
        raise errors.NoSuchArticle()
    if gone is not None:
        raise errors.ArticleGone()
    return time


def read_comment(attempt: Attempt, id: CommentId) -> tuple[Node, str]:
    """Return a comment and its stored form; raise NoSuchComment, CommentGone if nobody can read it.

    Takes a round trip for each level.
    """
    node, stored = StoredComment(attempt, id).read()
    if node.status or covering(attempt.value, attempt.keys, id.article, node):
        raise errors.CommentGone()
    return node, stored


def covering(value: Callable[..., Any], keys: Keys, article: int, node: Node | None) -> int:
    """Return the number of the comment above *node* that was removed with its replies, 0 if there is none.

    *value* returns the reply to one command. Takes a round trip for each level.
    """
    # A parent has a lower number than its replies; damaged data end the walk.
    while node and 0 < node.parent < node.number:
        node = parse_node(node.parent, value("HGET", keys.thread(article), node.parent) or "")
        if node and node.removes_replies:
            return node.number
    return 0


def hidden_numbers(thread: Thread) -> set[int]:
    """Return the numbers that were given out and whose comments nobody can read any more, or that have lost theirs."""
    *_, covered = climb(thread.nodes)
    known = thread.last if thread.last <= config.MAX_COMMENTS else 0
    last = min(max([known, *thread.nodes]), config.MAX_COMMENTS)
    readable = {number for number, node in thread.nodes.items() if node.is_visible} - covered
    return set(range(1, last + 1)) - readable


def hidden_writes(keys: Keys, article: int, numbers: Collection[int]) -> list[Command]:
    """Return the writes that set the bits of the comments with these *numbers*, and no others."""
    key, bits = keys.hidden(article), bytearray(max(numbers, default=0) // 8 + 1)
    for number in numbers:
        bits[number // 8] |= 0x80 >> number % 8
    sets = [part for at, byte in enumerate(bits) for part in ("SET", "u8", f"#{at}", byte)]
    return [("UNLINK", key), *([("BITFIELD", key, *sets)] if numbers else [])]


def is_vote(voter: str) -> bool:
    """Tell whether a member of ``voted-comments:`` stands for a vote."""
    return is_member_id(voter) and int(voter) % VOTER_FACTOR > 0


def count_votes(sets: Iterable[Iterable[str]]) -> Counter[int]:
    """Return how many votes the members of these *sets* of ``voted-comments:`` are, by the number of the comment."""
    return Counter(int(voter) // VOTER_FACTOR for voters in sets for voter in voters if is_vote(voter))


def is_author(node: Node, name: str) -> bool:
    """Tell whether the member *name* wrote a comment."""
    return bool(node.author) and name_key(node.author) == name_key(name)


class StoredComment:
    """A comment, the key of its conversation, and the writes to it, each by what the attempt reads for it."""

    def __init__(self, attempt: Attempt, id: CommentId) -> None:
        self.attempt, self.keys, self.id = attempt, attempt.keys, id
        self.thread_key = self.keys.thread(id.article)

    def read(self) -> tuple[Node, str]:
        """Return the comment and its stored form; raise NoSuchComment."""
        stored = self.attempt.value("HGET", self.thread_key, self.id.number)
        node = parse_node(self.id.number, stored or "")
        if node is None:
            raise errors.NoSuchComment()
        return node, stored

    def store(self, stored: str, *, with_replies: bool = False) -> list[Command]:
        """Return the writes that store the comment anew, with another revision of its conversation, for search too.

        *with_replies*: the comments below it are shown or hidden, too, after the commit, see Removals.finish. While
        the article stands in ``removing:``, the bits of its comments may disagree with the conversation.
        """
        revision = self.attempt.value("HGET", self.thread_key, "rev")
        revised = next_revision(revision, self.attempt.now)
        written: Command = ("HSET", self.thread_key, self.id.number, stored, "rev", revised)
        if not with_replies:
            return [written, record_change(self.keys, "c", str(self.id))]
        article = self.id.article
        return [written, ("SADD", self.keys.removing(), article), record_change(self.keys, "t", article)]

    def set_state(self, stored: str, *, put: str = "", take: str = "", with_replies: bool = False) -> list[Command]:
        """Return the writes that put letters into its state or take them out; *with_replies* as for :meth:`store`."""
        return self.store(change_state(stored, put=put, take=take), with_replies=with_replies)

    def set_hidden(self, is_hidden: bool) -> list[Command]:
        """Return the writes of whether anybody can read it: its bit, and the number of comments of its article."""
        hidden, article = self.keys.hidden(self.id.article), self.keys.article(self.id.article)
        before, exists = self.attempt.read(("GETBIT", hidden, self.id.number), ("EXISTS", article))
        if bool(before) == is_hidden:
            return []
        counted: list[Command] = [("HINCRBY", article, "comments", -1 if is_hidden else 1)] if exists else []
        return [("SETBIT", hidden, self.id.number, int(is_hidden)), *counted]


class Comments(StorePart):
    """The comments of one site, as their authors write them."""

    def write(self, article: Article, thread: Thread, parent: int, text: str, author: User, token: str) -> CommentId:
        """Write a comment, or an answer to the comment number *parent*, and tell those who want to know.

        The same *token* of the same member always leads to the same comment. *article* and *thread* may be out of date:
        that costs another round trip. Raises LoggedOut, Held, NoSuchArticle, ArticleGone, ConversationClosed,
        ConversationEnded, ParentGone, TooDeep, ConversationFull, TooFast to a newcomer, Conflict, Unavailable.
        """
        keys, node, (named, letters) = self._keys, thread.nodes.get(parent), self.named(text)
        state = f"{_program_letter(author)}{letters}" or "-"
        values = {
            "article": article.id, "parent": parent, "text": text, "state": state,
            "author": author.name, "author_id": author.id, "token": token, "today": this_day(),
            **program_values(author),
            "commenting_seconds": self._settings.commenting_seconds,
            **self._context.limits.newcomer_values(member_hits(NEWCOMER_COMMENTS, author.name)),
        }  # fmt: skip
        # Facts of the thread: the block of voters, the poster, and the author of the parent.
        block, poster, answered = (thread.last + 1) // config.VOTER_BLOCK, article.poster, node.author if node else ""
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            known = {"known_block": block, "known_poster": poster, "known_answered": answered}
            told = [
                (keys.user(name), keys.inbox(name), keys.unread(name), " ".join(kinds))
                for name, kinds in _reasons(named, author, poster, answered).items()
            ]
            outcome = self._connection.script("write_comment", **values, **known, reasons=json.dumps(told))
            if outcome.status != "again":
                return self._written(outcome, author)
            block, poster, answered = int(outcome.values[0]), *outcome.values[1:]
        raise errors.Conflict()

    def _written(self, outcome: Outcome, author: User) -> CommentId:
        match outcome.status:
            case "parent-gone":
                raise errors.ParentGone()
            case "too-deep":
                raise errors.TooDeep(max=config.MAX_COMMENT_LEVEL)
            case "full":
                raise errors.ConversationFull(max=config.MAX_COMMENTS)
            case "rate-limited":
                raise self._context.limits.to_error(member_hits(NEWCOMER_COMMENTS, author.name), outcome.values)
        raise_refusal(outcome)
        id = comment_of(outcome.values[0])
        if id is None:  # the form has posted an article
            raise errors.Conflict()
        return id

    def edit(self, id: CommentId, text: str, actor: User) -> None:
        """Give a comment another text; tell the members that it names now.

        Raises LoggedOut, Held, NoSuchArticle, ArticleGone, NoSuchComment, CommentGone, NotYourComment, CommentTooLate,
        Unavailable.
        """
        names, letters = self.named(text)
        self._edit(id, text, letters, _reasons(names, actor, "", ""), actor)

    @act(Role.MEMBER)
    def _edit(
        self, attempt: Attempt, id: CommentId, text: str, letters: str, named: Iterable[str], actor: User
    ) -> list[Command]:
        words = self._keys.words(id.article)
        read_time(attempt, id.article)
        node, stored = read_comment(attempt, id)
        if not is_author(node, actor.name):
            raise errors.NotYourComment()
        end = node.time + self._settings.edit_seconds
        if float(attempt.now) >= end:
            raise errors.CommentTooLate(when=end)
        before = attempt.value("HGET", words, id.number)
        if before == text:
            return []
        attempt.not_after, attempt.told_of = end, str(id)
        attempt.told = [(NoticeKind.MENTION, name) for name in named]
        edited = StoredComment(attempt, id).set_state(
            stored, put=f"e{_program_letter(actor)}{letters}", take=mentions.LETTERS
        )
        return [("HSET", words, id.number, text), *edited]

    @act(Role.MEMBER)
    def set_quiet(self, attempt: Attempt, article: int, number: int, actor: User, is_quiet: bool) -> list[Command]:
        """Note whether *actor* wants no notices of replies to their comment; number 0: of comments on their article.

        Raises LoggedOut, Held, NoSuchArticle, ArticleGone, NoSuchComment, CommentGone, NotYourComment, Unavailable.
        """
        keys, thread = self._keys, self._keys.thread(article)
        read_time(attempt, article)
        if number:
            node, _ = read_comment(attempt, CommentId(article, number))
            author, was_quiet = node.author, node.is_quiet
            change: Command = ("HSET", thread, number, format_node(replace(node, is_quiet=is_quiet)))
        else:
            author, was_quiet = attempt.read(("HGET", keys.article(article), "poster"), ("HEXISTS", thread, "quiet"))
            change = ("HSET", thread, "quiet", "1") if is_quiet else ("HDEL", thread, "quiet")
        if name_key(author or "") != name_key(actor.name):
            raise errors.NotYourComment()
        if bool(was_quiet) == is_quiet:
            return []
        revision = attempt.value("HGET", thread, "rev")
        return [change, ("HSET", thread, "rev", next_revision(revision, attempt.now))]

    def named(self, text: str) -> tuple[list[str], str]:
        """Return the names in *text*, in the form of :func:`name_key`, and the letters that note whose are members'.

        Where no space ends a name, it is the longest of a member.
        """
        found = mentions.candidates(text)
        asked = [name for names in found for name in names]
        told = self._connection.run([("HMGET", self._keys.user(name), "id", "left") for name in asked]) if asked else []
        members = {name for name, (id, left) in zip(asked, told, strict=True) if id and not left}
        names = [next((name for name in names if name in members), names[0]) for names in found]
        return names, mentions.encode(found, members)


def _program_letter(author: User) -> str:
    """Return the letter that a comment gets from *author*, "" unless a program acts for them."""
    return "p" if author.call else ""


def _reasons(named: Sequence[str], author: User, poster: str, answered: str) -> dict[str, list[str]]:
    """Return why members may be told of a comment, by name in lower case; names that nobody has among them."""
    reasons: dict[str, list[str]] = {}
    for kind, names in (("reply", [answered]), ("article", [poster]), ("mention", named)):
        for name in names:
            if name_key(name) != name_key(author.name) and validation.is_member_name(name):
                reasons.setdefault(name_key(name), []).append(kind)
    return reasons
