"""Visits: what each member has seen of the conversations of articles, so that new comments can be marked."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from voteweb.core import config
from voteweb.core.comments import Visit
from voteweb.core.models import Article
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.schema import decoding
from voteweb.store.site.context import StorePart

#: The arguments of the script that notes visits, but for the article's id.
_NOTE_ARGUMENTS = (
    config.VISIT_SECONDS, config.VISITED_SECONDS, config.MAX_VISITED_THREADS, config.VISIT_NOTED_SECONDS,
    *decoding.FIELDS, *decoding.TEXT_FIELDS,
)  # fmt: skip
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

        site = self._keys
        keys = [site.seen(name), site.thread(article_id), site.article(article_id), site.words(article_id)]
        keys.append(site.voted_comments(article_id, 0))
        command = scripts.call("note_visit", keys, [article_id, *_NOTE_ARGUMENTS])
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
        arguments = [self._keys.thread(""), self._keys.hidden(""), " ".join(map(str, article_ids))]

        def parse(replies: Sequence[Sequence[int | None]]) -> dict[int, int]:
            return {id: count for id, count in zip(article_ids, replies[0], strict=False) if count}

        return pipeline.queue([scripts.call("count_new", [self._keys.seen(name)], arguments)], parse)
