"""The costs of conversations: bytes of a comment, time inside Redis, round trips, bytes and time of pages."""

import gzip
import random
import shutil
import time
from collections.abc import Callable
from statistics import median

from bench.budgets import MeasuredValue
from bench.parts.memory import used_memory
from bench.parts.request_costs import GZIP_LEVEL, REPETITIONS, measure_action
from bench.processes import database_copy, embedded_database
from bench.report.tables import Cell, Table
from bench.run_context import RunContext
from bench.sites.bulk_votes import FIRST_VOTER_ID
from bench.sites.prepare import voter_names
from bench.sites.queries import newest_ids, open_store_at
from bench.sites.threads import generate_text, write_thread
from bench.tracing.in_process import InProcessClient, create_site_app
from bench.tracing.sent_commands import record_sent_commands
from bench.tracing.slowlog import direct_commands, record_commands
from voteweb.core.comments import CommentId, CommentOrder, Thread
from voteweb.core.config import COMMENTS_ON_PAGE, MAX_COMMENTS, Settings
from voteweb.core.conversation import Conversation
from voteweb.core.models import Draft
from voteweb.core.validation import new_submission_token
from voteweb.store import Store

#: Comments of the conversations whose pages are measured; the first has PAGE_TEXT_LENGTH characters in each.
SIZES, SMOKE_SIZES = (100, 500, 5_000, MAX_COMMENTS), (10, 20, 30, 40)
PAGE_TEXT_LENGTH = 300
#: Conversations whose memory is measured, comments in each, characters of a comment, and votes for it.
MEMORY_THREADS = ((100, 50), (5, 1_000))
SMOKE_MEMORY_THREADS = ((3, 5), (2, 10))
TEXT_LENGTH, VOTES = 345, 3
WRITERS = 200


def measure(context: RunContext) -> list[Table]:
    """Return the memory of comments, and the costs of conversations on the largest generated site."""
    return [_memory_table(context), _cost_table(context)]


def _memory_table(context: RunContext) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for threads, size in SMOKE_MEMORY_THREADS if context.is_smoke else MEMORY_THREADS:
        context.report_progress(f"measuring the memory of conversations of {size:,} comments")
        rows.append((f"{size:,}", _measure_memory(context, threads, size), threads * size))
    worst = max(rows, key=lambda row: float(row[1] or 0))
    return Table(
        "comment-memory",
        f"Bytes in Redis for one comment of {TEXT_LENGTH} characters with {VOTES} votes, while voting is open",
        ("comments of the conversation", "bytes", "comments measured"),
        rows,
        notes=("With its places in lists, but without the forms that are remembered for a day, and inboxes.",),
        measured={"comment-memory": MeasuredValue(float(worst[1] or 0), f"{worst[0]} comments")},
    )


def _measure_memory(context: RunContext, threads: int, size: int) -> float:
    folder = context.scratch_folder("comment-memory")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with embedded_database(folder, context.engine) as url:
            store = open_store_at(url)
            store.connection.command("SET", store.keys.last_user_id(), FIRST_VOTER_ID)  # the ids of a large site
            writers = [store.users.make(f"writer{number}", "") for number in range(WRITERS)]
            drafts = [Draft(f"Article {number}", "", "Text", ()) for number in range(threads)]
            ids = [store.articles.post(draft, writers[0], new_submission_token()) for draft in drafts]
            before = used_memory(store)
            for article in map(store.articles.get, ids):
                thread = Thread(article.id)
                for number in range(1, size + 1):
                    author, *voters = random.sample(writers, 1 + VOTES)
                    parent, text = random.randrange(max(1, min(number, 20))), generate_text(TEXT_LENGTH)
                    id = store.comments.write(article, thread, parent, text, author, new_submission_token())
                    for voter in voters:
                        store.votes.cast(id, voter)
            # Inboxes are bounded for each member, and the forms expire after a day.
            _delete(store, store.keys.once("*", "*"), store.keys.inbox("*"), store.keys.unread("*"))
            used = used_memory(store)
            store.connection.client.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return (used - before) / (threads * size)


def _delete(store: Store, *patterns: str) -> None:
    for pattern in patterns:
        keys = list(store.connection.client.scan_iter(pattern, count=1_000))
        if keys:
            store.connection.command("DEL", *keys)


def _cost_table(context: RunContext) -> Table:
    site, sizes = context.generated[-1], SMOKE_SIZES if context.is_smoke else SIZES
    with database_copy(site.folder, context.scratch_folder("conversations"), context.engine) as url:
        store = open_store_at(url)
        articles = dict(zip(sizes, newest_ids(store, len(sizes)), strict=True))
        for size, article in articles.items():
            context.report_progress(f"writing a conversation of {size:,} comments on {site.name}")
            write_thread(store, article, size, PAGE_TEXT_LENGTH if size == sizes[0] else TEXT_LENGTH)
        context.report_progress(f"measuring conversations on {site.name}")
        rows = [row for size, article in articles.items() for row in _measure_thread(store, url, size, article)]
        voter, numbers = store.users.get(voter_names()[2]), iter(range(1, REPETITIONS + 2))
        largest = articles[sizes[-1]]
        cost = measure_action(
            store, "a vote for a comment", lambda: store.votes.cast(CommentId(largest, next(numbers)), voter)
        )
        rows.append((f"{cost.label}, {sizes[-1]:,}", "member", cost.round_trips, cost.redis_us, None, None, None))
        store.connection.client.close()
    pages = [row for row in rows if str(row[0]).startswith("the page")]
    reads = [row for row in rows if str(row[0]) == f"a first read of {sizes[-1]:,}"]
    first = [row for row in pages if str(row[0]).endswith(f" {sizes[0]:,}")]
    return Table(
        "conversations",
        f"Costs of conversations on {site.profile.articles:,} articles",
        ("what", "who", "round trips", "µs in Redis", "bytes", "gzip", "ms of Python"),
        rows,
        notes=(
            "A first read is that of a process that does not know the conversation yet; pages are read again.",
            f"The conversation of {sizes[0]:,} has {PAGE_TEXT_LENGTH} characters in each comment.",
        ),
        measured={
            "thread-read": MeasuredValue(max(float(row[3] or 0) for row in reads) / 1e3, str(reads[0][0])),
            "thread-trips": MeasuredValue(max(float(row[2] or 0) for row in pages), "the pages of all"),
            "thread-bytes": MeasuredValue(max(float(row[4] or 0) for row in first), str(first[0][0])),
            "thread-gzip": MeasuredValue(max(float(row[5] or 0) for row in first), str(first[0][0])),
        },
    )


def _measure_thread(store: Store, url: str, size: int, article: int) -> list[tuple[Cell, ...]]:
    """Return the rows of one conversation: its first read, its pages, a page of it after a vote, and its tree."""
    trips, read_us = _measure_first_read(store, url, article)
    rows: list[tuple[Cell, ...]] = [(f"a first read of {size:,}", "", trips, read_us, None, None, None)]
    app = create_site_app(url)
    for client in (InProcessClient(app), InProcessClient(app, voter_names()[0])):
        rows.append(_measure_page(store, client, f"the page of {size:,}", f"/a/{article}"))
    vote = iter(range(1, REPETITIONS + 2))
    voter = store.users.get(voter_names()[1])

    def read_after_vote() -> None:
        store.votes.cast(CommentId(article, next(vote)), voter)
        client.get(f"/a/{article}")

    seconds = _median_seconds(lambda: client.get(f"/a/{article}"), read_after_vote)
    rows.append((f"the same after a vote, {size:,}", "member", None, None, None, None, seconds * 1e3))
    thread = store.threads.get(article)
    page_size = COMMENTS_ON_PAGE

    def build() -> None:
        Conversation(thread, CommentOrder.SCORE, Settings().comment_vote_score).page(1, page_size)

    rows.append((f"the tree of {size:,} and a page", "", None, None, None, None, _median_seconds(build, build) * 1e3))
    return rows


def _measure_first_read(store: Store, url: str, article: int) -> tuple[int, int | None]:
    """Return the round trips and microseconds inside Redis of a read by a process that knows nothing."""
    times, trips = [], 0
    for _ in range(REPETITIONS):
        fresh = open_store_at(url)
        fresh.connection.load_scripts()
        with record_commands(store.connection.client) as commands, record_sent_commands() as sent:
            pipeline = fresh.pipeline()
            fresh.threads.queue_read(pipeline, article)
            pipeline.execute()
        direct = direct_commands(commands, sent.names)
        times.append(sum(command.seconds for command in direct) * 1e6)
        trips = sent.round_trips
        fresh.connection.client.close()
    return trips, round(median(times))


def _measure_page(store: Store, client: InProcessClient, label: str, path: str) -> tuple[Cell, ...]:
    bodies: list[bytes] = []
    cost = measure_action(store, label, lambda: bodies.append(client.get(path)))
    seconds = _median_seconds(lambda: None, lambda: client.get(path))
    body = bodies[-1]
    who = "member" if client.name else "reader"
    return (label, who, cost.round_trips, cost.redis_us, len(body), len(gzip.compress(body, GZIP_LEVEL)), seconds * 1e3)


def _median_seconds(before: Callable[[], object], action: Callable[[], object]) -> float:
    """Return the median time of *action*, which is run after *before*."""
    times = []
    for _ in range(REPETITIONS):
        before()
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return median(times)
