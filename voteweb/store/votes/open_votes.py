"""Open votes: those of a member on articles and comments where voting goes on, counted, and found to take them back."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from voteweb.core import clock, config
from voteweb.core.comments import CommentId
from voteweb.core.models import User
from voteweb.core.ranking import voting_end
from voteweb.core.search_documents import DocumentId
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import batched, portions
from voteweb.store.schema import decoding
from voteweb.store.schema.nodes import parse_node
from voteweb.store.schema.values import articles_of, finite_number, parse_comment, posted_of, whole_number
from voteweb.store.site.context import StorePart
from voteweb.store.site.rows import articles_since
from voteweb.store.site.site_settings import SiteSettings
from voteweb.store.votes.votes import Votes


class OpenVoteCount(NamedTuple):
    """How many open votes members have; ``is_bounded``: there are more."""

    all: int
    is_bounded: bool


class OpenVotes(StorePart):
    """The open votes of one site's members, without those on their own articles."""

    def find(self, member_id: int) -> Iterator[list[DocumentId]]:
        """Yield the articles and comments on which a member's votes may be open, some at a time.

        The member's list of open votes lacks the oldest if there were many, and has no comments: all articles that are
        young enough for votes are looked at after it, which takes 10 ms for 500.
        """
        settings = SiteSettings(self._context).read_settings()
        first = clock.now() - max(settings.voting_seconds, settings.commenting_seconds)
        young = articles_since(self._connection, self._keys.by_time(), repr(first))
        for ids in chain([self._listed(member_id)], young):
            yield self._voted(ids, member_id)

    def count(self, members: Sequence[User]) -> OpenVoteCount:
        """Return how many votes of *members* are open.

        Of the votes on articles, those in the members' lists are counted; of those on comments, those on the newest
        NEWEST_COMMENTS of the site.
        """
        listed = [self._listed(member.id) for member in members]
        newest = self._connection.command("LRANGE", self._keys.comments(), 0, -1)
        comments = [id for id in map(parse_comment, newest) if id]
        voted: list[DocumentId] = list(chain.from_iterable(listed))
        for member in members:
            voted += self._voted_comments(comments, member.id)
        still_open = set(self.still_open(dict.fromkeys(voted)))
        is_bounded = len(newest) >= config.NEWEST_COMMENTS and self._is_young(comments[-1])
        is_bounded = is_bounded or any(len(ids) >= config.MAX_OPEN_VOTES for ids in listed)
        return OpenVoteCount(sum(id in still_open for id in voted), is_bounded)

    def revoked(self, name: str) -> list[DocumentId]:
        """Return the articles and comments on which a ban took the votes of a member back, those that close first."""
        members = self._connection.command("ZRANGE", self._keys.revoked_votes(name), 0, -1)
        return [id for id in map(posted_of, members) if id]

    def still_open(self, ids: Iterable[DocumentId]) -> list[DocumentId]:
        """Return those of these articles and comments that members can vote for now."""
        found: list[DocumentId] = []
        for batch in batched(ids, config.READ_BATCH_SIZE):
            replies = self._connection.run(list(chain.from_iterable(map(self._reads, batch))))
            rows = zip(batch, replies[::3], replies[1::3], replies[2::3], strict=True)
            found += [id for id, *row in rows if self._is_open(id, *row)]
        return found

    def _reads(self, id: DocumentId) -> list[Command]:
        article, number = (id, 0) if isinstance(id, int) else id
        return [
            ("HMGET", self._keys.article(article), *decoding.FIELDS),
            ("HMGET", self._keys.thread(article), "closes", "closed", number),
            ("GETBIT", self._keys.hidden(article), number),
        ]

    def _is_open(self, id: DocumentId, stored: Sequence[Any], thread: Sequence[str | None], is_hidden: int) -> bool:
        article = decoding.article(id if isinstance(id, int) else id.article, stored)
        if article is None or not article.is_listed:
            return False
        if isinstance(id, int):
            return clock.now() < voting_end(article, self._settings)
        closes, closed, node = thread
        return bool(node) and not closed and not is_hidden and clock.now() < (finite_number(closes) or 0.0)

    def _listed(self, member_id: int) -> list[int]:
        return articles_of(self._connection.command("ZRANGE", self._keys.open_votes(member_id), 0, -1))

    def _voted(self, ids: Sequence[int], member_id: int) -> list[DocumentId]:
        """Return those of the articles *ids*, and of all comments on them, that the member has voted for."""
        pipeline = self._connection.pipeline()
        own = Votes(self._context).queue_own(pipeline, ids, member_id)
        last = pipeline.queue([("HGET", self._keys.thread(id), "last") for id in ids], list)
        pipeline.execute()
        sizes = [whole_number(number, 9) or 0 for number in last.result]
        comments: list[DocumentId] = []
        for portion in portions(list(zip(ids, sizes, strict=True)), sizes):
            of_portion = [CommentId(id, number) for id, size in portion for number in range(1, size + 1)]
            comments += self._voted_comments(of_portion, member_id)
        return [*own.result, *comments]

    def _voted_comments(self, ids: Iterable[CommentId], member_id: int) -> list[CommentId]:
        """Return those of these comments that the member has voted for."""
        numbers: dict[int, list[int]] = defaultdict(list)
        for id in ids:
            numbers[id.article].append(id.number)
        pipeline, votes = self._connection.pipeline(), Votes(self._context)
        futures = {
            article: votes.queue_own_on_comments(pipeline, article, of_article, member_id)
            for article, of_article in numbers.items()
        }
        pipeline.execute()
        return [CommentId(article, number) for article, future in futures.items() for number in sorted(future.result)]

    def _is_young(self, id: CommentId) -> bool:
        """Tell whether a comment is so new that votes on it may be open."""
        node = parse_node(id.number, self._connection.command("HGET", self._keys.thread(id.article), id.number) or "")
        return node is not None and node.time > clock.now() - self._settings.commenting_seconds
