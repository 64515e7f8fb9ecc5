"""Operations of the site that use Redis: pages, acts of members and moderators, expiry of large keys."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count, cycle
from typing import NamedTuple

from bench.constants import THREAD_SIZE
from bench.sessions import Visitor, log_in_members, new_article
from bench.sites import SETTINGS, Run, Site, newest_ids, open_store_at, voter_names
from bench.threads import write_thread
from voteweb.core.config import GOOD_LISTED, MAX_COMMENTS, SITEMAP_SIZE
from voteweb.core.models import Order, Role, Voter
from voteweb.store import Store

#: How often each is run: those of whole sites seldom. A disturbance by another process is seen once, what is slow
#: every time.
USUAL, SELDOM = 15, 3
#: The number of a deep page, where the list has so many.
DEEP_PAGE = 1_000
#: Voters of a popular article, and the id of the first, as on a large site.
MANY_VOTERS, FIRST_VOTER_ID = 5_000, 200_000
#: Sizes in a smoke test are divided by this.
SMOKE_DIVISOR = 100
VOTE_LABEL, THREAD_LABEL = "a vote by form", f"a conversation of {THREAD_SIZE}"
READ_LABEL = f"a first read of {MAX_COMMENTS:,} comments"


class Operation(NamedTuple):
    """One operation, which is run so many *times*; it returns its page if it has one.

    ``rows`` is the number of articles on a full list page, 0 for all else.
    """

    label: str
    who: str
    run: Callable[[], object]
    times: int = USUAL
    rows: int = 0


def all_operations(site: Site, store: Store, url: str, origin: str, run: Run) -> Iterator[Operation]:
    """Yield the operations on *site*, which is served at *origin* and whose database at *url* is *store*."""
    store.users.set_role(voter_names()[1], Role.MODERATOR)
    reader, (member, moderator) = Visitor(origin), log_in_members(origin, voter_names()[:2])
    thread, *articles = newest_ids(store, 50)
    write_thread(store, thread)
    for label, path, rows in (*_pages(site), (THREAD_LABEL, f"/a/{thread}", 0)):
        for who, visitor in (("reader", reader), ("member", member)):
            yield Operation(label, who, partial(visitor.page, path), rows=rows)
    acts = {"member": _member_acts(site, member, articles), "moderator": _moderator_acts(site, moderator, articles[-1])}
    yield from (Operation(label, who, act) for who in acts for label, act in acts[who].items())
    combined = f"/g/{site.profile.combined}"
    ranking = store.rankings.groups(site.profile.combined.split("+"), Order.SCORE).key

    def combine() -> None:
        store.connection.command("UNLINK", ranking)
        reader.page(combined)

    yield Operation("combine two groups", "reader", combine)
    divisor = SMOKE_DIVISOR if run.is_smoke else 1
    write_thread(store, articles[0], MAX_COMMENTS // divisor)
    yield Operation(READ_LABEL, "", lambda: _read_first(url, articles[0]), SELDOM)
    popular = iter(articles)

    def expire_voters() -> None:
        article = next(popular)
        cast_votes(store, [article], MANY_VOTERS // divisor)
        store.connection.command("PEXPIRE", store.keys.voted(article), 1)
        time.sleep(0.002)
        store.connection.command("EXISTS", store.keys.voted(article))  # this read carries out the deletion

    yield Operation(f"{MANY_VOTERS:,} voters of an article expire", "", expire_voters, SELDOM)
    yield Operation("delete an account with its articles", "member", _account_deletion(site, store), SELDOM)


def _pages(site: Site) -> Iterator[tuple[str, str, int]]:
    """Yield the name and the address of each page, and the articles on a full one if it is a list."""
    group, combined = site.profile.group, site.profile.combined
    last = -(-site.profile.articles // SETTINGS.page_size)
    deep = min(DEEP_PAGE, last)
    lists = {
        "front page": "/",
        f"front page, page {DEEP_PAGE:,} or the last": f"/?page={deep}",
        "/new": "/new",
        f"/new, page {DEEP_PAGE:,} or the last": f"/new?page={deep}",
        "/new, the last page but one": f"/new?page={last - 1}",
        "a group": f"/g/{group}",
        "a group, far down": f"/g/{group}?page={last // 3}",  # it has half of all articles
        "two groups combined": f"/g/{combined}",
        "two groups combined, by time": f"/g/{combined}/new",
        "a member's articles": f"/u/{site.profile.poster}",
    }
    others = {
        "an article": f"/a/{site.profile.articles}",
        "sitemap index": "/sitemap.xml",
        "the last sitemap": f"/sitemap-{-(-site.profile.articles // SITEMAP_SIZE)}.xml",
        "feed of the front page": "/feed.atom",
        "feed of a group": f"/g/{group}.atom",
        "all groups": "/groups",
        "moderation log": "/log",
        "how ranking works": "/about",
    }
    yield from ((label, path, SETTINGS.page_size) for label, path in lists.items())
    yield "/good", "/good", GOOD_LISTED
    yield from ((label, path, 0) for label, path in others.items())


def _member_acts(site: Site, member: Visitor, articles: Sequence[int]) -> dict[str, Callable[[], object]]:
    posted: list[str] = []
    groups = site.profile.combined.split("+")
    votes = cycle((id, action) for id in articles for action in ("vote", "unvote"))
    reported = iter(articles)
    return {
        VOTE_LABEL: lambda: member.send("/a/{}/{}".format(*next(votes))),
        "post an article into two groups": lambda: posted.append(
            member.send("/submit", groups=groups, **new_article())
        ),
        "edit it, into one group": lambda: member.send(f"{posted[-1]}/edit", title="Another", text="Text"),
        "delete it": lambda: member.send(f"{posted.pop()}/delete"),
        "report an article": lambda: member.send(f"/a/{next(reported)}/report", reason="spam"),
        "the account with the votes of a week": lambda: member.page("/account"),
        "download the member's own data": lambda: member.page("/account/data"),
    }


def _moderator_acts(site: Site, moderator: Visitor, id: int) -> dict[str, Callable[[], object]]:
    groups, article, poster = site.profile.combined.split("+"), f"/a/{id}", f"/u/{site.profile.poster}"

    def forms(*forms: tuple[str, dict[str, str | list[str]]]) -> Callable[[], object]:
        return lambda: [moderator.send(path, **fields) for path, fields in forms]

    return {
        "move an article out of two groups and back": forms(
            (f"{article}/groups", {"remove": groups}), (f"{article}/groups", {"add": " ".join(groups)})
        ),
        "remove an article and restore it": forms(
            (f"{article}/remove", {"reason": "A test"}), (f"{article}/restore", {})
        ),
        "ban a member and lift the ban": forms((f"{poster}/ban", {"reason": "A test"}), (f"{poster}/unban", {})),
        "the queue": lambda: moderator.page("/queue"),
    }


def _account_deletion(site: Site, store: Store) -> Callable[[], None]:
    """Return a function that deletes another account at each call, with hundreds or thousands of articles."""
    numbers = count(max(site.profile.articles // 25_000, 2))

    def delete_account() -> None:
        name = f"poster{next(numbers)}"
        store.account_deletion.start(store.users.get(name), delete_articles=True)
        store.account_deletion.finish(name)

    return delete_account


def _read_first(url: str, thread: int) -> None:
    """Read a conversation as a process does that does not know it yet."""
    store = open_store_at(url)
    store.connection.load_scripts()
    store.threads.get(thread)
    store.connection.close()


def cast_votes(store: Store, articles: Sequence[int], voters: int) -> None:
    """Cast the votes of so many *voters*, who share an account, on each of *articles*."""
    account = store.users.find("many") or store.users.make("many", "")
    for article in articles:
        for id in range(FIRST_VOTER_ID, FIRST_VOTER_ID + voters):
            store.votes.cast(article, Voter(id, account.name, account.session))
