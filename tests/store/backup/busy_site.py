"""A site on which everything has happened, which backups must bring back."""

import time
from typing import Any

from tests import factories
from tests.helpers import until
from tests.store.backup.conversations import converse
from tests.store.examination import broken, run
from tests.store.storm import ACTIONS, StoreStorm
from tests.store.thread_data import node, write_thread
from voteweb.core.models import DomainAction, LogAction, Reason, Role
from voteweb.core.site_switches import SwitchName
from voteweb.store import Store
from voteweb.store.doctor import Doctor
from voteweb.store.moderation.bans import Span
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.schema.values import digest_of

MONTH = 31 * 86_400
#: Settings with which articles become good in a storm, and cease to be.
SETTINGS: dict[str, Any] = {"good_votes": 4, "vote_score": 21_600.0, "max_groups": 3}


def build_site(store: Store) -> None:
    """Make a site on which everything has happened, and which a program after the book has used."""
    storm = StoreStorm(store, threads=4)
    storm.start()
    until(lambda: storm.acts.keys() >= ACTIONS, patience=60)
    storm.stop()
    ann, bob, zoe = (factories.user(store, name) for name in ("Ann", "bob", "Zoe"))
    store.imports.add([factories.story(groups=("go", "编程"), poster=f"poster{i}") for i in range(5)])
    store.imports.add([factories.story(time=time.time() - 60, votes=9)])
    article = factories.article(store, ann, text="Line\nand \u2028 and 🎈", link="")
    edited = factories.draft(text=article.text, link="", title="Redis in Practice")
    store.articles.edit(article.id, edited, ann)  # the storm may have deleted all articles that it edited
    store.users.describe(ann, "I am Ann.")
    store.waiting.report_about("Ann", zoe)
    store.reports.make(article.id, zoe, Reason.SPAM, "")  # moderators may have dismissed all others
    factories.ban(store, "bob")
    ban_id = int(run(store, "LLEN", "log-entries:"))
    factories.lift(store, "bob", undoes=ban_id)
    store.groups.change("go", "Go", "", aliases=["golang"])
    factories.article(store, ann, groups=("gopher",), link="")
    merging = NewLogEntry(LogAction.MERGE, "Mod", title="gopher")
    store.group_merges.start("gopher", "go", merging)
    removed = factories.article(store, ann, link="")
    factories.remove(store, removed.id)
    store.waiting.answer(removed.id, ann, "It is no spam.")
    store.users.make("hal", "", network="", request="Please let me in.")
    store.users.make("ian", "", network="", request="Buy this.")
    store.waiting.judge_account("ian", NewLogEntry(LogAction.REFUSE, "Mod", about="ian", why="an advertisement"))
    store.invitations.revoke(digest_of(store.invitations.make(bob)), bob)
    store.passwords.make_link("ann")
    store.passwords.renew_codes(store.users.get("ann"))
    run(store, "HSET", "user:ann", "second-factor", f"{'0' * 32} 1")
    store.users.set_role("ann", Role.ADMIN)
    rule = NewLogEntry(LogAction.DOMAIN, "Ann", title="spam.example", why="spam")
    store.domain_rules.set("spam.example", DomainAction.HOLD, rule, actor=store.users.get("ann"))
    store.articles.post(factories.draft(link="https://spam.example/"), bob, factories.token())
    words = NewLogEntry(LogAction.SWITCH, "Ann", title="announcement", why="We move on Sunday.")
    store.site_settings.set_switch(SwitchName.ANNOUNCEMENT, "/about", words, actor=store.users.get("ann"))
    spam = NewLogEntry(LogAction.BAN, "Mod", about="dan", why="spam")
    factories.article(store, factories.user(store, "dan"), link="")
    store.votes.cast(article.id, store.users.get("dan"))
    store.bans.ban("dan", spam, days=7, articles=Span.ALL, votes=True)
    next(store.bans.steps())
    store.bans.answer("dan", "It was not me.")
    store.undoing.start(factories.user(store, "Mod", Role.MODERATOR).name, 0, store.users.get("ann"))
    store.notes.add("bob", "Writes much.", store.users.get("ann"))
    converse(store, article, bob.id)
    # Voting on comments has ended: the votes stay, and the voters are forgotten.
    write_thread(store, factories.article(store, bob, link="").id, [node(1, votes=7, time=round(time.time(), 6))])
    factories.article(store, zoe)
    store.account_deletion.start(zoe, delete_articles=False)
    # Found under the link of a newer article, although too old to be found under a link of its own.
    old = factories.article(store, ann, link="https://long.example/")
    factories.article(store, bob, link="https://www.long.example")
    run(store, "HSET", f"article:{old.id}", "time", f"{old.time - MONTH:.6f}")
    # A program after the book knows no base, no groups and no ids of members.
    theirs = {"title": "Theirs \x00 and \u202e", "poster": "user:7", "time": article.time - 60, "votes": 2}
    run(store, "HSET", "article:70000", *(item for field in theirs.items() for item in field))
    run(store, "SADD", "voted:70000", "user:7", "007")
    run(store, "SET", "article:", 70_001)
    list(Doctor(store.context).repair())
    assert broken(store) == []
