"""Statistics: what happens on the site is counted for its day, once."""

from tests import factories
from tests.store.examination import run
from tests.web.browser import Browser
from voteweb.core.models import LogAction, LogEntry, Reason
from voteweb.store import Store


def test_every_act_of_today_is_counted_once(reader: Browser, store: Store) -> None:
    ann, bob, eve = (factories.user(store, name) for name in ("ann", "bob", "eve"))
    first, second = (factories.article(store, ann) for _ in range(2))
    for voter in (bob, eve):
        store.votes.cast(first.id, voter)
    store.votes.take_back(first.id, eve)
    factories.comment(store, first.id, bob)
    for id, reporter in ((first.id, bob), (first.id, eve), (second.id, bob)):
        store.reports.make(id, reporter, Reason.SPAM, "")
    store.reports.dismiss(first.id, LogEntry(LogAction.DISMISS, "mod", article=first.id))
    factories.remove(store, second.id)
    factories.remove(store, second.id)
    today = reader.open("/stats").page.one("tbody").all("tr")[0]
    members = len(run(store, "ZRANGE", "users:", 0, -1))
    assert today.texts("td") == ["1", "1", "1", str(members), "3", "2"]
    assert "Half of the reported things were settled within" in reader.intro
    assert "Reports made: 3 in all, 3 on the busiest day." in reader.page.by_id("stats-text").text


def test_what_another_program_wrote_breaks_nothing(reader: Browser, store: Store) -> None:
    article, bob = factories.article(store), factories.user(store, "bob")
    store.votes.cast(article.id, bob)
    (key,) = run(store, "KEYS", "stats:*")
    run(store, "HSET", key, "votes", "many", "wait-x", "1", "comments", "-5")
    store.votes.take_back(article.id, bob)
    assert reader.open("/stats").page.one("tbody").all("tr")[0].texts("td")[1:3] == ["0", "0"]
