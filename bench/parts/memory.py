"""The memory of one article in Redis, by the number of its voters, with the options of the embedded server."""

import random
import shutil
from collections.abc import Collection
from dataclasses import dataclass

from bench.budgets import MeasuredValue
from bench.processes import embedded_database
from bench.report.tables import Table
from bench.run_context import RunContext
from bench.sites import stories
from bench.sites.bulk_votes import FIRST_VOTER_ID, cast_votes
from bench.sites.queries import open_store_at
from voteweb.core.models import Draft, User
from voteweb.core.validation import new_submission_token
from voteweb.store import Store

VOTERS = (1, 10, 200, 600, 5_000)
#: The voters of an article that the budget is for.
BUDGET_VOTERS = 10
#: Votes of one measurement, which limit the number of articles where each has many.
VOTES, MIN_ARTICLES, MAX_ARTICLES = 200_000, 100, 20_000
#: Articles that are posted before: a ranking of a few hundred has another encoding.
EXISTING_ARTICLES = 2_000
POSTERS = 20
GROUP = "news"
#: Share of all numbers in a smoke test.
SMOKE_SHARE = 0.01
WEEK_SECONDS, MONTH_SECONDS = 7 * 86_400, 31 * 86_400
#: Days over which the articles are posted. A sent form is remembered for a day: if all were remembered at a time, the
#: table of the keys that expire would be twice as large as it is on a site.
POSTING_DAYS = 7
#: The kinds of keys that the budget of the base does not count: rankings by votes and of domains, and the stream of
#: changes, which has an entry for each article here, but on no site more than about 100,000.
FEATURE_NOUNS = {"top", "top-day", "top-group", "domain", "changes"}
#: Keys in one round trip.
BATCH_SIZE = 500


@dataclass(frozen=True, slots=True)
class ArticleMemory:
    """The bytes of one article after posting, a week and a month later.

    ``features`` are those of the keys of FEATURE_NOUNS, which are part of each of the others.
    """

    voters: int
    articles: int
    posted: float
    week: float
    month: float
    features: float


def measure(context: RunContext) -> list[Table]:
    """Return the bytes of an article with few and with many voters."""
    results = []
    for voters in VOTERS:
        context.report_progress(f"measuring the memory of articles with {voters:,} voters")
        results.append(_measure_articles(context, voters, SMOKE_SHARE if context.is_smoke else 1.0))
    (budgeted,) = (result for result in results if result.voters == BUDGET_VOTERS)
    return [
        Table(
            "memory",
            "Bytes in Redis for one article in one group",
            ("voters", "just posted", "a week later", "a month later", "of these, features", "articles measured"),
            [
                (str(result.voters), result.posted, result.week, result.month, result.features, result.articles)
                for result in results
            ],
            notes=(
                "A week later the sent form has expired, but not the voters, who outlive the voting time by an hour;",
                "a month later the voters and the link have expired. Features are rankings by votes and of domains and",
                "the stream of changes. The budgets are for a week later, without the features and with them.",
            ),
            measured={
                "memory": MeasuredValue(budgeted.week - budgeted.features),
                "memory-all": MeasuredValue(budgeted.week),
            },
        )
    ]


def _measure_articles(context: RunContext, voters: int, share: float) -> ArticleMemory:
    of_day = round(max(min(VOTES // voters, MAX_ARTICLES), MIN_ARTICLES) * share / POSTING_DAYS) or 1
    count = of_day * POSTING_DAYS
    folder = context.scratch_folder("memory")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with embedded_database(folder, context.engine) as url:
            store = open_store_at(url)
            store.connection.command("SET", store.keys.last_user_id(), FIRST_VOTER_ID // 2)  # the ids of a large site
            store.groups.make(GROUP, "News", "")
            posters = [store.users.make(f"poster{number}", "") for number in range(POSTERS)]
            existing_count = len(_post(store, posters, round(EXISTING_ARTICLES * share)))
            existing = _all_keys(store)
            expire_keys(store, 0)  # deletes nothing; the server keeps buffers for so many commands at once
            before = used_memory(store)
            for _ in range(POSTING_DAYS):
                expire_keys(store, WEEK_SECONDS, existing)
                cast_votes(store, _post(store, posters, of_day), voters - 1)
            posted = used_memory(store)
            expire_keys(store, WEEK_SECONDS, existing)
            week = used_memory(store)
            expire_keys(store, MONTH_SECONDS, existing)
            month = used_memory(store)
            _delete_features(store)
            base = used_memory(store)
            store.connection.client.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    week_later, month_later = (week - before) / count, (month - before) / count
    features = (month - base) / (existing_count + count)
    return ArticleMemory(voters, count, week_later + (posted - week) / of_day, week_later, month_later, features)


def _post(store: Store, posters: list[User], count: int) -> list[int]:
    """Post *count* articles and return their ids."""
    ids = []
    for _ in range(count):
        title, link, *_rest = stories.generate_row(random.getrandbits(40), 0)
        draft = Draft(title, link, "", (GROUP,))
        ids.append(store.articles.post(draft, random.choice(posters), new_submission_token()))
    return ids


def used_memory(store: Store) -> int:
    """Return the bytes in use, without the buffers of our own connections."""
    store.connection.client.connection_pool.disconnect()
    return int(store.connection.client.info("memory")["used_memory"])


def _delete_features(store: Store) -> None:
    keys = [key for key in _all_keys(store) if store.keys.split(key)[0] in FEATURE_NOUNS]
    for start in range(0, len(keys), BATCH_SIZE):
        store.connection.command("DEL", *keys[start : start + BATCH_SIZE])


def _all_keys(store: Store) -> set[str]:
    return set(store.connection.client.scan_iter(count=1_000))


def expire_keys(store: Store, seconds: int, kept: Collection[str] = ()) -> None:
    """Delete the keys that will expire within *seconds*, except those in *kept*."""
    keys = sorted(_all_keys(store).difference(kept))
    for start in range(0, len(keys), BATCH_SIZE):
        batch = keys[start : start + BATCH_SIZE]
        lifetimes = store.connection.run([("PTTL", key) for key in batch])  # -1 without expiry
        expired = [key for key, lifetime in zip(batch, lifetimes, strict=True) if 0 <= lifetime <= seconds * 1_000]
        if expired:
            store.connection.command("DEL", *expired)
