"""Threads: the conversations of articles, read as far as this process does not know them yet, and their visits.

What a member has seen of a conversation is noted, so that new comments can be marked.
"""

import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, count
from typing import Any, NamedTuple

from voteweb.core import clock, config
from voteweb.core.caches import BoundedCache
from voteweb.core.comments import Thread, Visit
from voteweb.core.errors import ConversationEnded
from voteweb.core.models import Article, LogEntry, User
from voteweb.core.names import name_key
from voteweb.store.comments.comments import read_time
from voteweb.store.connection import scripts
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema import decoding
from voteweb.store.schema.nodes import VOTER_FACTOR, next_revision, parse_thread
from voteweb.store.site.context import Context, StorePart, act
from voteweb.store.site.moderation_log import mark_undone
from voteweb.store.site.rows import queue_by_id
from voteweb.store.site.site_settings import settings_of
from voteweb.store.votes.votes import Votes


@dataclass(frozen=True, slots=True)
class KnownThread:
    """A conversation and the stored fields that it was read from.

    ``changed`` is the time on the monotonic clock at which this process last saw a new revision, minus infinity until
    it has seen one. ``words`` are the texts of a short one by number, None of another; ``words_state`` is the state
    with the number of texts that are stored.
    """

    thread: Thread
    fields: Mapping[str, str]
    changed: float
    words: dict[int, str] | None = None
    words_state: str = ""

    @property
    def state(self) -> str:
        """The state by which the script that reads conversations tells whether this one has changed."""
        return f"{self.thread.revision} {len(self.fields)}"


#: Comments up to which a conversation comes with all words and the viewer's votes, in one round trip.
SHORT_THREAD = 100
#: Comments up to which a conversation that may have changed is sent with its state. All of a longer one is read only
#: once its state has changed: 10,000 comments take 1.5 ms of Redis and 20 ms of a worker.
SENT_THREAD = 1_000
#: Comments that may have been written since the conversation was read, and which are read at once.
MORE_COMMENTS = 8
#: Seconds for which a conversation that has changed is expected to change again: HGETALL, which takes a third of the
#: time of the script, reads it without a comparison.
BUSY_SECONDS = 60.0
_VISIT = re.compile(r"([0-9]{1,15}) ([0-9]{1,15}) ([0-9]{1,15})")
_RANGE = re.compile(r" ([0-9]{1,9})-([0-9]{1,9})(?:@([0-9]{1,15}))?")

#: Returns the comments that a page would show if the conversation were still the one that this process knows.
Expect = Callable[[Thread], Collection[int]]


@dataclass(frozen=True, slots=True)
class ThreadRead:
    """A conversation as read for a page.

    ``words`` are the texts by number and ``voted`` the numbers of the comments that the viewer has voted for: those of
    the comments ``numbers``, None for all. Of a conversation of more than SHORT_THREAD comments, a page reads the
    others that it shows; also of one of which many comments were written since this process has read it. ``visit`` and
    ``article`` are None unless a visit was noted; there may be no such article.
    """

    thread: Thread
    words: Mapping[int, str] = field(default_factory=dict)
    voted: frozenset[int] = frozenset()
    numbers: frozenset[int] | None = None
    visit: Visit | None = None
    article: Article | None = None


class _NotedVisit(NamedTuple):
    """A visit, the state of the conversation with the number of its words, "" for none, and the article.

    ``votes_state`` is the state of the votes for the first comments.
    """

    visit: Visit | None
    state: str
    votes_state: str
    article: Article | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """How the conversation of an article is read for a viewer: the known parts, and whether it changes just now."""

    article_id: int
    viewer_id: int
    visitor: str
    known: KnownThread | None
    is_busy: bool
    expect: Expect

    @property
    def asked(self) -> range:
        """The comments whose votes a command of their own reads; without a known conversation, the script reads all."""
        known = self.known
        is_asked = known and self.viewer_id and known.words is not None
        return range(1, known.thread.last + MORE_COMMENTS) if known and is_asked else range(0)

    def stored_votes(self) -> range:
        """Return the votes of the viewer for these comments as they are stored."""
        first, stop = (number * VOTER_FACTOR + self.viewer_id for number in (self.asked.start, self.asked.stop))
        return range(first, stop, VOTER_FACTOR)

    def voted(self, replies: Sequence[int]) -> frozenset[int]:
        """Return the numbers of these comments for which there is a vote."""
        return frozenset(compress(self.asked, replies))


class Threads(StorePart):
    """The conversations of one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        #: The conversations used last; one that has not changed is not read again.
        self._cache: BoundedCache[int, KnownThread] = BoundedCache(config.THREAD_CACHE_COMMENTS)
        #: Comments that a viewer voted for, until their state is another one: a conversation takes a twentieth less.
        self._voted: BoundedCache[tuple[int, int], tuple[str, frozenset[int]]] = BoundedCache(config.HINT_CACHE_SIZE)

    def get(self, article_id: int) -> Thread:
        """Return the conversation of an article; an empty one if nobody has commented."""
        return self._connection.read(self.queue_read, article_id).thread

    def queue_read(
        self,
        pipeline: Pipeline,
        article_id: int,
        *,
        viewer_id: int = 0,
        visitor: str = "",
        root: int = 0,
        page: int = 1,
        goes_on: bool = False,
        expect: Expect = lambda _known: (),
    ) -> Future[ThreadRead]:
        """Queue a read of a conversation, with the votes of the member *viewer_id*; note the visit of *visitor*.

        They see this *page* of the replies to comment *root*, or of all. Their visit *goes_on*, or begins.
        The comments come over the wire only if this process does not know the revision. One of more than SENT_THREAD
        that has changed takes one round trip more, which also reads the comments that *expect* returns and new ones;
        not for a visitor with unread ones.
        """
        shown = {"root": root, "page": page, "goes_on": int(goes_on)}
        noted = self._queue_visit(pipeline, article_id, visitor, shown) if visitor else None
        plan = self._plan(article_id, viewer_id, visitor, expect)
        known = plan.known

        def with_visit(read: ThreadRead) -> ThreadRead:
            return replace(read, visit=noted.result.visit, article=noted.result.article) if noted else read

        if noted is None or known is None or plan.is_busy or (known.words is None and known.fields):
            return pipeline.queue(
                self._commands(plan), lambda replies: with_visit(self._parse(plan, pipeline, replies))
            )
        # The note of the visit tells whether it has changed, and the votes of the viewer that this process knows: to
        # read those for a hundred comments takes a twentieth of the page.
        cached = self._voted.get((article_id, viewer_id)) or ("", frozenset())

        def parse_known(replies: Sequence[Any]) -> ThreadRead:
            known_state = known.words_state or f"{known.state} 0"
            if noted.result.state not in ("", known_state):
                return with_visit(self._parse(plan, pipeline, pipeline.send(self._commands(plan))))
            state, voted = cached if plan.asked else (noted.result.votes_state, frozenset[int]())
            if state != noted.result.votes_state:
                voted = plan.voted((replies or pipeline.send(self._read_votes(plan)))[0])
                self._voted.put((article_id, viewer_id), (noted.result.votes_state, voted))
            visit, article = noted.result.visit, noted.result.article
            return ThreadRead(known.thread, known.words or {}, voted, visit=visit, article=article)

        return pipeline.queue([] if cached[0] else self._read_votes(plan), parse_known)

    def _queue_visit(
        self, pipeline: Pipeline, article_id: int, name: str, shown: Mapping[str, int]
    ) -> Future[_NotedVisit]:
        """Queue a note that a member sees the conversation of an article, and a read of the article.

        It comes before the read of the conversation: a comment written between the two is shown and stays new.
        """

        def parse(reply: Sequence[Any]) -> _NotedVisit:
            if reply[0] != "visit":
                return _NotedVisit(None, "", "", None)
            _, stored, before, time, state, votes, values = reply
            article = decoding.cached_article(article_id, *values)
            visit = _parse_visit(stored, int(time))
            if visit and before != stored:
                visit = visit._replace(before=_parse_visit(before, int(time)))
            return _NotedVisit(visit, state, f"{state} {votes}", article)

        command = scripts.call(
            self._keys, "note_visit", name=name, article=article_id, block=0, fields=decoding.WHOLE, **shown
        )
        return pipeline.queue_one(command, parse)

    def queue_shown(self, pipeline: Pipeline, article_id: int, name: str, numbers: Iterable[int]) -> None:
        """Queue that a page has shown these comments to a member who visits the conversation."""
        ascending = " ".join(map(str, sorted(numbers)))
        command = scripts.call(self._keys, "note_shown", name=name, article=article_id, numbers=ascending)
        pipeline.queue_one(command, lambda _: None)

    def _plan(self, article_id: int, viewer_id: int, visitor: str, expect: Expect) -> _Plan:
        known = self._cache.get(article_id)
        # A conversation without a revision is none, or another program has written it.
        if known is None or (known.fields and known.thread.revision <= 0):
            is_busy = True
        else:
            is_busy = known.thread.last <= SENT_THREAD and time.monotonic() < known.changed + BUSY_SECONDS
        return _Plan(article_id, viewer_id, visitor, known, is_busy, expect)

    def _read_all(self, plan: _Plan) -> Command:
        return ("HGETALL", self._keys.thread(plan.article_id))

    def _read_votes(self, plan: _Plan) -> list[Command]:
        """Return the command that reads the votes which the script does not read, none if it reads all."""
        key = self._keys.voted_comments(plan.article_id, 0)
        return [("SMISMEMBER", key, *plan.stored_votes())] if plan.asked else []

    def _commands(self, plan: _Plan) -> list[Command]:
        """Return the commands that read a conversation as far as it is not known."""
        known = plan.known
        script = scripts.call(
            self._keys,
            "read_thread",
            article=plan.article_id,
            block=0,
            known="*" if known is None or plan.is_busy else known.state,
            known_words=known.words_state if known else "",
            viewer_id=0 if plan.asked else plan.viewer_id,
            visitor=name_key(plan.visitor),
            short_comments=SHORT_THREAD,
            sent_comments=SENT_THREAD,
        )
        return [self._read_all(plan)] * plan.is_busy + [script, *self._read_votes(plan)]

    def _parse(self, plan: _Plan, pipeline: Pipeline, replies: Sequence[Any]) -> ThreadRead:
        """Return the conversation from the replies to its commands; reads it as a whole if the script did not."""
        known, id = plan.known, plan.article_id
        whole, (found, fields, words, votes) = replies[: plan.is_busy], replies[plan.is_busy]
        if whole:
            thread = self._thread(id, dict(whole[0]))
        elif fields is not None:
            thread = self._thread(id, _pairs(fields))
        elif known is not None and found == known.state:
            thread = known.thread
        else:
            return self._read_long(plan, pipeline)
        texts = self._words(thread, known, found, words)
        if texts is None or votes is None or (plan.asked and thread.last >= plan.asked.stop):
            return ThreadRead(thread, numbers=frozenset())
        voted = plan.voted(replies[-1]) if plan.asked else frozenset(compress(count(1), votes))
        return ThreadRead(thread, texts, voted)

    def _read_long(self, plan: _Plan, pipeline: Pipeline) -> ThreadRead:
        """Return a long conversation that has changed, with the comments that are expected on its page."""
        more, numbers = Pipeline(pipeline.send), list[int]()
        if plan.known and (expected := plan.expect(plan.known.thread)):
            last = plan.known.thread.last
            numbers = sorted({*expected, *range(last + 1, last + MORE_COMMENTS)})
        fields = more.queue_one(self._read_all(plan), dict)
        words = self.queue_words(more, plan.article_id, numbers)
        asked = numbers if plan.viewer_id else ()
        voted = Votes(self._context).queue_own_on_comments(more, plan.article_id, asked, plan.viewer_id)
        more.execute()
        thread = self._thread(plan.article_id, fields.result)
        return ThreadRead(thread, words.result, voted.result, frozenset(numbers))

    def _words(
        self, thread: Thread, known: KnownThread | None, found: str, words: Sequence[str] | None
    ) -> dict[int, str] | None:
        """Return texts by number, those of *known* if the script did not send *words*; None for a long conversation."""
        if words is None:
            return known.words if known and known.words_state.startswith(f"{found} ") else None
        texts = {int(number): text for number, text in _pairs(words).items() if number.isdecimal()}
        kept = self._cache.get(thread.article)
        is_kept = kept and kept.thread is thread and kept.state == found and thread.revision
        if kept and is_kept and sum(map(len, texts.values())) <= config.MAX_KEPT_WORDS:
            self._keep(replace(kept, words=texts, words_state=f"{found} {len(words) // 2}"))
        return texts

    def _thread(self, article_id: int, fields: dict[str, str]) -> Thread:
        known = self._cache.get(article_id)
        if known is not None and known.fields == fields:
            return known.thread
        thread = parse_thread(article_id, fields, (known.thread, known.fields) if known else None)
        changed = float("-inf")
        if known:
            changed = known.changed if known.thread.revision == thread.revision else time.monotonic()
        self._keep(KnownThread(thread, fields, changed))
        return thread

    def _keep(self, known: KnownThread) -> None:
        # A short conversation counts as a longer one, so that there are no more than THREAD_CACHE_SIZE.
        least = config.THREAD_CACHE_COMMENTS // config.THREAD_CACHE_SIZE
        self._cache.put(known.thread.article, known, max(len(known.thread.nodes), least))

    def queue_new_counts(self, pipeline: Pipeline, article_ids: Sequence[int], name: str) -> Future[dict[int, int]]:
        """Queue a count of the comments that a member has not seen, for those of the articles with such comments."""
        if not article_ids:
            return pipeline.then(lambda: {})
        command = scripts.call(self._keys, "count_new", name=name, article_ids=" ".join(map(str, article_ids)))
        return queue_by_id(pipeline, article_ids, command)

    def visits_of(self, name: str) -> dict[int, Visit]:
        """Return what a member has seen of conversations, by article id."""
        stored: dict[str, str] = self._connection.command("HGETALL", self._keys.seen(name))
        visits = {int(id): _parse_visit(text, clock.now()) for id, text in stored.items() if id.isdecimal()}
        return {id: visit for id, visit in visits.items() if visit}

    def queue_words(self, pipeline: Pipeline, article_id: int, numbers: Iterable[int]) -> Future[dict[int, str]]:
        """Queue a read of the texts of these comments; one that was deleted has none."""
        wanted = list(numbers)
        return queue_by_id(pipeline, wanted, ("HMGET", self._keys.words(article_id), *wanted))

    @act(when_full=True)
    def set_closed(
        self, attempt: Attempt, article_id: int, entry: LogEntry, *, actor: User | None, closes: bool
    ) -> list[Command]:
        """Stop comments and votes on them in a conversation, with the reason of *entry*, or open it until its end.

        Does nothing if it is so. Raises NoSuchArticle, ArticleGone, ConversationEnded when its time was over, unless
        *entry* undoes an act; NothingToUndo, LoggedOut, NotAllowed.
        """
        thread = self._keys.thread(article_id)
        posted = read_time(attempt, article_id)
        stored, closed, revision, reason = attempt.value("HMGET", thread, "closes", "closed", "rev", "close-reason")
        if (closed is not None) == closes:
            return []
        end = decoding.unix_time(stored)
        if end is None:
            end = int(posted + settings_of(attempt, self._settings).commenting_seconds)
        if not entry.undoes:
            if float(attempt.now) >= end:
                raise ConversationEnded(when=end)
            # The voters are kept until then as if it were open: it can be opened again.
            attempt.not_after = end
        attempt.former = reason or ""
        is_closed: Command = ("HSET", thread, "closed", attempt.now, "close-reason", entry.why)
        change = is_closed if closes else ("HDEL", thread, "closed", "close-reason")
        return [change, ("HSET", thread, "rev", next_revision(revision, attempt.now)), *mark_undone(attempt, entry)]


def _parse_visit(text: str, now: float) -> Visit | None:
    """Return what *text* says of a visit at the unix time *now*, None if it is none: visits.lua reads the same."""
    match = _VISIT.match(text)
    if match is None:
        return None
    base, newest, time = map(int, match.groups())
    if base == newest and match.end() == len(text):  # nothing is new, mostly
        return Visit(newest, time)
    unread, shown = list[range](), [(range(base + 1, newest + 1), time)]
    for first, last, shown_at in _RANGE.findall(text):
        numbers = range(int(first), min(int(last), newest) + 1)
        if shown_at:
            shown.append((numbers, int(shown_at)))
        elif numbers:
            unread.append(numbers)
    oldest = now - config.MARKED_SECONDS
    return Visit(newest, time, tuple(unread), tuple(numbers for numbers, at in shown if at >= oldest))


def _pairs(flat: Sequence[str]) -> dict[str, str]:
    return dict(zip(flat[::2], flat[1::2], strict=True))
