"""Votes: cast and taken back, the viewer's own on articles and comments of a page.

Open votes, those that a member can still take back, are kept by every vote.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from typing import Any, NamedTuple

from voteweb.core import clock, config, errors
from voteweb.core.caches import BoundedCache
from voteweb.core.models import Article, BanRemoval, Page, RemovalState, User, Voter
from voteweb.core.ranking import voting_end
from voteweb.core.rate_limits import NEWCOMER_VOTE
from voteweb.core.search_documents import DocumentId
from voteweb.core.settings import Settings
from voteweb.store.accounts.sessions import digest
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection, Outcome
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.scan.scanner import Bitmap, Scanner, batched
from voteweb.store.schema import decoding
from voteweb.store.schema.nodes import VOTER_FACTOR, split_node
from voteweb.store.schema.rankings import ranking_values
from voteweb.store.schema.values import article_member, finite_number, is_member_id
from voteweb.store.site.context import Context, StorePart
from voteweb.store.site.rate_limits import RateLimitHit, this_day
from voteweb.store.site.rows import queue_by_id, queue_page, read_rows

#: Commands in one round trip of a rebuild.
COMMANDS_PER_STEP = 1_000


def rebuild_open_votes(connection: Connection, settings: Settings) -> None:
    """Compute all open votes from the voters of the articles.

    For data that no site serves, as at the end of a restore. May run again. Members who left have no such list, while
    their votes stay counted; nor have voters of another program.
    """
    scanner, members = Scanner(connection), Bitmap()
    keys = scanner.site_keys
    for batch in batched(scanner.keys_of("user")):
        for id, left in scanner.run_atomic([("HMGET", key, "id", "left") for key in batch]):
            if left is None and is_member_id(id or ""):
                members.add(int(id))
    for ids in batched(scanner.article_ids()):
        reads: list[Command] = [("TIME",), *(("HMGET", keys.article(id), *decoding.FIELDS) for id in ids)]
        (seconds, _), *values = scanner.run_atomic(reads)
        articles = [article for article in map(decoding.article, ids, values) if article]
        ends = {a: voting_end(a, settings) for a in articles if not a.is_deleted}
        still_open = [(article, end) for article, end in ends.items() if int(seconds) < end]
        voters = scanner.run_atomic([("SMEMBERS", keys.voted(article.id)) for article, _ in still_open])
        posters = scanner.run_atomic([("HGET", keys.user(article.poster or "?"), "id") for article, _ in still_open])
        writes = [
            command
            for (article, end), voter_ids, poster in zip(still_open, voters, posters, strict=True)
            for id in voter_ids
            if is_member_id(id) and int(id) in members and id != poster
            for command in _open_vote_writes(keys.open_votes(id), article_member(article.id), end)
        ]
        for step in batched(writes, COMMANDS_PER_STEP):
            connection.run(step)


def _open_vote_writes(key: str, member: str, end: int) -> list[Command]:
    """Return the commands that add an article, on which voting ends at *end*, to the open votes of one member."""
    expires = end + config.VOTERS_GRACE_SECONDS
    return [
        ("ZADD", key, end, member),
        ("ZREMRANGEBYRANK", key, 0, -config.MAX_OPEN_VOTES - 1),
        ("EXPIREAT", key, expires, "NX"),
        ("EXPIREAT", key, expires, "GT"),
    ]


#: Articles of a member whose votes this process remembers: those of the lists that they read.
MAX_REMEMBERED = 300
#: The refusals of a vote on an article and on a comment. "already" and "absent" refuse no vote that was sent twice.
_REFUSALS = {
    "own": (errors.OwnVote, errors.OwnComment),
    "already": (errors.AlreadyVoted, errors.CommentVoted),
    "absent": (errors.NotVoted, errors.CommentNotVoted),
}


class _Remembered(NamedTuple):
    """Which of the articles ``asked`` a member has voted for, while their votes have last changed at ``voted_at``.

    It holds at most ``until`` that time of the monotonic clock.
    """

    voted_at: str
    until: float
    asked: frozenset[int]
    voted: frozenset[int]


_NOTHING = _Remembered("", 0.0, frozenset(), frozenset())


class Votes(StorePart):
    """The votes of one site's members.

    Its acts take an article's id or a comment's. The open votes are those that can still be taken back, without those
    of members on their own articles; every vote keeps them.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        #: Own votes of members, for OWN_VOTES_SECONDS or until they vote: a list for members takes 0.7 times as long.
        self._remembered: BoundedCache[int, _Remembered] = BoundedCache(config.HINT_CACHE_SIZE)

    def cast(
        self,
        id: DocumentId,
        voter: Voter | User,
        *,
        hit: RateLimitHit | None = None,
        others: Sequence[RateLimitHit] = (),
    ) -> int:
        """Count the vote of *voter* and return the votes of the article or comment.

        A vote that changes something counts against the rate limit of *hit*, those of *others* and, if the voter signed
        up lately, against that of newcomers.
        Raises LoggedOut when the voter's session has ended or the voter is banned, Held, TooFast, NoSuchArticle,
        ArticleGone, VotingClosed (also when the voters were lost), AlreadyVoted, Conflict, Unavailable; for a comment
        also NoSuchComment, CommentGone, ConversationClosed, ConversationEnded, and CommentVoted and OwnComment.
        """
        return self._change("cast", id, voter, hit, others)

    def take_back(
        self,
        id: DocumentId,
        voter: Voter | User,
        *,
        hit: RateLimitHit | None = None,
        others: Sequence[RateLimitHit] = (),
    ) -> int:
        """Take the vote of *voter* back and return the votes of the article or comment.

        Raises what :meth:`cast` does, NotVoted and CommentNotVoted in place of AlreadyVoted and CommentVoted, and
        OwnVote.
        """
        return self._change("take-back", id, voter, hit, others)

    def change_by_ban(self, id: DocumentId, member: User, removal: BanRemoval) -> None:
        """Take back the vote of a banned *member*, or give back what *removal* took, as its state says.

        Does nothing once the state is another, and where voting has closed. The member's own articles keep their vote.
        """
        action = "take-back" if removal.state is RemovalState.REMOVING else "cast"
        with suppress(errors.LoggedOut):
            self._run(action, id, member, [], ban=f"{removal.entry} {removal.state}")

    def _change(
        self,
        action: str,
        id: DocumentId,
        voter: Voter | User,
        hit: RateLimitHit | None,
        others: Sequence[RateLimitHit],
    ) -> int:
        hits = [hit, *others, (NEWCOMER_VOTE, hit[1])] if hit else []
        outcome = self._run(action, id, voter, hits)
        if outcome.status == "counted" and isinstance(id, int):
            self._note(voter.id, id, *outcome.values[1:], has_voted=action == "cast")
        if outcome.status == "rate-limited":
            raise self._context.limits.to_error(hits, outcome.values)
        return _votes_or_refusal(id, outcome)

    def _run(
        self, action: str, id: DocumentId, voter: Voter | User, hits: Sequence[RateLimitHit], *, ban: str = ""
    ) -> Outcome:
        settings = self._settings
        values = {
            "action": action,
            "voter_id": voter.id,
            "voter": voter.name,
            "ban": ban,
            "session": voter.session,
            "digest": digest(voter.token) if isinstance(voter, Voter) and not voter.call else "",
            "program": voter.call.program if voter.call else "",
            "idle_seconds": settings.session_seconds,
            **self._context.limits.newcomer_values(hits),
        }
        if isinstance(id, int):
            values |= {"article": id, "today": this_day(), "voting_seconds": settings.voting_seconds}
            return self._connection.script("cast_vote", **values, **ranking_values(settings))
        values |= {"article": id.article, "number": id.number, "block": id.number // config.VOTER_BLOCK}
        return self._connection.script("vote_comment", **values, commenting_seconds=settings.commenting_seconds)

    def queue_counts(self, pipeline: Pipeline, ids: Sequence[DocumentId]) -> Future[list[int]]:
        """Queue a read of the votes of each of the articles or comments *ids*, 0 for one that is gone.

        Two thousand take 0.7 ms of Redis and 3 ms of Python. A script would take twice as long in Redis, at one go.
        """
        commands = [
            ("HGET", self._keys.article(id), "votes")
            if isinstance(id, int)
            else ("HGET", self._keys.thread(id.article), id.number)
            for id in ids
        ]
        return pipeline.queue(commands, lambda replies: list(map(_count, ids, replies)))

    def queue_own(self, pipeline: Pipeline, ids: Sequence[int], voter_id: int) -> Future[dict[int, int]]:
        """Queue a read of which of the articles *ids* the member *voter_id* has voted for.

        The member's list of open votes does not tell: it lacks the oldest if there were too many, also after some of
        the others have been taken back.
        """
        if len(ids) == 1:  # with the script, an article's page takes 3 % longer
            read: Command = ("SISMEMBER", self._keys.voted(ids[0]), voter_id)
            return pipeline.queue_one(read, lambda reply: dict.fromkeys(ids, 1) if reply else {})
        return queue_by_id(pipeline, ids, self._read_own(ids, voter_id))

    def queue_remembered(
        self, pipeline: Pipeline, ids: Sequence[int], voter_id: int, voted_at: Callable[[], str]
    ) -> Future[frozenset[int]]:
        """Queue a read of those articles *ids* that the member *voter_id* has voted for, perhaps of some others too.

        Articles that this process remembers are not asked for again.

        *voted_at* returns when the member's votes changed last, which *pipeline* has read before. Every vote and every
        vote that is taken back changes it; what another program writes is seen after OWN_VOTES_SECONDS. A list for
        members takes 0.7 times as long.
        """
        before = self._remembered.get(voter_id) or _NOTHING
        if before.until <= monotonic():
            before = _NOTHING
        missing = [id for id in ids if id not in before.asked]

        def parse(replies: list[list[int]]) -> frozenset[int]:
            known, asked, time = before, missing, voted_at()
            if known.voted_at != time:
                known = _NOTHING
                if len(missing) < len(ids):
                    asked, replies = list(ids), pipeline.send([self._read_own(ids, voter_id)])
            if not asked:
                return known.voted
            return self._remember(voter_id, known, time, dict(zip(asked, replies[0], strict=True)))

        return pipeline.queue([self._read_own(missing, voter_id)] if missing else [], parse)

    def _note(self, voter_id: int, id: int, voted_before: str, voted_at: str, *, has_voted: bool) -> None:
        """Remember that the member *voter_id* has just voted for the article *id*, or has taken the vote back.

        Their votes had changed at *voted_before* the last time, and have changed at *voted_at* now.
        """
        known = self._remembered.get(voter_id) or _NOTHING
        if known.voted_at == voted_before:
            self._remember(voter_id, known, voted_at, {id: has_voted})

    def _remember(
        self, voter_id: int, before: _Remembered, voted_at: str, votes: Mapping[int, object]
    ) -> frozenset[int]:
        """Remember *votes*, which tell of some articles whether the member has voted for them; return all voted for."""
        asked = before.asked.union(votes)
        voted = before.voted.difference(votes).union(id for id, has_voted in votes.items() if has_voted)
        now = _Remembered(voted_at, before.until or monotonic() + config.OWN_VOTES_SECONDS, asked, voted)
        self._remembered.put(voter_id, now if len(asked) <= MAX_REMEMBERED else _NOTHING)
        return voted

    def _read_own(self, ids: Sequence[int], voter_id: int) -> Command:
        return scripts.call(self._keys, "own_votes", article_ids=ids, voter_id=voter_id)

    def queue_own_on_comments(
        self, pipeline: Pipeline, article: int, numbers: Sequence[int], member_id: int
    ) -> Future[frozenset[int]]:
        """Queue a read of which of the comments *numbers* of an article the member has voted for."""
        blocks: dict[int, list[int]] = defaultdict(list)
        for number in dict.fromkeys(numbers):
            blocks[number // config.VOTER_BLOCK].append(number)

        def parse(replies: list[list[int]]) -> frozenset[int]:
            pairs = zip(blocks.values(), replies, strict=True)
            return frozenset(
                number for block, voted in pairs for number, is_voted in zip(block, voted, strict=True) if is_voted
            )

        commands = [
            (
                "SMISMEMBER",
                self._keys.voted_comments(article, block),
                *(number * VOTER_FACTOR + member_id for number in of_block),
            )
            for block, of_block in blocks.items()
        ]
        return pipeline.queue(commands, parse)

    def queue_open(
        self, pipeline: Pipeline, member_id: int, number: int, size: int | None = None
    ) -> Future[Page[Article]]:
        """Queue a read of page *number* (from 1) of the articles a member has open votes on, the newest first."""
        key, now = self._keys.open_votes(member_id), clock.now()

        def parse(rows: Sequence[Any]) -> list[Article]:
            articles = [replace(article, voted=True) for article in decoding.rows(rows) if article]
            present = [article for article in articles if now < self._voting_end(article)]
            return sorted(present, key=lambda row: (self._voting_end(row), row.time, row.id), reverse=True)

        def read_from(first: int, size: int) -> list[Command]:
            rows = read_rows(self._keys, key, first, size, decoding.FIELDS)
            return [("ZCOUNT", key, f"({now}", "+inf"), rows]

        return queue_page(pipeline, number, size or self._settings.page_size, read_from, parse)

    def _voting_end(self, article: Article) -> int:
        return voting_end(article, self._settings)


def _votes_or_refusal(id: DocumentId, outcome: Outcome) -> int:
    """Return the votes of the article or comment after its script, or raise its refusal."""
    is_comment = not isinstance(id, int)
    if outcome.status == "lost" or (outcome.status == "closed" and not is_comment):
        raise errors.VotingClosed(when=float(outcome.values[0]))
    raise_refusal(outcome)
    votes = int(outcome.values[0])
    if outcome.status in _REFUSALS and (outcome.status == "own" or not outcome.repeated):
        raise _REFUSALS[outcome.status][is_comment](votes=votes)
    return votes


def _count(id: DocumentId, stored: str | None) -> int:
    """Return the votes that are *stored* of an article, or in a stored comment."""
    votes = stored if isinstance(id, int) else (split_node(stored or "") or {}).get("votes")
    return int(votes or 0) if decoding.is_count(votes) else 0


def raise_refusal(outcome: Outcome) -> None:
    """Raise the refusal that a script answered, if it is one."""
    match outcome.status:
        case "unknown":
            raise errors.NoSuchArticle()
        case "gone":
            raise errors.ArticleGone()
        case "closed":
            raise errors.ConversationClosed(when=finite_number(outcome.values[0]) or 0.0, reason=outcome.values[1])
        case "ended":
            raise errors.ConversationEnded(when=float(outcome.values[0]))
        case "comment-unknown":
            raise errors.NoSuchComment()
        case "comment-gone":
            raise errors.CommentGone()
