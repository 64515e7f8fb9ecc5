"""Visits: what each member has seen of the conversations of articles, so that new comments can be marked."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from voteweb.core.comments import Visit
from voteweb.core.models import Article
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.schema import decoding
from voteweb.store.site.context import StorePart

_FIELDS = decoding.FIELDS + decoding.TEXT_FIELDS
_VISIT = re.compile(r"([0-9]{1,15}) ([0-9]{1,15}) ([0-9]{1,15})")


class NotedVisit(NamedTuple):
    """A visit, the state of the conversation with the number of its words, and the article; None if there is none.

    ``votes_state`` is the state of the votes for the first comments.
    """

    visit: Visit | None
    state: str
    votes_state: str
    article: Article | None


class Visits(StorePart):
    """The visits of one site's members."""

    def queue_note(self, pipeline: Pipeline, article_id: int, name: str) -> Future[NotedVisit]:
        """Queue a note that a member sees the conversation of an article, and a read of the article.

        It comes before the read of the conversation: a comment written between the two is shown and stays new.
        """

        def parse(replies: Sequence[Any]) -> NotedVisit:
            if replies[0][0] != "visit":
                return NotedVisit(None, "", "", None)
            _, base, seen, time, state, votes, values = replies[0]
            article = decoding.cached_article(article_id, *values)
            return NotedVisit(Visit(int(base), int(seen), float(time)), state, f"{state} {votes}", article)

        command = scripts.call(self._keys, "note_visit", name=name, article=article_id, block=0, fields=_FIELDS)
        return pipeline.queue([command], parse)

    def of_member(self, name: str) -> dict[int, Visit]:
        """Return what a member has seen, by article id."""
        stored: dict[str, str] = self._connection.command("HGETALL", self._keys.seen(name))
        matches = {id: _VISIT.match(text) for id, text in stored.items() if id.isdecimal()}
        return {int(id): Visit(*map(int, match.groups())) for id, match in matches.items() if match}

    def queue_new_counts(self, pipeline: Pipeline, article_ids: Sequence[int], name: str) -> Future[dict[int, int]]:
        """Queue a count of the comments that a member has not seen, for those of the articles with such comments."""
        if not article_ids:
            return pipeline.queue([], lambda _: {})

        def parse(replies: Sequence[Sequence[int | None]]) -> dict[int, int]:
            return {id: count for id, count in zip(article_ids, replies[0], strict=False) if count}

        command = scripts.call(self._keys, "count_new", name=name, article_ids=" ".join(map(str, article_ids)))
        return pipeline.queue([command], parse)
