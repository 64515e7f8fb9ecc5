"""User text is shown as it was typed and never becomes markup, on any page."""

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.escaping import EVIL, assert_harmless
from tests.web.fixed_index import FixedIndex
from voteweb.core.comments import CommentId
from voteweb.core.models import DomainAction, Draft, LogAction, LogEntry, Reason
from voteweb.core.my_site import Hidden, HiddenKind
from voteweb.store import Store
from voteweb.store.schema.fields import ARTICLE_WORDS

FOR_ALL = ["/", "/good", "/groups", "/g/python", "/g/python+redis", "/u/ann", "/a/1", "/a/2", "/d/example.com", "/top"]
FOR_ALL += ["/search?q=script", "/search?q=script+in:comments", "/search?q=%22%3E%3Cscript%3E+by:%3Cb%3E"]
FOR_ALL += ["/a/2?order=new", "/a/2/c/1", "/a/2/c/2", "/comments", "/u/mod/comments", "/log"]
FOR_BOB = ["/my", "/saved", "/votes", "/hidden", "/a/2/c/1/reply?quote=1", "/u/bob"]
FOR_MOD = ["/sort?of=all", "/members", "/queue", "/g/python/edit", "/inbox", "/a/2/c/2/reports", "/u/bob/ban", "/u/bob"]
TEXT = f"""{EVIL}

[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example) <a href="javascript:alert(1)" onclick="x">d</a>
![e](https://evil.example/x.png) <https://example.com/?"onmouseover=alert(1)> <style>*{{display:none}}</style>
<iframe src="https://evil.example"></iframe> <form action="https://evil.example"><input name="csrf_token"></form>
"""


@pytest.fixture(autouse=True)
def evil_articles(store: Store, index: FixedIndex) -> None:
    """A link and a text, one of them good, with hostile text in every field, and what members chose and reported."""
    for name in ("python", "redis"):
        factories.group(store, name, EVIL[:60], EVIL)
    link = 'https://example.com/?"><script>alert(1)</script>'
    factories.imported(store, title=EVIL, link=link, groups=("python", "redis"), votes=300)
    ann, bob, mod = (factories.user(store, name) for name in ("ann", "bob", "mod"))
    words = dict.fromkeys(ARTICLE_WORDS, EVIL) | {"link": "", "text": TEXT}
    store.articles.post(Draft(**words, groups=("python", "redis")), ann, "0123456789")
    factories.comment(store, 2, mod, text=TEXT)
    factories.comment(store, 2, bob, parent=1, text=f"@mod {TEXT}")
    index.articles, index.comments = (2, 1), (CommentId(2, 1), CommentId(2, 2))
    store.my_sites.follow("python", bob)
    for id in (1, 2):
        store.my_sites.save(id, bob)
    for kind, name in ((HiddenKind.ARTICLE, "1"), (HiddenKind.GROUP, "redis")):
        store.my_sites.hide(Hidden(kind, name), bob)
    for reported in (2, CommentId(2, 2)):
        store.reports.make(reported, ann if reported != 2 else bob, Reason.RULES, EVIL)


@pytest.fixture
def judged(mod: Browser, bob: Browser, store: Store) -> None:
    """Write down what moderators do: a note, a rule that holds an article, and a ban."""
    user = mod.user
    store.notes.add("ann", EVIL, user)
    rule = LogEntry(LogAction.DOMAIN, "mod", title="spam.example", why=EVIL)
    store.domain_rules.set("spam.example", DomainAction.HOLD, rule, actor=user)
    store.articles.post(Draft(EVIL, "https://spam.example/", ""), bob.user, "0123456790")
    factories.ban(store, "ann", EVIL, days=1)


@pytest.mark.usefixtures("judged")
def test_every_page_is_harmless_for_everybody(
    reader: Browser, bob: Browser, mod: Browser, subtests: pytest.Subtests
) -> None:
    for person, paths in ((reader, FOR_ALL), (bob, FOR_ALL + FOR_BOB), (mod, FOR_ALL + FOR_MOD)):
        for path in paths:
            with subtests.test(path):
                assert person.open(path).status == 200
                assert_harmless(person.page)


def test_titles_are_shown_as_typed(reader: Browser) -> None:
    assert reader.open("/a/1").heading == EVIL
    assert reader.page.one("title").text == f"{EVIL} · voteweb"
    assert reader.open("/new").titles == [EVIL, EVIL]
    assert reader.page.one("button", class_="vote")["aria-label"] == f"Vote for “{EVIL}”. Votes: 1"
    assert reader.open("/groups").page.all("h2")[0].text == EVIL[:60].strip()


def test_texts_keep_their_words_but_not_their_markup(reader: Browser) -> None:
    for text in reader.open("/a/2").page.all("div", class_="text"):
        assert text["dir"] == "auto"
        assert {element.tag for element in text} <= {"div", "p", "a"}
        assert "<script>alert(1)</script>" in text.text
        links = [link for link in text.all("a") if "href" in link and link["href"] != "/u/mod"]
        assert {link["rel"] for link in links} == {"nofollow ugc noopener"}


def test_typed_fields_are_never_markup(reader: Browser, bob: Browser, mod: Browser) -> None:
    bob.fill_in("/submit", title=EVIL * 9, link=EVIL, text=EVIL, groups=[EVIL])
    assert bob.page.one("textarea").own_text.removeprefix("\n") == EVIL
    reader.fill_in("/signup", username=EVIL, password=EVIL)
    mod.fill_in("/groups/new", name=EVIL, title=EVIL * 9, description=EVIL)
    for person in (bob, reader, mod):
        assert person.status == 422
        assert_harmless(person.page)
    mod.open("/new").submit("/a/1/groups", add=EVIL, remove=[EVIL])
    assert_harmless(mod.page)
    assert_harmless(mod.open("/a/2/c/2").submit("/a/2/c/2/remove", reason=EVIL * 20).page)
    assert_harmless(bob.fill_in("/a/2/c/1/reply", text=TEXT, preview="1").page)
    bob.fill_in("/a/2/c/1/report", reason="", note=EVIL)
    assert bob.value("note") == EVIL
