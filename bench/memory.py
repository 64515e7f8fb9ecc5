"""Memory of one article in Redis, by the number of its voters, on a database with the options of our own."""

import random
import shutil
from dataclasses import dataclass
from typing import NamedTuple

from bench import crowd, stories
from bench.looks import opened
from bench.processes import embedded
from bench.run import Run
from bench.tables import Figure, Table
from voteweb.core import links
from voteweb.core.models import Draft, User
from voteweb.core.validation import new_form_token
from voteweb.store import Store, keys

VOTERS = (1, 10, 200, 600, 5_000)
#: The voters of the budget.
BUDGET = 10
#: Votes of one measurement, hence fewer articles where each has many; articles at the least and at the most.
VOTES, LEAST, MOST = 200_000, 100, 20_000
#: Articles that are there before: from some hundreds on, rankings are kept in another form.
BEFORE = 2_000
GROUP = "news"
#: Share of these numbers that a smoke test takes.
SMALL = 0.01


@dataclass(frozen=True, slots=True)
class Weight:
    """Bytes of an article: as posted, a day later (the sent form forgotten), a month later (voters and link too)."""

    voters: int
    articles: int
    posted: float
    day: float
    month: float


def part(run: Run) -> list[Table]:
    """Return the bytes of an article with few and with many voters."""
    share = SMALL if run.is_smoke else 1.0
    found = []
    for voters in VOTERS:
        run.tell(f"weighing articles with {voters:,} voters")
        found.append(_weigh(run, voters, share))
    (judged,) = (each for each in found if each.voters == BUDGET)
    return [
        Table(
            "memory",
            "Bytes in Redis for one article in one group",
            ("voters", "just posted", "a day later", "a month later", "articles weighed"),
            [(str(each.voters), each.posted, each.day, each.month, each.articles) for each in found],
            notes=(
                "A day later the sent form is forgotten, which until then makes sending it again lead to the same",
                "article; a month later the voters and the link are, too. The budget is judged a day later.",
            ),
            figures={"memory": Figure(judged.day)},
        )
    ]


def _weigh(run: Run, voters: int, share: float) -> Weight:
    count = round(max(min(VOTES // voters, MOST), LEAST) * share) or 1
    folder = run.copy("memory")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with embedded(folder, run.engine) as url:
            store = opened(url)
            store.connection.command("SET", keys.users_count(), crowd.FIRST // 2)  # the ids of a large site
            store.groups.make(GROUP, "News", "")
            posters = [store.users.make(f"poster{i}", "") for i in range(20)]
            _post(store, posters, round(BEFORE * share))
            before = _used(store)
            made = _post(store, posters, count)
            crowd.vote(store, [each.id for each in made], voters - 1, GROUP)
            posted = _used(store)
            _forget(store, [keys.once(each.poster.id, each.token) for each in made])
            day = _used(store)
            _forget(store, [keys.voted(each.id) for each in made])
            _forget(store, [keys.link(links.digest(each.link)) for each in made])
            month = _used(store)
            store.connection.client.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Weight(voters, count, *((each - before) / count for each in (posted, day, month)))


class _Made(NamedTuple):
    """An article that was posted by this form."""

    id: int
    poster: User
    token: str
    link: str


def _post(store: Store, posters: list[User], count: int) -> list[_Made]:
    found = []
    for _ in range(count):
        title, link, *_rest = stories.row(random.getrandbits(40), 0)
        poster, token = random.choice(posters), new_form_token()
        id = store.articles.post(Draft(title, link, "", (GROUP,)), poster, token)
        found.append(_Made(id, poster, token, link))
    return found


def _used(store: Store) -> int:
    """Return the bytes in use, but for those that were lent to our own connection for what it sent last."""
    store.connection.client.connection_pool.disconnect()
    return int(store.connection.client.info("memory")["used_memory"])


def _forget(store: Store, names: list[str]) -> None:
    """Delete these keys, as they would go by themselves in time."""
    for at in range(0, len(names), 500):
        store.connection.command("DEL", *names[at : at + 500])
