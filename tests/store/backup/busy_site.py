"""A site on which everything has happened, which backups must bring back."""

import time
from typing import Any

from tests import factories
from tests.helpers import until
from tests.store.every_key import build_every_key
from tests.store.examination import broken, repair, run
from tests.store.storm import ON_ARTICLES, StoreStorm
from tests.store.thread_data import node, write_thread
from voteweb.core.config import VOTER_BLOCK, VOTERS_GRACE_SECONDS
from voteweb.core.models import Article, LogAction, LogEntry
from voteweb.store import Store
from voteweb.store.schema.nodes import VOTER_FACTOR
from voteweb.store.schema.values import digest_of

MONTH = 31 * 86_400
#: Settings with which articles become good in a storm, and cease to be.
SETTINGS: dict[str, Any] = {"good_votes": 4, "vote_score": 21_600.0, "max_groups": 3}


def build_site(store: Store) -> None:
    """Make a site on which everything has happened, and which a program after the book has used."""
    storm = StoreStorm(store, threads=4)
    storm.start()
    until(lambda: storm.acts.keys() >= ON_ARTICLES.keys())
    storm.stop()
    build_every_key(store)
    ann, bob = store.users.get("Ann"), factories.user(store, "bob")
    store.imports.add([factories.story(groups=("go", "编程"), poster=f"poster{i}") for i in range(5)])
    store.imports.add([factories.story(time=time.time() - 60, votes=9)])
    article = factories.article(store, ann, text="Line\nand \u2028 and 🎈", link="")
    store.users.make("ian", "", network="", request="Buy this.")
    store.waiting.judge_account("ian", LogEntry(LogAction.REFUSE, "Mod", about="ian", why="an advertisement"))
    store.invitations.revoke(digest_of(store.invitations.make(bob)), bob)
    store.passwords.renew_codes(store.users.get("ann"))
    run(store, "HSET", "user:ann", "second-factor", f"{'0' * 32} 1")
    _converse(store, article, bob.id)
    # Voting on comments has ended: the votes stay, and the voters are forgotten.
    write_thread(store, factories.article(store, bob, link="").id, [node(1, votes=7, time=round(time.time(), 6))])
    # Found under the link of a newer article, although too old to be found under a link of its own.
    old = factories.article(store, ann, link="https://long.example/")
    factories.article(store, bob, link="https://www.long.example")
    run(store, "HSET", f"article:{old.id}", "time", f"{old.time - MONTH:.6f}")
    # A program after the book knows no base, no groups and no ids of members.
    theirs = {"title": "Theirs \x00 and \u202e", "poster": "user:7", "time": article.time - 60, "votes": 2}
    for id in (70_000, 70_001):
        run(store, "HSET", f"article:{id}", *(item for field in theirs.items() for item in field))
    edited = LogEntry(LogAction.EDIT, "Ann", article=70_001)
    store.articles.edit(70_001, factories.draft(link=""), store.users.get("ann"), edited)
    run(store, "SADD", "voted:70000", "user:7", "007")
    run(store, "SET", "article:", 70_001)
    repair(store)
    assert broken(store) == []


def _converse(store: Store, article: Article, voter: int) -> None:
    """Store a closed conversation of more than a block below *article*, in which the member *voter* has voted once."""
    key, closes = f"voted-comments:{article.id}", int(article.time) + 14 * 86_400
    times = [round(article.time + at / 1e6, 6) for at in range(VOTER_BLOCK + 5)]
    write_thread(store, article.id, [node(at, time=times[at], votes=int(at == 1)) for at in range(1, VOTER_BLOCK + 5)])
    closed = {"closes": closes, "closed": times[-1], "close-reason": "too hot"}
    run(store, "HSET", f"thread:{article.id}", *(part for field in closed.items() for part in field))
    for block in range(2):
        run(store, "SADD", f"{key}-{block}", 0, *([VOTER_FACTOR + voter] if block == 0 else []))
        run(store, "EXPIREAT", f"{key}-{block}", closes + VOTERS_GRACE_SECONDS)
    run(store, "LPOP", "unread:ann")
