"""Search engines and sharing: canonical addresses, descriptions, robots.txt and the sitemap."""

from urllib.parse import unquote
from urllib.robotparser import RobotFileParser
from xml.etree import ElementTree

import pytest

from tests import factories
from tests.store.thread_data import node, write_thread
from tests.web.browser import Browser
from tests.web.conftest import Clock, MakeBrowser, MakeMember
from voteweb.core import config
from voteweb.core.models import Role
from voteweb.store import Store
from voteweb.store.connection.connection import Connection

SITEMAPS = "{http://www.sitemaps.org/schemas/sitemap/0.9}"

# A requested address and its canonical one.
CANONICAL = [
    ("/", "/"),
    ("/?utm_source=x&fbclid=y", "/"),
    ("/?page=2", "/?page=2"),
    ("/new?page=2&x=1", "/new?page=2"),
    ("/good?page=7", "/good"),
    ("/groups?x", "/groups"),
    ("/g/python?page=2#a1", "/g/python?page=2"),
    ("/g/Redis+python+redis/new", "/g/python+redis/new"),
    ("/g/编程", "/g/%E7%BC%96%E7%A8%8B"),
    ("/top?of=week&page=1&x=1", "/top?of=week"),
    ("/a/001?why", "/a/1"),
    ("/a/1?page=1", "/a/1"),
    ("/a/3?page=2", "/a/3?page=2"),
    ("/u/ANN?page=2", "/u/ann?page=2"),
    ("/about?x=<y>", "/about"),
    ("/log?who=&kind=", "/log"),
]
HIDDEN = [
    ("/login", 200), ("/?page=99", 404), ("/u/nobody-here", 404), ("/a/2", 410), ("/a/3?order=time", 200),
    ("/a/3?page=6", 404), ("/a/3/c/1", 200), ("/log?who=mod", 200), ("/log?kind=remove", 200), ("/search?q=lua", 200),
]  # fmt: skip


@pytest.fixture(autouse=True)
def articles(store: Store) -> None:
    """Twenty-six articles of ann's in two groups, the second removed, a long conversation, and an empty group."""
    for name in ("python", "redis", "编程"):
        factories.group(store, name)
    for i in range(1, 28):
        link = f"https://www.example.com/{i}"
        factories.article(store, title=f"Article {i}", link=link, groups=("python", "redis"))
    factories.remove(store, 2, "no")
    write_thread(store, 3, [node(number) for number in range(1, 111)])


def meta(browser: Browser, name: str) -> str:
    """Return the content of the page's meta element *name*."""
    kind = "property" if name.startswith("og:") else "name"
    return browser.page.one("meta", **{kind: name})["content"]


def locations(browser: Browser, address: str) -> list[str]:
    """Return the addresses in a part of the sitemap, or in the list of its parts."""
    browser.open(address)
    assert (browser.status, browser.response.mimetype) == (200, "application/xml")
    assert browser.headers["Cache-Control"] == "public, max-age=3600, s-maxage=1"
    locations = ElementTree.fromstring(browser.response.data).findall(f"*/{SITEMAPS}loc")
    return [(location.text or "").removeprefix("http://localhost") for location in locations]


def test_every_page_has_one_canonical_address(reader: Browser) -> None:
    for address, canonical in CANONICAL:
        reader.open(address).follow()
        assert reader.page.one("link", rel="canonical")["href"] == f"http://localhost{canonical}", address
        assert not reader.page.all("meta", name="robots"), address


def test_canonical_address_is_at_the_public_site(make_browser: MakeBrowser) -> None:
    browser = make_browser(site_url="https://news.example/")
    assert browser.open("/new?page=2").page.one("link", rel="canonical")["href"] == "https://news.example/new?page=2"
    assert "Sitemap: https://news.example/sitemap.xml" in browser.open("/robots.txt").text


def test_pages_that_are_not_for_search_engines_say_so(reader: Browser) -> None:
    for address, status in HIDDEN:
        assert reader.open(address).status == status, address
        assert meta(reader, "robots") == "noindex", address
        assert not reader.page.all("link", rel="canonical"), address


@pytest.mark.parametrize(
    ("fields", "description"),
    [
        ({"link": "https://www.example.com/a", "groups": ("redis", "编程")}, "1 vote · example.com · redis, 编程"),
        ({"text": '# One\n\n**two** <b>"three"</b>\n- [four](https://a.example)'}, 'One two <b>"three"</b> four'),
        ({"text": "word " * 100}, "word " * 30 + "word…"),
    ],
)
def test_article_is_described_by_its_text_or_its_numbers(
    fields: dict[str, str], description: str, reader: Browser, store: Store
) -> None:
    title = 'On "quotes" & <tags>'
    id = factories.article(store, **({"title": title, "link": "", "text": ""} | fields)).id
    reader.open(f"/a/{id}")
    assert meta(reader, "description") == meta(reader, "og:description") == description
    assert (meta(reader, "og:title"), meta(reader, "og:type")) == (f"{title} · voteweb", "article")


def test_every_list_has_its_own_description(reader: Browser, store: Store) -> None:
    store.groups.change("python", "Python", "The language & its snakes.")
    descriptions = set()
    addresses = "/ /new /good /groups /g/python /g/redis /g/python+redis /u/ann /about /log".split()
    for address in addresses:
        reader.open(address)
        descriptions.add(meta(reader, "description"))
    assert len(descriptions) == len(addresses)
    assert "The language & its snakes." in descriptions


def test_robots_txt_excludes_personal_pages(reader: Browser) -> None:
    reader.open("/robots.txt")
    robots = RobotFileParser()
    robots.parse(reader.text.splitlines())
    assert robots.site_maps() == ["http://localhost/sitemap.xml"]
    for _, address in CANONICAL:
        assert robots.can_fetch("*", f"http://localhost{address}"), address
    personal = "/login?next=/a/1 /signup /account/data /queue /reset/x /log?who=mod /log?kind=ban /search?q=x".split()
    for address in personal:
        assert not robots.can_fetch("*", f"http://localhost{address}"), address


def test_sitemap_has_every_canonical_address_once(reader: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SITEMAP_SIZE", 10)
    parts = locations(reader, "/sitemap.xml")
    assert parts == [f"/sitemap-{number}.xml" for number in range(4)]
    lists, *articles = (locations(reader, part) for part in parts)
    assert lists == "/ /new /good /groups /g/python /g/redis /g/%E7%BC%96%E7%A8%8B /about /rules /privacy /log".split()
    assert articles == [
        [f"/a/{id}" for id in (1, *range(3, 12))],
        [f"/a/{id}" for id in range(12, 22)],
        [f"/a/{id}" for id in range(22, 28)],
    ]
    for address in (*lists, "/a/1"):
        assert reader.open(unquote(address)).status == 200, address
        assert reader.page.one("link", rel="canonical")["href"] == f"http://localhost{address}"


def test_unknown_part_of_the_sitemap_is_404(reader: Browser) -> None:
    for number in ("2", "50000", "x"):
        assert reader.open(f"/sitemap-{number}.xml").status == 404, number


def test_sitemap_quotes_the_name_of_any_group(reader: Browser, store: Store) -> None:
    store.connection.command("SADD", "groups:", "a<&\u0001b")
    assert "/g/a%3C%26%01b" in locations(reader, "/sitemap-0.xml")


def test_every_sitemap_part_is_one_trip_of_bounded_reads(reader: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    trips: list[list[tuple[object, ...]]] = []
    run = Connection.run

    def record(self: Connection, commands: list[tuple[object, ...]], **options: object) -> object:
        if ("TIME",) not in commands:  # the switches of the site, read once a second
            trips.append(commands)
        return run(self, commands, **options)

    monkeypatch.setattr(Connection, "run", record)
    for address in ("/sitemap.xml", "/sitemap-1.xml", "/sitemap-49999.xml"):
        reader.open(address, headers={"Accept": "application/json"})
    index, first, last = trips[:3]
    assert index == [("ZCARD", "time:")]
    assert first == [("ZRANGE", "time:", at, at + 499) for at in range(0, 10_000, 500)]
    assert last[-1] == ("ZRANGE", "time:", 499_989_500, 499_989_999)


def test_ai_crawlers_are_unwelcome_while_the_switch_is_off(
    reader: Browser, make_member: MakeMember, switch_clock: Clock
) -> None:
    root = make_member("root", Role.ADMIN)

    def may_read(agent: str, path: str = "/a/1") -> bool:
        switch_clock.now += 1
        parser = RobotFileParser()
        parser.parse(reader.open("/robots.txt").text.splitlines())
        return parser.can_fetch(agent, path)

    assert may_read("GPTBot/1.2")
    for value, welcome in (("off", False), ("", True)):
        root.send("/admin/ai-crawlers", value=value)
        assert [may_read(agent) for agent in ("GPTBot/1.2", "ClaudeBot", "Kangaroo Bot")] == [welcome] * 3
        assert may_read("Googlebot")
        assert may_read("Applebot")
        assert not may_read("Googlebot", "/login")
