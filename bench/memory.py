"""Bytes in Redis, with the options of the embedded server: of an article by its age, a comment, a member, a vote."""

import random
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager

from bench.budgets import Measured
from bench.operations import FIRST_VOTER_ID, SMOKE_DIVISOR, cast_votes
from bench.processes import scratch_database
from bench.sites import Run, open_store_at, report_progress
from bench.stories import generate_row
from bench.tables import Table
from bench.threads import generate_text
from voteweb.core.comments import Thread
from voteweb.core.models import Draft, User
from voteweb.core.validation import new_submission_token
from voteweb.store import Store
from voteweb.store.scan.scanner import batched

#: The voters of an article, of which the second is what the budget is for, and how many such articles are posted a day.
ARTICLES_A_DAY = {1: 2_857, 10: 2_857, 600: 48}
#: Articles that are posted before: a ranking of a few hundred has another encoding.
EXISTING_ARTICLES = 2_000
#: Conversations whose memory is measured, comments in each, characters of a comment, and votes for it.
THREADS, COMMENTS, TEXT_LENGTH, COMMENT_VOTES = 5, 1_000, 345, 3
#: Members whose memory is measured; articles whose votes are measured, and the voters of each.
MEMBERS, VOTED_ARTICLES, VOTED_VOTERS = 10_000, 20, 500
GROUP = "news"
WEEK_SECONDS, MONTH_SECONDS = 7 * 86_400, 31 * 86_400
#: Days over which the articles are posted. A sent form is remembered for a day: if all were remembered at a time, the
#: table of the keys that expire would be twice as large as it is on a site.
POSTING_DAYS = 7
#: Keys in one round trip.
BATCH_SIZE = 500


def measure(run: Run) -> list[Table]:
    """Return the bytes of an article with few and with many voters, then those of all else."""
    divisor = SMOKE_DIVISOR if run.is_smoke else 1
    articles = {}
    for voters, of_day in ARTICLES_A_DAY.items():
        report_progress(f"measuring the memory of articles with {voters:,} voters")
        with _large_site(run) as store:
            articles[voters] = _measure_articles(store, voters, max(of_day // divisor, 1), EXISTING_ARTICLES // divisor)
    report_progress("measuring the memory of comments, members and votes")
    with _large_site(run) as store:
        comment, member, vote = _measure_others(store, divisor)
    return [
        Table(
            "memory",
            "Bytes in Redis",
            ("of", "just made", "a week later", "a month later"),
            [
                *((f"an article in one group with {voters} votes", *sizes) for voters, sizes in articles.items()),
                (f"a comment of {TEXT_LENGTH} characters with {COMMENT_VOTES} votes", comment, None, None),
                ("a member without acts", member, None, None),
                (f"a vote, in articles with {VOTED_VOTERS}, with the voter's list", vote, None, None),
            ],
            notes=(
                "A week later the sent form has expired, but not the voters, who outlive the voting time by an hour;",
                "a month later the voters and the link have expired. Comments are measured without inboxes and forms.",
            ),
            measured={"memory": Measured(articles[10][1]), "comment-memory": Measured(comment)},
        )
    ]


@contextmanager
def _large_site(run: Run) -> Iterator[Store]:
    """Yield the store of an empty site whose members have ids as on a large one."""
    with scratch_database(run.folder / "memory") as url:
        store = open_store_at(url)
        store.connection.command("SET", store.keys.last_user_id(), FIRST_VOTER_ID // 2)
        store.groups.make(GROUP, "News", "")
        yield store
        store.connection.close()


def _measure_articles(store: Store, voters: int, of_day: int, existing_count: int) -> tuple[float, float, float]:
    """Return the bytes of one article after posting, a week and a month later."""
    posters, count = _make_members(store, 20), of_day * POSTING_DAYS
    _post(store, posters, existing_count)
    existing = _all_keys(store)
    expire_keys(store, 0)  # deletes nothing; the server keeps buffers for so many commands at once
    before = _used_memory(store)
    for _ in range(POSTING_DAYS):
        expire_keys(store, WEEK_SECONDS, existing)
        cast_votes(store, _post(store, posters, of_day), voters - 1)
    posted = _used_memory(store)
    expire_keys(store, WEEK_SECONDS, existing)
    week = _used_memory(store)
    expire_keys(store, MONTH_SECONDS, existing)
    week_later, month_later = (week - before) / count, (_used_memory(store) - before) / count
    return week_later + (posted - week) / of_day, week_later, month_later


def _measure_others(store: Store, divisor: int) -> tuple[float, float, float]:
    """Return the bytes of a comment while voting is open, of a member, and of a vote with the list of open votes."""
    writers, comments = _make_members(store, 200), max(COMMENTS // divisor, 5)
    threads, voted = _post(store, writers, THREADS), _post(store, writers, VOTED_ARTICLES)

    def write() -> None:
        for article in threads:
            _write_comments(store, article, writers, comments)
        # Inboxes are bounded for each member, and the forms expire after a day.
        _delete(store, (key for key in _all_keys(store) if store.keys.split(key)[0] in ("once", "inbox", "unread")))

    members, voters = MEMBERS // divisor, VOTED_VOTERS // divisor
    return (
        _growth(store, write) / (THREADS * comments),
        _growth(store, lambda: _make_members(store, members, "member")) / members,
        _growth(store, lambda: cast_votes(store, voted, voters)) / (VOTED_ARTICLES * voters),
    )


def _growth(store: Store, act: Callable[[], object]) -> int:
    """Return by how many bytes the data grow by *act*."""
    before = _used_memory(store)
    act()
    return _used_memory(store) - before


def _make_members(store: Store, count: int, name: str = "poster") -> list[User]:
    return [store.users.make(f"{name}{number}", "") for number in range(count)]


def _post(store: Store, posters: list[User], count: int) -> list[int]:
    """Post *count* articles and return their ids."""
    ids = []
    for _ in range(count):
        title, link, *_rest = generate_row(random.getrandbits(40), 0)
        draft = Draft(title, link, "", (GROUP,))
        ids.append(store.articles.post(draft, random.choice(posters), new_submission_token()))
    return ids


def _write_comments(store: Store, id: int, writers: list[User], count: int) -> None:
    """Write a conversation of *count* comments, each with COMMENT_VOTES."""
    article, thread = store.articles.get(id), Thread(id)
    for number in range(1, count + 1):
        author, *voters = random.sample(writers, 1 + COMMENT_VOTES)
        parent, text = random.randrange(max(1, min(number, 20))), generate_text(TEXT_LENGTH)
        comment = store.comments.write(article, thread, parent, text, author, new_submission_token())
        for voter in voters:
            store.votes.cast(comment, voter)


def _used_memory(store: Store) -> int:
    """Return the bytes in use, without the buffers of our own connections."""
    store.connection.client.connection_pool.disconnect()
    return int(store.connection.client.info("memory")["used_memory"])


def _all_keys(store: Store) -> set[str]:
    return set(store.connection.client.scan_iter(count=1_000))


def _delete(store: Store, keys: Iterable[str]) -> None:
    for batch in batched(keys, BATCH_SIZE):
        store.connection.command("DEL", *batch)


def expire_keys(store: Store, seconds: int, kept: Collection[str] = ()) -> None:
    """Delete the keys that will expire within *seconds*, except those in *kept*."""
    for batch in batched(sorted(_all_keys(store).difference(kept)), BATCH_SIZE):
        lifetimes = store.connection.run([("PTTL", key) for key in batch])  # -1 without expiry
        expired = (key for key, lifetime in zip(batch, lifetimes, strict=True) if 0 <= lifetime <= seconds * 1_000)
        _delete(store, expired)
