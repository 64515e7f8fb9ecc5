"""Voters: a ring is marked and banned together, and who looked is known to admins."""

from collections.abc import Sequence

import pytest

from tests import factories
from tests.store.examination import run
from tests.web.browser import Browser
from tests.web.conftest import MakeMember
from voteweb.core.models import Role, User
from voteweb.store import Store


def vote(store: Store, members: Sequence[User], count: int) -> None:
    """Have all *members* vote for *count* new articles."""
    for _ in range(count):
        article = factories.article(store)
        for member in members:
            store.votes.cast(article.id, member)


@pytest.fixture
def ring(store: Store) -> list[User]:
    """Four members who voted for article 1 and four more; six others voted for article 1 and articles of their own."""
    ring = [factories.user(store, f"ring{number}") for number in range(4)]
    honest = [factories.user(store, f"honest{number}") for number in range(6)]
    vote(store, [*honest, *ring], 1)
    vote(store, ring, 4)
    for member in honest:
        vote(store, [member], 5)
    return ring


def marks(browser: Browser) -> dict[str, str]:
    """Return with whom each member on the page votes together."""
    rows = browser.page.one("ol", class_="log").all("li")
    return {row.all("a")[0].text: " ".join(row.text.partition("Votes together with ")[1:]) for row in rows}


def test_a_ring_is_marked_and_can_be_banned(mod: Browser, ring: list[User], store: Store) -> None:
    mod.open("/a/1").open(next(link["href"] for link in mod.page.all("a") if link.text == "Voters"))
    rows = marks(mod)
    assert list(rows)[:4] == ["ring3", "ring2", "ring1", "ring0"]
    assert rows["ring0"].split() == "Votes together with ring1 (5 of 5), ring2 (5 of 5), ring3 (5 of 5)".split()
    assert [name for name, text in rows.items() if text.strip()] == list(rows)[:4]
    assert set(mod.page.values("value", "input", form="several")) == rows.keys()
    assert "、" in mod.open("/a/1/voters", headers={"Accept-Language": "zh"}).page.text
    mod.open("/u/Ring0").open(next(link["href"] for link in mod.page.all("a") if "votes together" in link.text))
    assert set(marks(mod)) == {"ring1", "ring2", "ring3"}
    assert mod.open("/u/honest0/votes-together").page.one("div", class_="empty")


def test_admins_see_who_looked(mod: Browser, make_member: MakeMember, ring: list[User], store: Store) -> None:
    assert mod.open("/a/1/voters", headers={"Sec-Purpose": "prefetch"}).status == 403
    assert "ring0" not in mod.page.text
    head = mod.client.head("/a/1/voters", base_url=mod.site)
    assert (head.status_code, run(store, "EXISTS", "looks:")) == (200, 0)
    for address in ("/a/1/voters", "/u/ring0/votes-together", "/u/ring1/votes-together"):
        mod.open(address)
    store.account_deletion.start(ring[1], delete_articles=False)
    assert make_member("root", Role.ADMIN).open("/members/looks").log == [
        "mod : the votes of a member who left",
        "mod : the votes of ring0",
        "mod : the voters of article 1",
    ]
