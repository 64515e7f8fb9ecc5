"""Comments: written, edited, silenced. How they are deleted or removed is in ``moderation.removals``."""

import json
from collections.abc import Sequence
from dataclasses import replace

from voteweb.core import config, mentions, validation
from voteweb.core.comment_errors import (
    CommentTooLate,
    ConversationFull,
    NotYourComment,
    ParentGone,
    TooDeep,
)
from voteweb.core.comments import CommentId, NoticeKind, Thread
from voteweb.core.errors import Conflict
from voteweb.core.models import Article, Role, User
from voteweb.core.names import name_key
from voteweb.core.rate_limits import NEWCOMER_COMMENTS
from voteweb.store.comments.stored_comments import StoredComment, is_author, read_comment, read_time
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.connection import Outcome
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.nodes import format_node, next_revision
from voteweb.store.schema.values import comment_of
from voteweb.store.site.context import Context, StorePart
from voteweb.store.site.rate_limits import member_hits
from voteweb.store.site.statistics import this_day
from voteweb.store.votes.votes import raise_refusal


class Comments(StorePart):
    """The comments of one site, as their authors write them."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._rate_limits = context.limits

    def write(self, article: Article, thread: Thread, parent: int, text: str, author: User, token: str) -> CommentId:
        """Write a comment, or an answer to the comment number *parent*, and tell those who want to know.

        The same *token* of the same member always leads to the same comment. *article* and *thread* may be out of date:
        that costs another round trip. Raises LoggedOut, Held, NoSuchArticle, ArticleGone, ConversationClosed,
        ConversationEnded, ParentGone, TooDeep, ConversationFull, TooFast to a newcomer, Conflict, Unavailable.
        """
        node = thread.nodes.get(parent)
        block, poster, answered = _voter_block(thread.last + 1), article.poster, node.author if node else ""
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            outcome = self._write(article.id, parent, text, author, token, (block, poster, answered))
            if outcome.status != "again":
                return self._written(outcome, author)
            block, poster, answered = int(outcome.values[0]), *outcome.values[1:]
        raise Conflict()

    def _write(self, id: int, parent: int, text: str, author: User, token: str, known: tuple[int, str, str]) -> Outcome:
        """Run the script once with what is *known* of the thread: block of voters, poster, author of the parent."""
        block, poster, answered = known
        keys, reasons = self._keys, _reasons(self._named(text), author, poster, answered)
        told = [
            (keys.user(name), keys.inbox(name), keys.unread(name), " ".join(kinds)) for name, kinds in reasons.items()
        ]
        return self._connection.script(
            "write_comment",
            article=id,
            parent=parent,
            text=text,
            author=author.name,
            author_id=author.id,
            token=token,
            today=this_day(),
            commenting_seconds=self._settings.commenting_seconds,
            known_block=block,
            known_poster=poster,
            known_answered=answered,
            reasons=json.dumps(told),
            **self._rate_limits.newcomer_values(member_hits(NEWCOMER_COMMENTS, author.name)),
        )

    def _written(self, outcome: Outcome, author: User) -> CommentId:
        match outcome.status:
            case "parent-gone":
                raise ParentGone()
            case "too-deep":
                raise TooDeep(max=config.MAX_COMMENT_LEVEL)
            case "full":
                raise ConversationFull(max=config.MAX_COMMENTS)
            case "rate-limited":
                raise self._rate_limits.to_error(member_hits(NEWCOMER_COMMENTS, author.name), outcome.values)
        raise_refusal(outcome)
        id = comment_of(outcome.values[0])
        if id is None:  # the form has posted an article
            raise Conflict()
        return id

    def edit(self, id: CommentId, text: str, author: User) -> None:
        """Give a comment another text; tell the members whom it names now.

        Raises LoggedOut, Held, NoSuchArticle, ArticleGone, NoSuchComment, CommentGone, NotYourComment, CommentTooLate,
        Unavailable.
        """
        keys, words = self._keys, self._keys.words(id.article)
        named = _reasons(self._named(text), author, "", "")

        def decide(attempt: Attempt) -> list[Command]:
            read_time(attempt, keys, id.article)
            node, stored = read_comment(attempt, keys, id)
            if not is_author(node, author.name):
                raise NotYourComment()
            end = node.time + self._settings.edit_seconds
            if float(attempt.now) >= end:
                raise CommentTooLate(when=end)
            (before,) = attempt.read(("HGET", words, id.number))
            if before == text:
                return []
            attempt.not_after, attempt.told_of = end, str(id)
            attempt.told = [(NoticeKind.MENTION, name) for name in named]
            edited = StoredComment(attempt, keys, id).set_state(stored, put="e")
            return [("HSET", words, id.number, text), *edited]

        commit(self._connection, decide, actor=author, role=Role.MEMBER)

    def set_quiet(self, article: int, number: int, member: User, is_quiet: bool) -> None:
        """Note whether *member* wants no notices of replies to their comment; number 0: of comments on their article.

        Raises LoggedOut, Held, NoSuchArticle, ArticleGone, NoSuchComment, CommentGone, NotYourComment, Unavailable.
        """
        keys, thread = self._keys, self._keys.thread(article)

        def decide(attempt: Attempt) -> list[Command]:
            read_time(attempt, keys, article)
            if number:
                node, _ = read_comment(attempt, keys, CommentId(article, number))
                author, was_quiet = node.author, node.is_quiet
                change: Command = ("HSET", thread, number, format_node(replace(node, is_quiet=is_quiet)))
            else:
                author, was_quiet = attempt.read(
                    ("HGET", keys.article(article), "poster"), ("HEXISTS", thread, "quiet")
                )
                change = ("HSET", thread, "quiet", "1") if is_quiet else ("HDEL", thread, "quiet")
            if name_key(author or "") != name_key(member.name):
                raise NotYourComment()
            if bool(was_quiet) == is_quiet:
                return []
            (revision,) = attempt.read(("HGET", thread, "rev"))
            return [change, ("HSET", thread, "rev", next_revision(revision, attempt.now))]

        commit(self._connection, decide, actor=member, role=Role.MEMBER)

    def _named(self, text: str) -> list[str]:
        """Return whom *text* names, as :func:`name_key` spells names; where no space ends a name, the longest taken."""
        found = mentions.candidates(text)
        unclear = [name for names in found if len(names) > 1 for name in names]
        exist = self._connection.run([("EXISTS", self._keys.user(name)) for name in unclear]) if unclear else []
        taken = {name for name, exists in zip(unclear, exist, strict=True) if exists}
        return [next((name for name in names if name in taken), names[0]) for names in found]


def _reasons(named: Sequence[str], author: User, poster: str, answered: str) -> dict[str, list[str]]:
    """Return why members may be told of a comment, by name in lower case; names that nobody has among them."""
    reasons: dict[str, list[str]] = {}
    for kind, names in (("reply", [answered]), ("article", [poster]), ("mention", named)):
        for name in names:
            if name_key(name) != name_key(author.name) and validation.is_member_name(name):
                reasons.setdefault(name_key(name), []).append(kind)
    return reasons


def _voter_block(number: int) -> int:
    """Return the number of the set that holds the voters of a comment."""
    return number // config.VOTER_BLOCK
