"""What people wrote is shown as they wrote it and never becomes markup, on any page, whoever wrote it."""

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.dom import Element
from voteweb.core.models import Draft
from voteweb.store import Store

EVIL = "\"'></title></textarea><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}"
PLACES = ["/", "/new", "/good", "/groups", "/g/python", "/g/python/new", "/g/python+redis", "/u/ann", "/a/1", "/a/2"]
TEXT = f"""{EVIL}

[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example) <a href="javascript:alert(1)" onclick="x">d</a>
![e](https://evil.example/x.png) <https://example.com/?"onmouseover=alert(1)> <style>*{{display:none}}</style>
<iframe src="https://evil.example"></iframe> <form action="https://evil.example"><input name="csrf_token"></form>
"""
OURS = {"name", "content", "charset", "lang", "class", "id", "href", "rel", "type", "src", "role", "datetime", "title"}
OURS |= {"tabindex", "aria-label", "aria-labelledby", "aria-live", "aria-current", "aria-pressed", "aria-hidden", "dir"}
OURS |= {"action", "method", "value", "form", "formaction", "list", "autocomplete", "placeholder", "start", "open"}
OURS |= {
    "data-vote",
    "data-votes",
    "data-status",
    "data-counted",
    "data-taken",
    "for",
    "aria-describedby",
    "aria-invalid",
}
OURS |= {"property", "alt", "width", "height", "hidden", "data-keys", "data-keys-open", "hreflang"}
OURS |= {
    "novalidate",
    "maxlength",
    "required",
    "rows",
    "checked",
    "inputmode",
    "autocapitalize",
    "spellcheck",
    "target",
}


def assert_harmless(page: Element) -> None:
    """Fail if the page holds any element, attribute or address that we do not write ourselves."""
    (script,) = page.all("script")
    assert script["src"].startswith("/static/site.js?v=")
    for each in page:
        assert each.tag not in ("iframe", "style", "object", "embed", "svg", "base")
        if each.tag == "img":
            assert each["src"].startswith("/static/icon.svg?v=")
        assert set(each.attrs) <= OURS, each.attrs
        for name in ("href", "action", "formaction"):
            assert each.attrs.get(name, "/").startswith(("/", "#", "http://", "https://")), each.attrs
            assert not each.attrs.get(name, "/").startswith("//"), each.attrs
        if each.tag in ("form", "button"):
            assert "evil" not in each.attrs.get("action", "") + each.attrs.get("formaction", "")


@pytest.fixture(autouse=True)
def evil_articles(fake_store: Store) -> None:
    """A link and a text, both good, with evil in everything that can hold it."""
    for name in ("python", "redis"):
        factories.group(fake_store, name, EVIL[:60], EVIL)
    link = 'https://example.com/?"><script>alert(1)</script>'
    factories.imported(fake_store, title=EVIL, link=link, groups=("python", "redis"), votes=300)
    poster = factories.user(fake_store, "ann")
    fake_store.articles.post(Draft(EVIL, "", TEXT, ("python", "redis")), poster, "0123456789")


@pytest.mark.parametrize("place", PLACES)
def test_every_page_is_harmless_for_everybody(place: str, reader: Browser, bob: Browser, mod: Browser) -> None:
    for person in (reader, bob, mod):
        assert person.open(place).status == 200
        assert_harmless(person.page)


def test_titles_are_shown_as_written(reader: Browser) -> None:
    assert reader.open("/a/1").heading == EVIL
    assert reader.page.one("title").words == f"{EVIL} · voteweb"
    assert [each.words for each in reader.open("/new").page.all("a", class_="title")] == [EVIL, EVIL]
    assert reader.page.one("button", class_="vote").words == f"Vote for “{EVIL}”. Votes: 1"
    assert reader.open("/groups").page.all("h2")[0].words == EVIL[:60].strip()


def test_a_text_keeps_its_words_but_none_of_its_markup(reader: Browser) -> None:
    text = reader.open("/a/2").page.one("div", class_="text")
    assert {each.tag for each in text} <= {"div", "p", "a"}
    assert "<script>alert(1)</script>" in text.words
    links = text.all("a")
    assert links
    assert all(each["rel"] == "nofollow ugc noopener" for each in links if "href" in each)


@pytest.mark.parametrize(
    "address", ["/g/{}", "/u/{}", "/{}", "/login?next={}", "/signup?next=/{}", "/?page={}", "/new?x={}"]
)
def test_an_address_is_never_markup(address: str, reader: Browser) -> None:
    reader.open(address.format(EVIL.replace("#", "%23").replace("?", "%3F")))
    assert reader.status in (200, 404)
    assert_harmless(reader.page)


def test_what_is_typed_into_forms_is_never_markup(reader: Browser, bob: Browser, mod: Browser) -> None:
    bob.open("/submit").submit("/submit", title=EVIL * 9, link=EVIL, text=EVIL, groups=[EVIL])
    reader.open("/login").submit("/login", username=EVIL, password=EVIL)
    mod.open("/groups/new").submit("/groups/new", name=EVIL, title=EVIL * 9, description=EVIL)
    for person in (bob, reader, mod):
        assert person.status == 422
        assert_harmless(person.page)
    assert bob.page.one("textarea").raw.removeprefix("\n") == EVIL
    reader.open("/signup").submit("/signup", username=EVIL, password=EVIL)
    mod.open("/new").submit("/a/1/groups", add=EVIL, remove=[EVIL])
    for person in (reader, mod):
        assert_harmless(person.page)
        assert person.status in (400, 422)
