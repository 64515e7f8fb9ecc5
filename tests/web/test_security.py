"""The hosts that the site answers for, headers that name another host, and cookies."""

import pytest

from tests import factories
from tests.web.browser import JSON
from tests.web.conftest import MakeBrowser
from voteweb.store import Store

SITE = "https://news.example"
ADDRESSES = ["/", "/a/1", "/login", "/nowhere", "/feed.atom", "/robots.txt", "/static/site.css", "/a/1/vote"]
OTHER_HOSTS = ["evil.example:443", "news.example.evil.example", "www.news.example", "[::1]", "news.example."]


@pytest.mark.parametrize("host", OTHER_HOSTS)
def test_request_for_another_host_is_refused_with_the_sites_own(host: str, make_browser: MakeBrowser) -> None:
    reader = make_browser(site_url=SITE)
    for address in ADDRESSES:
        reader.open(address, headers={"Host": host})
        assert reader.status == 421
        assert reader.heading == "Wrong address"
        assert reader.intro == f"This site is at {SITE}."
        assert reader.page.one("main").one("a", class_="button-secondary")["href"] == SITE
        assert reader.headers["Cache-Control"] == "private, no-store"
        assert "evil" not in reader.text
    reader.open("/", headers={"Host": host} | JSON)
    assert (reader.status, reader.json["error"]["code"]) == (421, "misdirected-request")
    reader.post("/login", {"username": "ann", "password": "x"}, headers={"Host": host})
    assert (reader.status, "Set-Cookie" in reader.headers) == (421, False)


def test_own_host_is_accepted_however_spelled_and_any_for_health(make_browser: MakeBrowser) -> None:
    reader = make_browser(site_url=SITE)
    for host in ("NEWS.example", "news.example:8443"):
        assert reader.open("/", headers={"Host": host}).status == 200
    for host in ("pod-17:8000", "evil.example"):
        assert reader.open("/healthz", headers={"Host": host}).status == 200
        assert "evil" not in reader.text
        assert make_browser().open("/", headers={"Host": host}).status == 200, "a site without an address"


@pytest.mark.parametrize("proxies", [0, 1])
@pytest.mark.parametrize(("site_url", "scheme"), [("", "http"), ("http://localhost", "http"), (SITE, "https")])
def test_no_header_sets_scheme_or_host(site_url: str, scheme: str, proxies: int, make_browser: MakeBrowser) -> None:
    reader = make_browser(site_url=site_url, trusted_proxies=proxies)
    reader.site = reader.site.replace("https", "http")  # as the proxy asks
    names = ("X-Forwarded-Host", "X-Host", "X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Scheme")
    claims = {
        **dict.fromkeys(names, "evil.example"), "Forwarded": "host=evil.example;proto=evil",
        "X-Forwarded-Proto": "evil",
    }  # fmt: skip
    text = reader.open("/feed.atom", headers=claims).text
    assert f'rel="self" type="application/atom+xml" href="{scheme}://' in text
    assert "evil" not in text + reader.open("/about", headers=claims).text


@pytest.mark.parametrize(
    ("site_url", "site", "is_secure", "names"),
    [
        (SITE, "", True, {"__Host-voteweb", "__Secure-known", "language", "notice"}),
        ("", "", False, {"voteweb", "known", "language", "notice"}),
        (SITE, "a-b", True, {"__Host-voteweb-a-b", "__Secure-known-a-b", "language", "notice"}),
    ],
)
def test_every_cookie_is_confined(
    site_url: str, site: str, is_secure: bool, names: set[str], make_browser: MakeBrowser, store: Store
) -> None:
    factories.article(store)
    reader = make_browser(site_url=site_url, site=site)
    cookies = []
    for action, fields in (("/language", {"language": "zh"}), ("/signup", {"username": "carl", "password": "x" * 8})):
        reader.open("/signup").submit(action, **fields)
        cookies += reader.headers.getlist("Set-Cookie")
    cookies += reader.open("/").press("/a/1/vote").headers.getlist("Set-Cookie")
    assert {cookie.partition("=")[0] for cookie in cookies} == names
    for cookie in cookies:
        attributes = set(cookie.split("; ")[1:])
        assert {"HttpOnly", "SameSite=Lax"} <= attributes
        assert ("Secure" in attributes) is is_secure
        assert not [name for name in attributes if name.startswith("Domain")]
        assert ("Path=/login" if "known" in cookie.partition("=")[0] else "Path=/") in attributes
        assert [name for name in attributes if name.startswith(("Expires", "Max-Age"))]
