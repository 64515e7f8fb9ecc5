"""A site that has a key of every form, but of those of a restore, a migration and a removal that were cut off."""

import time
from typing import cast

from tests import factories
from tests.store.examination import run
from voteweb.core import rate_limits
from voteweb.core.jobs import ACCOUNT_DELETIONS
from voteweb.core.mail import MailOutcome, PendingEmail
from voteweb.core.models import (
    DomainAction,
    LogAction,
    LogEntry,
    LogInOutcome,
    Order,
    Period,
    Reason,
    Right,
    Role,
    User,
)
from voteweb.core.site_switches import SwitchName
from voteweb.store import Store
from voteweb.store.accounts.mail import TakenMail
from voteweb.store.accounts.programs import new_token
from voteweb.store.accounts.secret_feeds import SecretFeed
from voteweb.store.moderation.bans import Span
from voteweb.store.server.health import BackupFacts


def build_every_key(store: Store) -> None:
    """Do everything once that makes a key."""
    ann, bob = factories.user(store, "Ann"), factories.user(store, "bob_-9")
    first = factories.article(store, ann, groups=("go", "编程", "c_-9"))
    store.votes.cast(first.id, bob)
    store.articles.edit(first.id, factories.draft(title="Another title", groups=("go", "编程")), ann)
    store.users.set_role("ann", Role.ADMIN)
    imported = factories.imported(store, votes=500, groups=("java", "编程"))
    store.reports.make(imported.id, bob, Reason.TOPIC, "a note")
    store.reports.dismiss(imported.id, LogEntry(LogAction.DISMISS, "Ann", article=imported.id))
    combined = (store.rankings.groups(["go", "java", "编程"], order) for order in (Order.SCORE, Order.TIME))
    for ranking in (*combined, store.rankings.best(Period.WEEK)):
        store.read(store.listings.queue_page, ranking, 1)
    removed = factories.article(store, ann, groups=("go",))
    factories.remove(store, removed.id)
    store.users.describe(ann, "I am Ann.")
    store.waiting.report_about("Ann", bob)
    store.waiting.answer(removed.id, ann, "It is no spam.")
    store.reports.make(first.id, bob, Reason.TOPIC, "a note")
    store.invitations.make(bob)
    store.passwords.make_link("bob_-9")
    store.users.make("carl", "", network="198.51.100.0/24", request="Please")
    store.limits.remember_network("bob_-9", "198.51.100.7")
    store.sessions.open(store.users.get("bob_-9"), "a-token", "Firefox/Linux")
    _converse(store, first.id, bob)
    zoe = factories.user(store, "zoe")
    factories.article(store, zoe, link="")
    store.account_deletion.start(zoe, delete_articles=True)
    rule = LogEntry(LogAction.DOMAIN, "Ann", title="spam.example", why="spam")
    factories.article(store, ann, groups=("golang",), link="")
    store.group_merges.start("golang", "go", LogEntry(LogAction.MERGE_GROUP, "Ann", title="golang"))
    root = factories.user(store, "root", Role.ADMIN)
    store.planned_merges.plan("java", "go", LogEntry(LogAction.PLAN_MERGE, "root", title="java"), actor=root)
    closing = LogEntry(LogAction.SWITCH, "root", title="signup")
    store.site_settings.set_switch(SwitchName.SIGNUP, "closed", closing, actor=root)
    store.site_settings.set_text(
        SwitchName.RULES, "Be **kind**.", LogEntry(LogAction.SWITCH, "root", title="rules"), actor=root
    )
    store.sessions.note_log_in("ann", LogInOutcome.IN, "", "")
    store.voters.note_look(ann, first)
    store.domain_rules.set("spam.example", DomainAction.HOLD, rule, actor=store.users.get("ann"))
    store.articles.post(factories.draft(link="https://spam.example/"), bob, factories.token())
    store.notes.add("ann", "A note.", store.users.get("ann"))
    store.votes.cast(first.id, factories.user(store, "eli"))
    factories.ban(store, "eli", votes=True)
    list(store.bans.steps())
    factories.ban(store, factories.user(store, "dan").name, days=1, articles=Span.ALL)
    store.bans.answer("dan", "It was not me.")
    store.undoing.start(factories.user(store, "mod", Role.MODERATOR).name, 0, store.users.get("root"))
    assert store.limits.hit([(rate_limits.LOGIN_BY_ADDRESS, "198.51.100.7")]) is None
    store.jobs.run(ACCOUNT_DELETIONS, lambda: iter([]), bool)
    run(store, "SET", "lease:account-deletions", "a process", "EX", 30)
    run(store, "RPUSH", "ordering:a-token-1", "1.1")
    run(store, "EXPIRE", "ordering:a-token-1", 600)
    store.health.record_backup(BackupFacts(time.time(), 1))
    store.search.changes_since("0-0", wait=0)


def _converse(store: Store, article: int, bob: User) -> None:
    """Do everything once in the conversation of an article of Ann's."""
    ann = store.users.get("ann")
    question, answer = (factories.comment(store, article, who, parent=n) for n, who in enumerate((ann, bob)))
    factories.choices(store, bob, group="go", hidden="Ann", article=article)
    store.votes.cast(answer, ann)
    store.comments.set_quiet(article, question.number, ann, is_quiet=True)
    store.removals.delete(factories.comment(store, article, bob), bob)
    store.reports.make(answer, ann, Reason.SPAM, "")
    factories.remove(store, question)
    store.read(store.threads.queue_read, article, viewer_id=ann.id, visitor="Ann")
    store.feeds.renew(SecretFeed.INBOX, bob)
    store.feeds.renew(SecretFeed.SAVED, bob)
    store.programs.add(bob, new_token("bob_-9"), "A bot", [Right.VOTE], 30)
    for address in ("bob@news.example", "bob@mail.example"):
        store.mail.request(bob, address, "en")
        store.mail.confirm(bob, cast(PendingEmail, store.read(store.mail.queue_account, "bob_-9").pending))
    run(store, "ZADD", "digests:", 1, "weekly bob_-9")
    store.mail.finish(cast(TakenMail, store.mail.take()), MailOutcome.FAILED, 60, "no answer")
