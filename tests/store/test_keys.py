"""Keys: all have the type and lifetime of their forms, and a prefix if there is one."""

import re
import time
from typing import cast

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, run, snapshot
from voteweb.core import rate_limits
from voteweb.core.jobs import ACCOUNT_DELETIONS
from voteweb.core.mail import MailOutcome, PendingEmail
from voteweb.core.models import DomainAction, LogAction, LogInOutcome, Order, Period, Reason, Role, User
from voteweb.core.site_switches import SwitchName
from voteweb.store import Store
from voteweb.store.accounts.mail import TakenMail
from voteweb.store.accounts.secret_links import SecretFeed
from voteweb.store.migrations import Migrations
from voteweb.store.moderation.bans import Span
from voteweb.store.schema.key_forms import Part
from voteweb.store.schema.keys import FORMS, Keys, key_type
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.schema.values import article_id
from voteweb.store.server.health import BackupFacts


@pytest.fixture
def busy(make_store: MakeStore) -> Store:
    """A site that has a key of every form."""
    store = make_store(good_votes=2, vote_score=432.0, limits=1)
    ann, bob = factories.user(store, "Ann"), factories.user(store, "bob_-9")
    first = factories.article(store, ann, groups=("go", "编程", "c_-9"))
    store.votes.cast(first.id, bob)
    store.articles.edit(first.id, factories.draft(title="Another title", groups=("go", "编程")), ann)
    store.users.set_role("ann", Role.ADMIN)
    imported = factories.imported(store, votes=500, groups=("java", "编程"))
    store.reports.make(imported.id, bob, Reason.TOPIC, "a note")
    store.reports.dismiss(imported.id, NewLogEntry(LogAction.DISMISS, "Ann", article=imported.id))
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
    store.account_deletion.start(factories.user(store, "zoe"), delete_articles=True)
    rule = NewLogEntry(LogAction.DOMAIN, "Ann", title="spam.example", why="spam")
    factories.group(store, "golang")
    store.group_merges.start("golang", "go", NewLogEntry(LogAction.MERGE, "Ann", title="golang"))
    closing = NewLogEntry(LogAction.SWITCH, "root", title="signup")
    store.site_settings.set_switch(
        SwitchName.SIGNUP, "closed", closing, actor=factories.user(store, "root", Role.ADMIN)
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
    run(store, "SET", "restoring:", int(time.time()))
    run(store, "RPUSH", "ordering:a-token-1", "1.1")
    run(store, "EXPIRE", "ordering:a-token-1", 600)
    store.health.record_backup(BackupFacts(time.time(), 1))
    Migrations(store.context).begin("before.gz")
    store.search.changes_since("0-0", wait=0)
    assert broken(store) == []
    return store


def _converse(store: Store, article: int, bob: User) -> None:
    """Do everything once in the conversation of an article of Ann's; counting a removal is cut off."""
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
    store.mail.request(bob, "bob@news.example", "en")
    store.mail.confirm(bob, cast(PendingEmail, store.read(store.mail.queue_account, "bob_-9").pending))
    run(store, "ZADD", "digests:", 1, "weekly bob_-9")
    store.mail.finish(cast(TakenMail, store.mail.take()), MailOutcome.FAILED, 60, "no answer")
    run(store, "SADD", "removing:", article)


def test_every_primary_key_has_a_check_of_its_name() -> None:
    primary = [form for form in FORMS if form.holds.part is Part.PRIMARY]
    assert all(form.holds.name("") is ("<" not in form.text) for form in primary)


def test_every_key_has_the_type_and_lifetime_of_its_form(busy: Store) -> None:
    seen = set()
    for key in run(busy, "KEYS", "*"):
        # That with the most parts: time:<a>+<b> rather than time:<group>.
        form = max((form for form in FORMS if re.fullmatch(form.pattern(), key)), key=lambda form: form.text.count("<"))
        assert run(busy, "TYPE", key) == form.holds.type == key_type(busy.keys, busy.keys.prefix + key), key
        assert (run(busy, "TTL", key) == -1) == (form.holds.expires is None), key
        assert busy.keys.is_ours(busy.keys.prefix + key)
        seen.add(form.text)
    assert seen == {form.text for form in FORMS}
    assert (busy.keys.prefix or "no prefix") not in str(snapshot(busy)), "a value names a key"


@pytest.mark.parametrize("prefix", ["a*", "a?", "[a]", "^a", "a\\"])
def test_a_prefix_with_characters_of_patterns_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="cannot be a prefix"):
        Keys(prefix)


@pytest.mark.parametrize("keys", [Keys(), Keys("{site}:")], ids=lambda keys: keys.prefix)
def test_keys_of_other_programs_and_sites_are_recognized(keys: Keys) -> None:
    assert keys.is_ours(keys.article(1))
    others = (
        " x celery cache: session:abc rq:job:1 {user}:b a\nuser:b Article:1 articles:1 article article:x article:1:2"
        " article:１ user:1:profile voted: voted:x group: good:x"
    )
    assert [key for key in others.split(" ") if keys.is_ours(keys.prefix + key)] == []
    assert not keys.is_ours("article:1" if keys.prefix else "{site}:article:1")


def test_an_articles_member_has_its_id() -> None:
    assert [article_id(f"article:{id}") for id in ("1", "0012", 10**12)] == [1, 12, 10**12]
    for member in (
        "",
        "article",
        "article:",
        "article:x",
        "article:-1",
        "article:1:2",
        "article:²",
        "article:１",
        "user:1",
    ):
        with pytest.raises(ValueError):  # noqa: PT011 - its message is the member itself
            article_id(member)
