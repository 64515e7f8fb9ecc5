"""User text is shown as it was typed and never becomes markup, on any page."""

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.escaping import EVIL, assert_harmless
from tests.web.fixed_index import FixedIndex
from voteweb.core.comments import CommentId
from voteweb.core.models import DomainAction, Draft, LogAction, Reason
from voteweb.core.my_site import Hidden, HiddenKind
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry

PATHS = ["/", "/new", "/good", "/groups", "/g/python", "/g/python/new", "/g/python+redis", "/u/ann", "/a/1", "/a/2"]
PATHS += ["/search?q=script", "/search?q=script+in:comments", "/search?q=%22%3E%3Cscript%3E+by:%3Cb%3E"]
PATHS += ["/d/example.com", "/top", "/g/python/top"]
PATHS += ["/a/2?order=new", "/a/2/c/1", "/a/2/c/2", "/comments", "/u/mod/comments"]
TEXT = f"""{EVIL}

[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example) <a href="javascript:alert(1)" onclick="x">d</a>
![e](https://evil.example/x.png) <https://example.com/?"onmouseover=alert(1)> <style>*{{display:none}}</style>
<iframe src="https://evil.example"></iframe> <form action="https://evil.example"><input name="csrf_token"></form>
"""


@pytest.fixture(autouse=True)
def evil_articles(store: Store, index: FixedIndex) -> None:
    """A link and a text, one of them good, with hostile text in every field."""
    for name in ("python", "redis"):
        factories.group(store, name, EVIL[:60], EVIL)
    link = 'https://example.com/?"><script>alert(1)</script>'
    factories.imported(store, title=EVIL, link=link, groups=("python", "redis"), votes=300)
    poster = factories.user(store, "ann")
    store.articles.post(Draft(EVIL, "", TEXT, ("python", "redis")), poster, "0123456789")
    factories.comment(store, 2, factories.user(store, "mod"), text=TEXT)
    factories.comment(store, 2, factories.user(store, "bob"), parent=1, text=f"@mod {TEXT}")
    index.articles, index.comments = (2, 1), (CommentId(2, 1), CommentId(2, 2))


@pytest.mark.parametrize("path", PATHS)
def test_every_page_is_harmless_for_everybody(path: str, reader: Browser, bob: Browser, mod: Browser) -> None:
    for person in (reader, bob, mod):
        assert person.open(path).status == 200
        assert_harmless(person.page)


def test_what_a_member_chose_is_harmless(bob: Browser, store: Store) -> None:
    user = store.users.get("bob")
    store.my_sites.follow("python", user)
    for id in (1, 2):
        store.my_sites.save(id, user)
    for path in ("/my", "/my/new", "/saved"):
        assert EVIL in bob.open(path).page.text
        assert_harmless(bob.page)
    for kind, name in ((HiddenKind.ARTICLE, "2"), (HiddenKind.GROUP, "redis"), (HiddenKind.MEMBER, "mod")):
        store.my_sites.hide(Hidden(kind, name), user)
    for path in ("/hidden", "/a/1", "/a/2", "/g/redis", "/u/mod", "/my"):
        assert_harmless(bob.open(path).page)


def test_pages_for_moderators_are_harmless(mod: Browser) -> None:
    for path in ("/sort?of=all", "/members", "/queue", "/g/python/edit"):
        assert_harmless(mod.open(path).page)


def test_inbox_is_harmless(mod: Browser) -> None:
    assert mod.open("/inbox").page.all("div", class_="text")
    assert_harmless(mod.page)


def test_what_moderators_write_down_is_harmless(bob: Browser, mod: Browser, store: Store) -> None:
    user = store.users.get("mod")
    store.notes.add("ann", EVIL, user)
    rule = NewLogEntry(LogAction.DOMAIN, "mod", title="spam.example", why=EVIL)
    store.domain_rules.set("spam.example", DomainAction.HOLD, rule, actor=user)
    store.reports.make(2, store.users.get("bob"), Reason.RULES, EVIL)
    store.articles.post(Draft(EVIL, "https://spam.example/", ""), store.users.get("bob"), "0123456790")
    factories.ban(store, "ann", EVIL, days=1)
    for path in ("/u/ann", "/u/bob", "/queue", "/log", "/u/bob/ban"):
        assert_harmless(mod.open(path).page)
    assert EVIL in bob.open("/u/bob").page.text


def test_reports_and_log_of_comments_are_harmless(bob: Browser, mod: Browser, store: Store) -> None:
    store.reports.make(CommentId(2, 2), factories.user(store, "ann"), Reason.RULES, EVIL)
    bob.open("/a/2/c/1/report").submit("/a/2/c/1/report", reason="", note=EVIL)
    assert bob.page.one("input", name="note")["value"] == EVIL
    assert_harmless(bob.page)
    for path in ("/queue", "/a/2/c/2/reports"):
        assert EVIL in mod.open(path).page.one("ul", class_="reports").text
        assert_harmless(mod.page)
    mod.open("/a/2/c/2").submit("/a/2/c/2/remove", reason=EVIL * 20)
    assert mod.status == 422
    assert_harmless(mod.page)
    mod.submit("/a/2/c/2/remove", reason=EVIL[:100])
    mod.open("/a/2").submit("/a/2/close", reason=EVIL[:100])
    for path in ("/log", "/a/2", "/a/2/c/2"):
        assert_harmless(mod.open(path).page)


def test_titles_are_shown_as_typed(reader: Browser) -> None:
    assert reader.open("/a/1").heading == EVIL
    assert reader.page.one("title").text == f"{EVIL} · voteweb"
    assert reader.open("/new").titles == [EVIL, EVIL]
    assert reader.page.one("button", class_="vote").text == f"Vote for “{EVIL}”. Votes: 1"
    assert reader.open("/groups").page.all("h2")[0].text == EVIL[:60].strip()


def test_text_keeps_its_words_but_not_its_markup(reader: Browser) -> None:
    text = reader.open("/a/2").page.one("article").one("div", class_="text")
    assert {element.tag for element in text} <= {"div", "p", "a"}
    assert "<script>alert(1)</script>" in text.text
    links = text.all("a")
    assert links
    assert all(link["rel"] == "nofollow ugc noopener" for link in links if "href" in link)


def test_comments_keep_their_words_but_not_their_markup(reader: Browser, bob: Browser) -> None:
    for text in reader.open("/a/2").page.all("div", class_="text")[1:]:
        assert text["dir"] == "auto"
        assert {element.tag for element in text} <= {"div", "p", "a"}
        assert "<script>alert(1)</script>" in text.text
    assert_harmless(bob.open("/a/2/c/1/reply?quote=1").page)
    assert_harmless(bob.submit("/a/2/c/1/reply", text=TEXT, preview="1").page)
    assert bob.page.one("textarea").own_text.removeprefix("\n") == TEXT


def test_typed_fields_are_never_markup(reader: Browser, bob: Browser, mod: Browser) -> None:
    bob.open("/submit").submit("/submit", title=EVIL * 9, link=EVIL, text=EVIL, groups=[EVIL])
    reader.open("/login").submit("/login", username=EVIL, password=EVIL)
    mod.open("/groups/new").submit("/groups/new", name=EVIL, title=EVIL * 9, description=EVIL)
    for person in (bob, reader, mod):
        assert person.status == 422
        assert_harmless(person.page)
    assert bob.page.one("textarea").own_text.removeprefix("\n") == EVIL
    reader.open("/signup").submit("/signup", username=EVIL, password=EVIL)
    mod.open("/new").submit("/a/1/groups", add=EVIL, remove=[EVIL])
    for person in (reader, mod):
        assert_harmless(person.page)
        assert person.status in (400, 422)
