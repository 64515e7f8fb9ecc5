"""The door: only the site's own host is answered for, and every answer is locked down."""

from dataclasses import replace

import pytest

from tests import factories
from tests.web.browser import JSON, Browser
from voteweb.app import create_app
from voteweb.core.config import Settings
from voteweb.store import Store

ADDRESSES = [
    "/",
    "/a/1",
    "/login",
    "/nowhere",
    "/feed.atom",
    "/robots.txt",
    "/static/site.css",
    "/healthz",
    "/a/1/vote",
]
FIXED = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def site_at(url: str, settings: Settings, store: Store) -> Browser:
    """Return a browser for a site whose public address is *url*."""
    return Browser(create_app(replace(settings, site_url=url), store))


@pytest.mark.parametrize(
    "host",
    [
        *(
            "evil.example",
            "evil.example:443",
            "news.example.evil.example",
            "www.news.example",
            "127.0.0.1:8000",
            "[::1]",
        ),
        *("news.example.", "news.example@evil.example", "evil.example#news.example", "news.example/", " ", "a b", ""),
    ],
)
def test_another_host_is_told_the_sites_own(host: str, settings: Settings, fake_store: Store) -> None:
    reader = site_at("https://news.example", settings, fake_store)
    for address in (each for each in ADDRESSES if each != "/healthz"):
        reader.open(address, headers={"Host": host})
        assert reader.status == 421
        assert reader.heading == "Another address"
        assert reader.page.one("p", class_="lead").words == "This site is at https://news.example."
        assert reader.page.one("main").one("a", class_="call")["href"] == "https://news.example"
        assert reader.answer.headers["Cache-Control"] == "private, no-store"
        assert "evil" not in reader.answer.text
    reader.open("/", headers={"Host": host} | JSON)
    assert (reader.status, reader.answer.json["error"]["code"]) == (421, "misdirectedrequest")
    reader.post("/login", {"username": "ann", "password": "x"}, headers={"Host": host})
    assert (reader.status, "Set-Cookie" in reader.answer.headers) == (421, False)


@pytest.mark.parametrize("host", ["news.example", "NEWS.example", "news.example:443", "news.example:8443"])
def test_the_sites_own_host_is_answered_for_whatever_its_case_and_port(
    host: str, settings: Settings, fake_store: Store
) -> None:
    assert site_at("https://news.example", settings, fake_store).open("/", headers={"Host": host}).status == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "pod-17:8000", "evil.example"])
def test_a_monitor_may_ask_by_any_name(host: str, settings: Settings, fake_store: Store) -> None:
    reader = site_at("https://news.example", settings, fake_store)
    assert reader.open("/healthz", headers={"Host": host}).status == 200
    assert "evil" not in reader.answer.text


def test_a_site_without_an_address_of_its_own_answers_for_every_host(reader: Browser) -> None:
    for host in ("evil.example", "127.0.0.1:8000", "", "a b"):
        assert reader.open("/", headers={"Host": host}).status == 200


@pytest.mark.parametrize("header", ["X-Forwarded-Host", "X-Host", "Forwarded", "X-Original-URL", "X-Rewrite-URL"])
@pytest.mark.parametrize("proxies", [0, 1])
def test_no_other_header_says_which_host_was_asked_for(
    header: str, proxies: int, settings: Settings, fake_store: Store
) -> None:
    reader = Browser(create_app(replace(settings, trusted_proxies=proxies), fake_store))
    reader.open("/about", headers={header: "host=evil.example" if header == "Forwarded" else "evil.example"})
    assert reader.status == 200
    assert "evil" not in reader.answer.text


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("person", ["reader", "mod"])
def test_every_answer_is_locked_down(
    address: str, person: str, request: pytest.FixtureRequest, fake_store: Store
) -> None:
    factories.article(fake_store)
    headers = request.getfixturevalue(person).open(address).answer.headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert {name: headers[name] for name in FIXED} == FIXED
    assert headers["Permissions-Policy"].count("=()") == len(headers["Permissions-Policy"].split(", ")) > 5
    for_everybody = address in ("/feed.atom", "/robots.txt", "/static/site.css")
    assert headers["Cross-Origin-Resource-Policy"] == ("cross-origin" if for_everybody else "same-origin")
    assert "Server" not in headers
    assert "Strict-Transport-Security" not in headers


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_site_under_https_is_never_asked_without_it_again(
    address: str, settings: Settings, fake_store: Store
) -> None:
    reader = site_at("https://news.example", settings, fake_store)
    assert reader.open(address).answer.headers["Strict-Transport-Security"] == "max-age=31536000"


def test_static_files_are_the_same_for_everybody(mod: Browser, reader: Browser) -> None:
    for person in (mod, reader):
        headers = person.open("/static/site.css").answer.headers
        assert "Vary" not in headers
        assert "Set-Cookie" not in headers


def test_every_cookie_is_confined(settings: Settings, fake_store: Store) -> None:
    factories.article(fake_store)
    for url, secure in (("https://news.example", True), ("", False)):
        reader = site_at(url, settings, fake_store)
        made = reader.open("/").submit("/language", language="zh").answer.headers.getlist("Set-Cookie")
        reader.open("/signup").submit("/signup", username=f"name{secure}", password="long enough")
        made += reader.answer.headers.getlist("Set-Cookie")
        made += reader.open("/").press("/a/1/vote").answer.headers.getlist("Set-Cookie")
        assert {each.partition("=")[0] for each in made} == {"voteweb", "known", "language", "notice"}
        for each in made:
            attributes = set(each.split("; ")[1:])
            assert {"HttpOnly", "SameSite=Lax"} <= attributes
            assert ("Secure" in attributes) is secure
            assert not [name for name in attributes if name.startswith("Domain")]
