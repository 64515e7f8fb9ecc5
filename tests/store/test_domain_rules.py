"""Domain rules: checked by the scripts that post and edit, so that there is no moment between."""

from functools import partial

import pytest

from tests import factories
from tests.store.concurrency import at_once
from tests.store.examination import broken, ids
from voteweb.core import config
from voteweb.core.errors import DomainRefused, NotAllowed, TooManyRules
from voteweb.core.models import DomainAction, LogAction, User
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry


def refuse(store: Store, mod: User, domain: str, why: str = "An advertisement.") -> None:
    entry = NewLogEntry(LogAction.DOMAIN, mod.name, title=domain, why=why)
    store.domain_rules.set(domain, DomainAction.REFUSE, entry, actor=mod)


def post(store: Store, poster: User, link: str) -> int:
    return store.articles.post(factories.draft(link=link), poster, factories.token(), allow_duplicate=True)


def test_a_rule_refuses_a_domain_and_its_subdomains(store: Store, mod: User) -> None:
    ann = factories.user(store)
    refuse(store, mod, "spam.example")
    refuse(store, mod, "a.spam.example", "Closer.")
    for link in ("https://www.spam.example/x", "http://b.SPAM.example.:8080", "https://v.w.x.y.z.spam.example/"):
        with pytest.raises(DomainRefused, match=r"Links to spam\.example are not accepted here: An advertisement\."):
            post(store, ann, link)
    with pytest.raises(DomainRefused, match="Closer"):
        post(store, mod, "https://c.a.spam.example/")
    good = post(store, ann, "https://notspam.example/")
    with pytest.raises(DomainRefused):
        store.articles.edit(good, factories.draft(link="https://spam.example/"), ann)
    store.domain_rules.delete("spam.example", NewLogEntry(LogAction.UNDOMAIN, "mod", title="spam.example"), actor=mod)
    linked = post(store, ann, "https://spam.example/")
    refuse(store, mod, "spam.example")
    store.articles.edit(linked, factories.draft(title="The link stays", link="https://spam.example/"), ann)
    factories.imported(store, link="https://spam.example/imported")
    assert len(ids(store, "time:")) == 3
    with pytest.raises(NotAllowed):
        refuse(store, ann, "mine.example")
    assert broken(store) == []


def test_posting_against_a_new_rule_is_one_or_the_other(store: Store, mod: User) -> None:
    ann = factories.user(store)
    for number in range(4):
        link = f"https://n{number}.example/"
        posts = [partial(post, store, ann, link) for _ in range(4)]
        answers = at_once([*posts, partial(refuse, store, mod, f"n{number}.example"), *posts])
        assert len(ids(store, "posted:ann")) == sum(isinstance(answer, int) for answer in answers)
        with pytest.raises(DomainRefused):
            post(store, ann, link)
        for id in ids(store, "posted:ann"):
            store.removals.delete(id)
    assert broken(store) == []


def test_rules_have_a_bound(store: Store, mod: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MAX_DOMAIN_RULES", 2)
    for domain in ("a.example", "b.example", "a.example"):
        refuse(store, mod, domain)
    with pytest.raises(TooManyRules):
        refuse(store, mod, "c.example")
