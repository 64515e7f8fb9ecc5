"""Domain rules: checked by the scripts that post and edit, so that there is no moment between."""

import json
import time
from collections.abc import Iterator
from functools import partial

import pytest

from tests import factories
from tests.store.cuts import cut_everywhere
from tests.store.examination import broken, ids, run
from voteweb.core import config
from voteweb.core.errors import DomainRefused, NotAllowed, TooManyRules
from voteweb.core.models import DomainAction, LogAction, LogEntry, Role, User
from voteweb.store import Store


def refuse(store: Store, mod: User, domain: str, why: str = "An advertisement.", *, removes: bool = False) -> str:
    """Return how many articles the rule removes."""
    entry = LogEntry(LogAction.DOMAIN, mod.name, title=domain, why=why)
    count = store.domain_rules.set(domain, DomainAction.REFUSE, entry, removes=removes, actor=mod)
    return str(count)


def post(store: Store, poster: User, link: str) -> int:
    return store.articles.post(factories.draft(link=link), poster, factories.token(), allow_duplicate=True)


def test_a_rule_refuses_a_domain_and_its_subdomains(store: Store, mod: User) -> None:
    ann = factories.user(store)
    refuse(store, mod, "spam.example")
    refuse(store, mod, "a.spam.example", "Closer.")
    for link in (
        "https://www.spam.example/x",
        "http://b.SPAM.example.:8080",
        "https://v.w.x.y.z.spam.example/",
        "https://sp\u034fam.example",
    ):
        with pytest.raises(DomainRefused, match=r"Links to spam\.example are not accepted here: An advertisement\."):
            post(store, ann, link)
    with pytest.raises(DomainRefused, match="Closer"):
        post(store, mod, "https://c.a.spam.example/")
    good = post(store, ann, "https://notspam.example/")
    with pytest.raises(DomainRefused):
        store.articles.edit(good, factories.draft(link="https://spam.example/"), ann)
    store.domain_rules.delete("spam.example", LogEntry(LogAction.UNDOMAIN, "mod", title="spam.example"), actor=mod)
    linked = post(store, ann, "https://spam.example/")
    refuse(store, mod, "spam.example")
    store.articles.edit(linked, factories.draft(title="The link stays", link="https://spam.example/"), ann)
    factories.imported(store, link="https://spam.example/imported")
    assert len(ids(store, "time:")) == 3
    with pytest.raises(NotAllowed):
        refuse(store, ann, "mine.example")
    assert broken(store) == []


def test_rules_have_a_bound(store: Store, mod: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MAX_DOMAIN_RULES", 2)
    for domain in ("a.example", "b.example", "a.example"):
        refuse(store, mod, domain)
    with pytest.raises(TooManyRules):
        refuse(store, mod, "c.example")


def test_a_rule_removes_the_articles_of_the_last_days(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six of the last week are the newest; one is restored at each moment after its removal, and stays."""
    monkeypatch.setattr("voteweb.store.moderation.domain_rules._STEP", 2)
    monkeypatch.setattr(config, "MAX_RULE_REMOVALS", 5)

    def make_site(store: Store) -> None:
        factories.user(store, "mod", Role.MODERATOR)
        factories.user(store)
        for days in (8, 6, 5, 4, 3, 2, 1):
            factories.imported(store, link=f"https://spam.example/{days}", time=time.time() - days * 86_400)
        factories.imported(store, link="https://a.spam.example/", time=time.time() - 60)

    def act(store: Store) -> Iterator[str]:
        yield refuse(store, store.users.get("mod"), "spam.example", "Spam.", removes=True)

    for _ in cut_everywhere(store, make_site, act):
        removed, mod = store.log.get(2), store.users.get("mod")
        if removed:
            factories.restore(store, removed.article)
        refuse(store, mod, "spam.example", "Spam.", removes=not removed)  # the form is sent again
        list(store.domain_rules.steps())
        listed = sorted(ids(store, "domain:spam.example"))
        assert listed == [1, 2, *([removed.article] if removed else [])]
        assert json.loads(run(store, "HGET", "domain-rules:", "spam.example"))["removes"] == ""
        entries = store.read(store.log.queue_page, 1, kind=LogAction.REMOVE).rows
        assert sorted(entry.article for entry in entries) == [3, 4, 5, 6, 7]
        assert {(entry.who, entry.why, entry.about) for entry in entries} == {("mod", "Spam.", "ann")}
        assert store.read(store.log.queue_page, 1, kind=LogAction.DOMAIN).total == 1
        assert broken(store) == []


def test_a_deleted_rule_removes_no_more(store: Store, mod: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voteweb.store.moderation.domain_rules._STEP", 1)
    for number in range(3):
        factories.article(store, link=f"https://spam.example/{number}")
    assert refuse(store, mod, "spam.example", removes=True) == "3"
    store.domain_rules.delete("spam.example", LogEntry(LogAction.UNDOMAIN, "mod", title="spam.example"), actor=mod)
    list(store.domain_rules.steps())
    assert len(ids(store, "domain:spam.example")) == 2
    closest = partial(store.read, store.domain_rules.queue_of)
    refuse(store, mod, "example.net")
    assert [rule and rule.domain for rule in map(closest, ("a.example.net", "net", "::1"))] == [
        "example.net",
        None,
        None,
    ]
