"""How the site is found and shared: each page's one address and description, and what search engines are told."""

import gzip
from dataclasses import replace
from urllib.parse import unquote
from urllib.robotparser import RobotFileParser
from xml.etree import ElementTree

import pytest

from tests import factories
from tests.web.browser import Browser
from voteweb.app import create_app
from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import LogAction
from voteweb.store import Store
from voteweb.store.connection.connection import Connection
from voteweb.store.moderation_log import NewLogEntry

SITEMAPS = "{http://www.sitemaps.org/schemas/sitemap/0.9}"

# Address that is opened, and the one it is known by.
CANONICAL = [
    ("/", "/"),
    ("/?page=1", "/"),
    ("/?utm_source=x&fbclid=y", "/"),
    ("/?page=2", "/?page=2"),
    ("/new?page=2&x=1", "/new?page=2"),
    ("/good?page=7", "/good"),
    ("/groups?x", "/groups"),
    ("/g/python", "/g/python"),
    ("/g/python?page=2#a1", "/g/python?page=2"),
    ("/g/python/new", "/g/python/new"),
    ("/g/python+redis", "/g/python+redis"),
    ("/g/redis+python", "/g/python+redis"),
    ("/g/Redis+python+redis/new", "/g/python+redis/new"),
    ("/g/编程", "/g/%E7%BC%96%E7%A8%8B"),
    ("/a/1", "/a/1"),
    ("/a/001?why", "/a/1"),
    ("/a/1?page=3", "/a/1"),
    ("/u/ann", "/u/ann"),
    ("/u/ANN?page=2", "/u/ann?page=2"),
    ("/about?x=<y>", "/about"),
    ("/log", "/log"),
    ("/log?who=&kind=", "/log"),
]
HIDDEN = [
    ("/login", 200), ("/signup", 200), ("/nowhere", 404), ("/?page=99", 404), ("/g/nope", 404), ("/u/nobody-here", 404),
    ("/a/9999", 404), ("/a/2", 410), ("/log?who=mod", 200), ("/log?kind=remove", 200),
]  # fmt: skip


@pytest.fixture(autouse=True)
def articles(fake_store: Store) -> None:
    """Twenty-six articles of ann's in two groups, the second removed, and an empty group."""
    for name in ("python", "redis", "编程"):
        factories.group(fake_store, name)
    for i in range(1, 28):
        link = f"https://www.example.com/{i}"
        factories.article(fake_store, title=f"Article {i}", link=link, groups=("python", "redis"))
    fake_store.removals.remove(2, NewLogEntry(LogAction.REMOVE, "mod", article=2, title="Article 2", why="no"))


def meta(browser: Browser, name: str) -> str:
    """Return what the page says about itself under *name*."""
    kind = "property" if name.startswith("og:") else "name"
    return browser.page.one("meta", **{kind: name})["content"]


def locations(browser: Browser, address: str) -> list[str]:
    """Return the addresses in a part of the sitemap, or its parts."""
    browser.open(address)
    assert (browser.status, browser.answer.mimetype) == (200, "application/xml")
    assert browser.answer.headers["Cache-Control"] == "public, max-age=3600"
    found = ElementTree.fromstring(browser.answer.data).findall(f"*/{SITEMAPS}loc")
    return [(each.text or "").removeprefix("http://localhost") for each in found]


def test_each_page_has_one_address(reader: Browser) -> None:
    for address, known_by in CANONICAL:
        reader.open(address).follow()
        assert reader.page.one("link", rel="canonical")["href"] == f"http://localhost{known_by}", address
        assert meta(reader, "og:url") == f"http://localhost{known_by}", address
        assert not reader.page.all("meta", name="robots"), address


def test_the_public_address_goes_before_the_one_asked_for(settings: Settings, fake_store: Store) -> None:
    browser = Browser(create_app(replace(settings, site_url="https://news.example/"), fake_store))
    assert browser.open("/new?page=2").page.one("link", rel="canonical")["href"] == "https://news.example/new?page=2"
    assert "Sitemap: https://news.example/sitemap.xml" in browser.open("/robots.txt").answer.text


def test_what_is_no_page_to_find_says_so(reader: Browser) -> None:
    for address, status in HIDDEN:
        assert reader.open(address).status == status, address
        assert meta(reader, "robots") == "noindex", address
        assert not reader.page.all("link", rel="canonical"), address


def test_a_members_own_pages_are_hidden_but_for_the_form_to_post(mod: Browser) -> None:
    for address in ("/reports", "/groups/new", "/g/python/edit"):
        assert mod.open(address).status == 200, address
        assert meta(mod, "robots") == "noindex", address
    assert mod.open("/submit?title=x").page.one("link", rel="canonical")["href"] == "http://localhost/submit"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"link": "https://www.example.com/a", "groups": ("redis", "编程")}, "1 vote · example.com · redis, 编程"),
        ({"link": "https://example.org/b"}, "1 vote · example.org"),
        ({"text": '# One\n\n**two** <b>"three"</b>\n- [four](https://a.example)'}, 'One two <b>"three"</b> four'),
        ({"text": "word " * 100}, "word " * 30 + "word…"),
        ({"text": "字" * 300}, "字" * 159 + "…"),
    ],
)
def test_an_article_is_described_by_its_text_or_its_numbers(
    fields: dict[str, str], says: str, reader: Browser, fake_store: Store
) -> None:
    title = 'On "quotes" & <tags>'
    id = factories.article(fake_store, **({"title": title, "link": "", "text": ""} | fields)).id
    reader.open(f"/a/{id}")
    assert meta(reader, "description") == meta(reader, "og:description") == says
    assert len(says) <= 160
    assert (meta(reader, "og:title"), meta(reader, "og:type")) == (title, "article")
    assert (meta(reader, "og:site_name"), meta(reader, "twitter:card")) == ("voteweb", "summary")


def test_every_list_is_described_in_its_own_words(reader: Browser, fake_store: Store) -> None:
    fake_store.groups.change("python", "Python", "The language & its snakes.")
    found = set()
    addresses = (
        "/",
        "/new",
        "/good",
        "/groups",
        "/g/python",
        "/g/redis",
        "/g/python+redis",
        "/u/ann",
        "/about",
        "/log",
    )
    for address in addresses:
        reader.open(address)
        assert meta(reader, "og:type") == "website"
        assert meta(reader, "og:description") == meta(reader, "description")
        assert f"{meta(reader, 'og:title')} · voteweb" == reader.page.one("head").one("title").words
        found.add(meta(reader, "description"))
    assert len(found) == len(addresses)
    assert "The language & its snakes." in found


def test_search_engines_are_told_where_not_to_go(reader: Browser) -> None:
    reader.open("/robots.txt")
    assert reader.answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    robots = RobotFileParser()
    robots.parse(reader.answer.text.splitlines())
    assert robots.site_maps() == ["http://localhost/sitemap.xml"]
    for _, address in CANONICAL:
        assert robots.can_fetch("*", f"http://localhost{address}"), address
    for address in (
        "/login?next=/a/1",
        "/signup",
        "/account/data",
        "/reports",
        "/reset/x",
        "/log?who=mod",
        "/log?kind=ban",
    ):
        assert not robots.can_fetch("*", f"http://localhost{address}"), address


def test_the_sitemap_names_every_page_once_under_its_one_address(
    reader: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "SITEMAP_SIZE", 10)
    parts = locations(reader, "/sitemap.xml")
    assert parts == [f"/sitemap-{number}.xml" for number in range(4)]
    found = [locations(reader, part) for part in parts]
    assert found[0] == [
        "/",
        "/new",
        "/good",
        "/groups",
        "/g/python",
        "/g/redis",
        "/g/%E7%BC%96%E7%A8%8B",
        "/about",
        "/log",
    ]
    assert found[1:] == [
        [f"/a/{id}" for id in (1, *range(3, 12))],
        [f"/a/{id}" for id in range(12, 22)],
        [f"/a/{id}" for id in range(22, 28)],
    ]
    for address in (*found[0], "/a/1"):
        assert reader.open(unquote(address)).status == 200, address
        assert reader.page.one("link", rel="canonical")["href"] == f"http://localhost{address}"


def test_parts_that_are_not_there_are_404(reader: Browser) -> None:
    assert reader.open("/sitemap-1.xml").status == 200
    for number in ("2", "50000", "9" * 30, "-1", "x"):
        assert reader.open(f"/sitemap-{number}.xml").status == 404, number


def test_an_empty_site_has_a_sitemap_of_its_lists(reader: Browser, fake_store: Store) -> None:
    fake_store.connection.client.flushall()
    assert locations(reader, "/sitemap.xml") == ["/sitemap-0.xml"]
    assert locations(reader, "/sitemap-0.xml") == ["/", "/new", "/good", "/groups", "/about", "/log"]


def test_another_programs_members_are_left_out(reader: Browser, fake_store: Store) -> None:
    fake_store.connection.command("ZADD", "time:", "1", "thing:\u0001<1>")
    fake_store.connection.command("SADD", "groups:", "a<&\u0001b")
    assert locations(reader, "/sitemap-1.xml")[0] == "/a/1"
    assert "/g/a%3C%26%01b" in locations(reader, "/sitemap-0.xml")


def test_each_part_is_one_bounded_read(reader: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []
    pipeline = Connection.pipeline

    def watched(self: Connection, commands: list[tuple[object, ...]]) -> object:
        asked.extend(commands)
        return pipeline(self, commands)

    monkeypatch.setattr(Connection, "pipeline", watched)
    for address in ("/sitemap.xml", "/sitemap-1.xml", "/sitemap-49999.xml"):
        reader.open(address, headers={"Accept": "application/json"})
    first, second, last = asked[:3]
    assert first == ("ZCARD", "time:")
    assert second == ("ZRANGE", "time:", 0, 9_999)
    assert last == ("ZRANGE", "time:", 499_980_000, 499_989_999)


def test_a_list_with_all_this_stays_light(reader: Browser) -> None:
    for address in ("/", "/g/python+redis"):
        page = reader.open(address).answer.data
        assert len(page) <= 30_000, address
        assert len(gzip.compress(page)) <= 8_000, address
