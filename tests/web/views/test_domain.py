"""Pages of domains: their articles by time, feeds, and the one address of each."""

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import CountRoundTrips
from voteweb.store import Store


@pytest.fixture(autouse=True)
def articles(store: Store) -> None:
    for number, host in enumerate(("www.site.example", "site.example", "other.example", "münchen.example"), 1):
        factories.article(store, title=f"T{number}", link=f"https://{host}/{number}")


def test_domain_has_its_articles_newest_first(
    reader: Browser, bob: Browser, count_round_trips: CountRoundTrips
) -> None:
    assert count_round_trips(reader.open, "/d/site.example") == 1
    reader.open("/").follow()
    assert reader.page.one("li", id="a1").one("a", class_="domain")["href"] == "/d/site.example"
    assert (reader.open("/d/site.example").titles, reader.heading) == (["T2", "T1"], "Articles from site.example")
    assert reader.page.all("meta", name="robots")
    assert [item["title"] for item in reader.open("/d/site.example.json").json["items"]] == ["T2", "T1"]
    bob.open("/d/site.example").press("/d/site.example/hide").follow()
    assert bob.titles == ["T2", "T1"]
    assert bob.open("/new").titles == ["T4", "T3"]


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("/d/www.Site.example?page=1", "/d/site.example?page=1"),
        ("/d/M%C3%BCnchen.example", "/d/xn--mnchen-3ya.example"),
        ("/d/SITE.example.atom", "/d/site.example.atom"),
    ],
)
def test_domain_has_one_address(reader: Browser, typed: str, address: str) -> None:
    assert (reader.open(typed).status, reader.location) == (301, address)


def test_domain_is_shown_as_people_write_it(reader: Browser) -> None:
    assert reader.open("/d/xn--mnchen-3ya.example").heading == "Articles from münchen.example"
    assert reader.intro == "xn--mnchen-3ya.example"


@pytest.mark.parametrize("address", ["/d/none.example", "/d/none.example.json", "/d/.."])
def test_unknown_domain_is_not_found(reader: Browser, address: str) -> None:
    assert reader.open(address).status == 404
    assert "There is no article with a link to" in reader.text


def test_moderators_make_a_domains_rule_and_remove_its_articles(
    mod: Browser, bob: Browser, reader: Browser, count_round_trips: CountRoundTrips
) -> None:
    assert not bob.open("/d/site.example").page.all("form", action="/domains")
    assert count_round_trips(mod.open, "/d/site.example") == 2
    assert "remove all (2)" in mod.form("/domains").text
    mod.submit("/domains", why="", removes="1")
    assert mod.status == 422
    assert "checked" in mod.form("/domains").one("input", name="removes")
    mod.submit("/domains", why="Spam.").follow()
    assert mod.flashes == [
        "The rule of site.example has been saved.",
        "Removed: 2 articles. With many, this can take a moment.",
    ]
    assert [mod.form("/domains").one("input", name="why")["value"], mod.titles] == ["Spam.", []]
    assert reader.open("/d/site.example").status == 404
    assert "site.example is refused" in mod.open("/d/a.site.example").main
    mod.open("/d/site.example").submit("/domains/site.example/delete").follow()
    assert mod.flashes == ["The rule of site.example has been deleted."]
