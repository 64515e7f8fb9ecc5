"""All operations of the site that use Redis: pages, actions of members and moderators, expiry of large keys."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count

from bench.apps.book import Book
from bench.sites.bulk_votes import cast_votes
from bench.sites.pages import all_pages
from bench.sites.prepare import Site, voter_names
from bench.sites.queries import newest_ids
from bench.tracing.in_process import InProcessClient, create_site_app
from voteweb.core.models import Order, Role
from voteweb.core.validation import new_submission_token
from voteweb.store import Store

#: Voters of a popular article.
MANY_VOTERS = 5_000


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation that can be run several times; ``is_voteweb`` is False for the book's program."""

    label: str
    run: Callable[[], object]
    is_voteweb: bool = True


def all_operations(site: Site, store: Store, url: str) -> Iterator[Operation]:
    """Yield the operations on *site*, whose database at *url* is *store*."""
    app = create_site_app(url)
    store.users.set_role(voter_names()[1], Role.MODERATOR)
    member, moderator = (InProcessClient(app, name) for name in voter_names()[:2])
    reader = InProcessClient(app)
    for page in all_pages(site, store):
        client = member if page.is_list else reader
        yield Operation(page.label, partial(client.get, page.path))
    yield from _combinations(site, store, reader)
    yield from _member_actions(site, store, member)
    yield from _moderator_actions(site, store, moderator)
    yield Operation("the account with the votes of a week", lambda: member.get("/account"))
    yield Operation("download the member's own data", lambda: member.get("/account/data"))
    yield Operation("delete an account with its articles", _account_deletion(site, store))
    yield Operation("check for an administrator, at the start", store.users.has_admin)
    yield Operation(f"{MANY_VOTERS:,} voters of an article expire", _voters_expiry(store))
    yield Operation("the book's program: a group", _book_group(site, store), is_voteweb=False)


def _combinations(site: Site, store: Store, reader: InProcessClient) -> Iterator[Operation]:
    for order, suffix in ((Order.SCORE, ""), (Order.TIME, "/new")):
        key = store.rankings.groups(site.profile.combined.split("+"), order).key
        path = f"/g/{site.profile.combined}{suffix}"

        def combine(key: str = key, path: str = path) -> None:
            store.connection.command("UNLINK", key)
            reader.get(path)

        def expire(key: str = key, path: str = path) -> None:
            reader.get(path)
            _expire(store, key)

        yield Operation(f"combine two groups, by {order}", combine)
        yield Operation(f"the combined groups expire, by {order}", expire)


def _member_actions(site: Site, store: Store, member: InProcessClient) -> Iterator[Operation]:
    articles = iter(newest_ids(store, 100))
    posted: list[str] = []
    fields = {"text": "", "groups": site.profile.combined.split("+")}

    def post() -> None:
        token = new_submission_token()
        link = f"https://example.com/{token}"
        posted.append(member.post("/submit", title=f"Title {token}", link=link, once=token, **fields))

    def vote() -> None:
        article = next(articles)
        for action in ("vote", "unvote"):
            member.post(f"/a/{article}/{action}")

    yield Operation("cast a vote and take it back", vote)
    yield Operation("post an article into two groups", post)
    yield Operation("edit it, into one group", lambda: member.post(f"{posted[-1]}/edit", title="Another", text="Text"))
    yield Operation("delete it", lambda: member.post(f"{posted.pop()}/delete"))
    yield Operation("report an article", lambda: member.post(f"/a/{next(articles)}/report", reason="spam"))


def _moderator_actions(site: Site, store: Store, moderator: InProcessClient) -> Iterator[Operation]:
    article = newest_ids(store, 1)[0]
    groups = site.profile.combined.split("+")

    def set_groups() -> None:
        moderator.post(f"/a/{article}/groups", remove=groups)
        moderator.post(f"/a/{article}/groups", add=" ".join(groups))

    def remove() -> None:
        moderator.post(f"/a/{article}/remove", reason="A test")
        moderator.post(f"/a/{article}/restore")

    def ban() -> None:
        moderator.post(f"/u/{site.profile.poster}/ban", reason="A test")
        moderator.post(f"/u/{site.profile.poster}/unban")

    yield Operation("move an article out of two groups and back", set_groups)
    yield Operation("remove an article and restore it", remove)
    yield Operation("ban a member and lift the ban", ban)
    yield Operation("the reports", lambda: moderator.get("/reports"))


def _account_deletion(site: Site, store: Store) -> Callable[[], None]:
    """Return a function that deletes another account at each call, with hundreds or thousands of articles."""
    numbers = count(max(site.profile.articles // 25_000, 2))

    def delete_account() -> None:
        name = f"poster{next(numbers)}"
        store.account_deletion.start(store.users.get(name), delete_articles=True)
        store.account_deletion.finish(name)

    return delete_account


def _voters_expiry(store: Store) -> Callable[[], None]:
    articles = iter(newest_ids(store, 20))

    def vote_and_expire() -> None:
        article = store.articles.get(next(articles))
        cast_votes(store, [article.id], MANY_VOTERS)
        _expire(store, store.keys.voted(article.id))

    return vote_and_expire


def _expire(store: Store, key: str) -> None:
    """Make *key* expire and read it, so that this read carries out the deletion."""
    store.connection.command("PEXPIRE", key, 1)
    time.sleep(0.002)
    store.connection.command("EXISTS", key)


def _book_group(site: Site, store: Store) -> Callable[[], None]:
    book = Book(store.connection.client)

    def build_and_list() -> None:
        store.connection.command("UNLINK", store.keys.group_by_score(site.profile.group))
        book.get_group_articles(site.profile.group, 1)

    return build_and_list
