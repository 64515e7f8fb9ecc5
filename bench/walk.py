"""A walk over everything that the site asks of Redis: every page, every act, every end of a big key."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count

from bench import crowd, looks, pages
from bench.book import Book
from bench.inside import Person, made
from bench.sites import Site, voters
from voteweb.core.models import Order, Role
from voteweb.core.validation import new_form_token
from voteweb.store import Store, keys

#: Voters of an article that many like.
CROWD = 5_000


@dataclass(frozen=True, slots=True)
class Step:
    """One stretch of the walk, to be gone several times; ``ours`` is False for the book's way."""

    label: str
    go: Callable[[], object]
    ours: bool = True


def steps(built: Site, store: Store, url: str) -> Iterator[Step]:
    """Yield the steps on *built*, opened at *url* as *store*."""
    app = made(url)
    store.users.set_role(voters()[1], Role.MODERATOR)
    reader, member, moderator = Person(app), Person(app, voters()[0]), Person(app, voters()[1])
    for each in pages.all_pages(built, store):
        person = member if each.is_list else reader
        yield Step(each.label, partial(person.get, each.path))
    yield from _combining(built, store, reader)
    yield from _member_acts(built, store, member)
    yield from _moderator_acts(built, store, moderator)
    yield Step("the account with the votes of a week", lambda: member.get("/account"))
    yield Step("download of the own data", lambda: member.get("/account/data"))
    yield Step("an account ends with its articles", _leaving(built, store))
    yield Step("start of the site", store.users.has_admin)
    yield Step(f"{CROWD:,} voters of an article expire", _crowd(store))
    yield Step("the book's way: a group", _book_group(built, store), ours=False)


def _combining(built: Site, store: Store, reader: Person) -> Iterator[Step]:
    for order, path in ((Order.SCORE, ""), (Order.TIME, "/new")):
        key = store.rankings.groups(built.survey.combined.split("+"), order).key
        address = f"/g/{built.survey.combined}{path}"

        def make(key: str = key, address: str = address) -> None:
            store.connection.command("UNLINK", key)
            reader.get(address)

        def expire(key: str = key, address: str = address) -> None:
            reader.get(address)
            _expire(store, key)

        yield Step(f"two groups combined anew, by {order}", make)
        yield Step(f"that combination expires, by {order}", expire)


def _member_acts(built: Site, store: Store, member: Person) -> Iterator[Step]:
    articles = iter(looks.newest(store, 100))
    posted: list[str] = []
    fields = {"text": "", "groups": built.survey.combined.split("+")}

    def post() -> None:
        once = new_form_token()
        link = f"https://example.com/{once}"
        posted.append(member.post("/submit", title=f"Title {once}", link=link, once=once, **fields))

    def vote() -> None:
        article = next(articles)
        for act in ("vote", "unvote"):
            member.post(f"/a/{article}/{act}")

    yield Step("a vote cast and taken back", vote)
    yield Step("post an article into two groups", post)
    yield Step("edit it, into one", lambda: member.post(f"{posted[-1]}/edit", title="Another", text="Text"))
    yield Step("delete it", lambda: member.post(f"{posted.pop()}/delete"))
    yield Step("report an article", lambda: member.post(f"/a/{next(articles)}/report", reason="spam"))


def _moderator_acts(built: Site, store: Store, moderator: Person) -> Iterator[Step]:
    article = looks.newest(store, 1)[0]
    groups = built.survey.combined.split("+")

    def sort() -> None:
        moderator.post(f"/a/{article}/groups", remove=groups)
        moderator.post(f"/a/{article}/groups", add=" ".join(groups))

    def remove() -> None:
        moderator.post(f"/a/{article}/remove", reason="A test")
        moderator.post(f"/a/{article}/restore")

    def ban() -> None:
        moderator.post(f"/u/{built.survey.poster}/ban", reason="A test")
        moderator.post(f"/u/{built.survey.poster}/unban")

    yield Step("sort an article out of two groups and back", sort)
    yield Step("remove an article and restore it", remove)
    yield Step("ban a member and let in again", ban)
    yield Step("the reports", lambda: moderator.get("/reports"))


def _leaving(built: Site, store: Store) -> Callable[[], None]:
    """Return what ends an account, another one each time, with some hundreds or thousands of articles."""
    numbers = count(max(built.survey.articles // 25_000, 2))

    def leave() -> None:
        name = f"poster{next(numbers)}"
        store.account_deletion.start(store.users.get(name), delete_articles=True)
        store.account_deletion.finish(name)

    return leave


def _crowd(store: Store) -> Callable[[], None]:
    articles = iter(looks.newest(store, 20))

    def come_and_go() -> None:
        article = store.articles.get(next(articles))
        crowd.vote(store, [article.id], CROWD, " ".join(article.groups))
        _expire(store, keys.voted(article.id))

    return come_and_go


def _expire(store: Store, key: str) -> None:
    """Let *key* expire now: whoever asks for it first pays for its end."""
    store.connection.command("PEXPIRE", key, 1)
    time.sleep(0.002)
    store.connection.command("EXISTS", key)


def _book_group(built: Site, store: Store) -> Callable[[], None]:
    book = Book(store.connection.client)

    def list_anew() -> None:
        store.connection.command("UNLINK", keys.group_by_score(built.survey.group))
        book.get_group_articles(built.survey.group, 1)

    return list_anew
