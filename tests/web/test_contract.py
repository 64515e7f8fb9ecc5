"""The addresses and methods of the contract, and what each of three people gets there."""

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import PASSWORD, Browser
from tests.web.state import TOKEN, know_token
from voteweb.core.models import LogAction
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

#: Feeds and lists of addresses: the same for everybody, so that anybody may keep them.
FOR_MACHINES = """/log.atom /feed.atom /feed.json /new.atom /new.json /good.atom /g/python.atom /g/python+redis.json
/g/python/new.atom /u/ann.atom /u/ann.json /log.json /groups.opml
/robots.txt /sitemap.xml /sitemap-0.xml /sitemap-1.xml""".split()
# Address, then what a reader, a member and a moderator get.
PAGES = [
    ("/", 200, 200, 200),
    ("/?page=1", 200, 200, 200),
    ("/new", 200, 200, 200),
    ("/good", 200, 200, 200),
    ("/groups", 200, 200, 200),
    ("/g/python", 200, 200, 200),
    ("/g/python/new", 200, 200, 200),
    ("/g/python+redis", 200, 200, 200),
    ("/g/python+redis/new", 200, 200, 200),
    ("/g/编程", 200, 200, 200),
    ("/a/1", 200, 200, 200),
    ("/a/1/edit", 303, 200, 200),
    ("/a/2/edit", 303, 403, 200),
    ("/a/3", 410, 410, 200),
    ("/reports", 303, 403, 200),
    ("/log", 200, 200, 200),
    *((address, 200, 200, 200) for address in FOR_MACHINES),
    ("/submit", 303, 200, 200),
    ("/u/ann", 200, 200, 200),
    ("/account", 303, 200, 200),
    ("/account/data", 303, 200, 200),
    ("/invitations", 303, 403, 403),
    (f"/reset/{TOKEN}", 200, 200, 200),
    ("/reset/another", 410, 410, 410),
    ("/about", 200, 200, 200),
    ("/healthz", 200, 200, 200),
    ("/metrics", 404, 404, 404),
    ("/signup", 200, 303, 303),
    ("/login", 200, 303, 303),
    ("/groups/new", 303, 403, 200),
    ("/g/python/edit", 303, 403, 200),
    ("/static/site.css", 200, 200, 200),
    ("/nowhere", 404, 404, 404),
]
ADDRESSES = [address for address, *_ in PAGES]
NO_HTML = ("/healthz", "/static/site.css", "/account/data", *FOR_MACHINES)
#: What holds a reader's token, or must be asked for again.
NOT_KEPT = ("/login", "/signup", "/healthz", "/nowhere", "/metrics", "/a/3", f"/reset/{TOKEN}", "/reset/another")

# Address and fields, then what a reader (without a token), a member and a moderator (with theirs) get.
POSTS = [
    ("/a/2/vote", {}, 303, 303, 303),
    ("/a/2/unvote", {}, 303, 303, 303),
    ("/submit", {"title": "A title", "link": "https://example.com", "anyway": "1"}, 422, 303, 303),
    ("/a/1/edit", {"title": "Another", "link": "https://example.com"}, 422, 303, 303),
    ("/a/1/delete", {}, 303, 303, 410),
    ("/a/2/report", {"reason": "spam"}, 303, 303, 303),
    ("/a/2/dismiss", {}, 303, 403, 303),
    ("/a/2/remove", {"reason": "Spam."}, 303, 403, 303),
    ("/a/3/restore", {}, 303, 403, 303),
    ("/log/1/undo", {}, 303, 403, 303),
    ("/a/2/groups", {"add": "python"}, 303, 403, 303),
    ("/groups/new", {"name": "go", "title": "Go"}, 303, 403, 303),
    ("/g/python/edit", {"title": "Python 4"}, 303, 403, 303),
    # It asks for no token: it changes nothing but a cookie of the sender's own.
    ("/language", {"language": "zh"}, 303, 303, 303),
    ("/signup", {"username": "carl", "password": "long enough"}, 422, 303, 303),
    ("/login", {"username": "ann", "password": "whatever"}, 422, 303, 303),
    ("/logout", {}, 400, 303, 303),
    ("/u/zoe/ban", {"reason": "Spam."}, 303, 403, 303),
    ("/u/zoe/unban", {}, 303, 403, 303),
    ("/u/zoe/role", {"role": "moderator"}, 303, 403, 403),
    ("/account", {"old": PASSWORD, "new": "another password"}, 303, 303, 303),
    ("/account/logout-everywhere", {}, 303, 303, 303),
    ("/account/delete", {"password": PASSWORD, "articles": "keep"}, 303, 303, 303),
    ("/invitations", {}, 303, 403, 403),
    (f"/invitations/{TOKEN}/revoke", {}, 303, 404, 303),
    (f"/reset/{TOKEN}", {"new": "another password"}, 422, 303, 410),
]


@pytest.fixture(autouse=True)
def articles(fake_store: Store) -> None:
    """An article of ann's in two groups, one of zoe's in none, one that mod removed; an empty group; links."""
    factories.article(fake_store, groups=("python", "redis"))
    factories.article(fake_store, factories.user(fake_store, "zoe"))
    factories.group(fake_store, "编程")
    factories.article(fake_store, factories.user(fake_store, "yan"))
    fake_store.removals.remove(3, NewLogEntry(LogAction.REMOVE, "mod", article=3, why="Off topic."))
    know_token(fake_store)


@pytest.mark.parametrize(("address", "reader_gets", "member_gets", "moderator_gets"), PAGES)
def test_each_person_gets_the_right_status(
    address: str, reader_gets: int, member_gets: int, moderator_gets: int, reader: Browser, ann: Browser, mod: Browser
) -> None:
    statuses = [person.open(address).status for person in (reader, ann, mod)]
    assert statuses == [reader_gets, member_gets, moderator_gets]


@pytest.mark.parametrize(("address", "fields", "reader_gets", "member_gets", "moderator_gets"), POSTS)
def test_each_person_may_send_what_the_contract_says(
    address: str,
    fields: dict[str, str],
    reader_gets: int,
    member_gets: int,
    moderator_gets: int,
    reader: Browser,
    ann: Browser,
    mod: Browser,
) -> None:
    statuses = [reader.post(address, fields).status]
    for person in (ann, mod):
        statuses.append(person.post(address, fields | {"csrf_token": person.token()}).status)
    assert statuses == [reader_gets, member_gets, moderator_gets]


@pytest.mark.parametrize("address", ["/a/1/vote", "/a/1/groups", "/a/1/remove", "/u/ann/ban", "/log/1/undo", "/logout"])
def test_what_is_sent_by_a_button_cannot_be_opened(address: str, reader: Browser, mod: Browser) -> None:
    for person in (reader, mod):
        assert person.open(address).status == 405
        assert set(person.answer.headers["Allow"].split(", ")) == {"OPTIONS", "POST"}
        assert person.heading == "Not like this"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_no_other_method_is_taken(method: str, reader: Browser) -> None:
    for address in ADDRESSES:
        reader.answer = reader.client.open(address, method=method)
        assert reader.status == (404 if address == "/nowhere" else 405), address


def test_a_readers_page_can_be_cached(reader: Browser) -> None:
    for address in (each for each in ADDRESSES if each not in NOT_KEPT):
        reader.open(address)
        assert "Set-Cookie" not in reader.answer.headers, address
        assert "no-store" not in reader.answer.headers.get("Cache-Control", "")
        assert "csrf" not in reader.answer.text


@pytest.mark.parametrize("address", ["/login", "/signup", f"/reset/{TOKEN}"])
def test_a_page_with_a_readers_token_is_never_stored(address: str, reader: Browser) -> None:
    reader.open(address)
    assert "Set-Cookie" in reader.answer.headers
    assert reader.page.one("input", name="csrf_token")["value"]
    assert reader.answer.headers["Cache-Control"] == "private, no-store"


def test_a_members_page_is_never_stored(mod: Browser) -> None:
    for address in (each for each in ADDRESSES if each not in ("/healthz", "/static/site.css", *FOR_MACHINES)):
        assert mod.open(address).answer.headers["Cache-Control"] == "private, no-store", address


def test_every_answer_is_confined_to_our_own_files(mod: Browser) -> None:
    for address in ADDRESSES:
        headers = mod.open(address).answer.headers
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == "'none'", address
        assert {policy[name] for name in ("script-src", "style-src", "form-action")} == {"'self'"}
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize("address", [address for address in ADDRESSES if address not in NO_HTML])
def test_every_page_has_one_heading_one_title_and_names_for_its_fields(
    address: str, reader: Browser, mod: Browser
) -> None:
    for person in (reader, mod):
        if person.open(address).status == 303:
            continue
        page = person.page
        assert page.one("h1").words
        assert page.one("head").one("title").words.endswith(" · voteweb")
        assert page.one("main")["id"] == page.one("a", class_="skip")["href"].removeprefix("#")
        labelled = {each["for"] for each in page.all("label") if "for" in each}
        for field in (
            each
            for each in page
            if each.tag in ("input", "textarea") and each.attrs.get("type") != "hidden" and "hidden" not in each
        ):
            inside = any(field in label.children for label in page.all("label"))
            assert inside or field["id"] in labelled, field.attrs
        assert all(button.words for button in page.all("button"))
        assert not page.all("style")
        assert all("style" not in each.attrs for each in page)


def test_this_table_names_every_address_of_the_site(app: Flask) -> None:
    """A new address belongs into the tables above."""
    match = app.url_map.bind("localhost").match
    tried = {match(address.partition("?")[0], "GET")[0] for address in ADDRESSES if address != "/nowhere"}
    tried |= {match(address, "POST")[0] for address, *_ in POSTS}
    assert {rule.endpoint for rule in app.url_map.iter_rules()} == tried
