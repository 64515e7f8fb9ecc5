"""Every page in Chinese, without English left on it."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests import factories
from tests.prepared import prepared
from tests.web.addresses.table import PAGES as TABLE
from tests.web.browser import JSON, Browser
from tests.web.conftest import MakeMember
from tests.web.dom import Element
from tests.web.i18n.catalogues import PLACEHOLDER, messages
from voteweb.core.comments import CommentId
from voteweb.core.config import COMMAND_LINE, DELETED_MEMBER
from voteweb.core.models import LogAction, LogEntry, Reason, Role
from voteweb.store import Store

ZH = {"Accept-Language": "zh"}
#: Latin punctuation between Chinese words, or between a name and a number with a Chinese word.
WRONG_PUNCTUATION = re.compile(r".?[\u4e00-\u9fff] ?[,;:!?].?|.?[,;:] \d*[\u4e00-\u9fff].?")
#: All pages, but that of the settings, whose descriptions are for operators; pages of what is there; and error pages.
PAGES = [
    *(page.url() for page in TABLE if page.is_html and not page.case),
    *("/top?of=month", "/g/编程", "/g/编程/new", "/g/数据库+编程", "/g/空的", "/g/编程/edit", "/g/没有"),
    *("/search", "/search?q=编程+编*+group:没有", "/search?q=redis", "/search?q=redis+in:comments+-after:x"),
    *(
        "/a/2",
        "/a/4",
        "/a/2/edit",
        "/a/99",
        "/a/1?order=new",
        "/a/1/vote",
        "/new?page=99",
        "/nowhere",
        "/reset/unknown",
    ),
    *("/a/1/c/1/edit", "/a/1/c/1/delete", "/a/1/c/1/report", "/a/1/c/1/reports", "/a/1/c/99", "/log?kind=ban"),
    *("/u/ann", "/u/zoe", "/u/nobody-here", "/u/ann/comments", "/u/zoe/comments", "/reset/unknown"),
    *("/admin/ranking?good_votes=x", "/admin/ranking?good_votes=5"),
]
#: Forms with fields that are refused.
REFUSED = [
    ("/submit", {"title": "", "link": "nonsense"}),
    ("/account", {"old": "wrong", "new": "1"}),
    ("/groups/new", {"name": "a b", "title": "", "description": "长" * 301}),
    ("/a/2/remove", {"reason": ""}),
    ("/a/2/report", {}),
]
#: Names that stay as they are: of the site, of standards, and those in the data of these tests.
NAMES = re.compile(
    r"voteweb|Markdown|JSON|Authorization: Bearer|OPML|UTC|https?://\S*|example\.com|/g/one\+two|\[deleted\]|\b(ann|bob|zoe|mod|root)\b"
)


@pytest.fixture(autouse=True)
def site(store: Store, server_url: str) -> None:
    """The site of these tests: see :func:`build_site`."""
    prepared(store, server_url, build_site)


def build_site(store: Store) -> None:
    """Make articles of every kind with Chinese text, and a log with every kind of act."""
    zoe = factories.user(store, "zoe")
    for name, title in (("编程", "编程"), ("数据库", "数据库"), ("空的", "空的小组")):
        factories.group(store, name, title, "一个小组")
    both = ("编程", "数据库")
    factories.article(store, title="第一篇文章", link="https://example.com/1", groups=both)
    factories.article(store, zoe, title="第二篇文章", link="", text="正文", groups=("编程",))
    factories.imported(
        store, title="很旧的文章", link="https://example.com/3", votes=1_234, poster=DELETED_MEMBER, groups=both
    )
    factories.article(store, zoe, title="被移除的文章", link="https://example.com/4")
    store.articles.set_groups(2, ["数据库"], ["编程"], entry(LogAction.GROUPS))
    store.articles.set_groups(2, ["编程"], [], entry(LogAction.GROUPS))
    store.articles.set_groups(2, [], ["数据库"], entry(LogAction.GROUPS))
    store.removals.remove(4, entry(LogAction.REMOVE, article=4, why="广告"))
    store.bans.ban("zoe", entry(LogAction.BAN, about="zoe", why="广告"))
    store.bans.lift("zoe", entry(LogAction.UNBAN, about="zoe"))
    for role in (Role.MODERATOR, Role.MEMBER):
        store.users.set_role("zoe", role, LogEntry(LogAction.ROLE, COMMAND_LINE, about="zoe", why=role))
    store.groups.change("空的", "空的小组", "一个小组", LogEntry(LogAction.GROUP, "mod", title="空的"))
    bob = factories.user(store, "bob")
    store.reports.make(2, bob, Reason.SPAM, "广告")
    factories.comment(store, 1, zoe, text="第一条评论")
    factories.comment(store, 1, bob, text="@ann 一个回复", parent=1)
    factories.comment(store, 1, zoe, text="被移除的评论")
    store.reports.make(CommentId(1, 1), bob, Reason.RULES, "广告")
    store.removals.remove(
        CommentId(1, 3), entry(LogAction.REMOVE, comment=3, why="广告"), with_replies=True, actor=None
    )
    store.threads.set_closed(2, entry(LogAction.CLOSE, article=2, why="已经说完了"), actor=None, closes=True)


def entry(kind: LogAction, **changes: Any) -> LogEntry:
    """Return an act of mod on the first article."""
    fields: dict[str, Any] = {"article": 1, "title": "第一篇文章", "about": "ann"}
    return LogEntry(kind, "mod", **(fields | changes))


@pytest.fixture
def people(reader: Browser, ann: Browser, mod: Browser, make_member: MakeMember) -> list[Browser]:
    """A reader, a member, a moderator and an admin."""
    return [reader, ann, mod, make_member("root", Role.ADMIN)]


def visible(page: Element) -> Iterator[str]:
    """Yield every text that a person sees, hears or finds in a list of search results, but those that are English."""
    english = [element for part in page.all(lang="en") for element in part]
    for element in page:
        if (
            element in english
            or element.tag in ("script", "style", "code")
            or element.attrs.get("name") in ("viewport", "color-scheme")
        ):
            continue
        yield element.own_text
        for name in ("aria-label", "title", "placeholder", "alt", "data-counted", "data-taken", "content"):
            if name in element:
                yield element[name]


def english_texts(page: Element) -> list[str]:
    """Return the English texts on *page*: parts of messages, and two words in a row that are no names."""
    switches = "\n".join(page.texts("form", action="/language"))
    text = "\n".join(text for text in visible(page) if text not in switches)
    untranslated = [part for part in english_parts() if part in text]
    return untranslated + re.findall(r"[A-Za-z]{3,}[ ,.:]+[A-Za-z]{3,}", NAMES.sub("", text))


@cache
def english_parts() -> list[str]:
    """Return the longer parts of all messages, without their placeholders."""
    parts = {part.strip() for message in messages("zh") for part in PLACEHOLDER.split(str(message.id))}
    return [part for part in parts if len(part) > 12]


def test_page_is_chinese_throughout(people: list[Browser], subtests: pytest.Subtests) -> None:
    for address in dict.fromkeys(PAGES):
        for number, person in enumerate(people):
            if person.open(address, headers=ZH).status == 303:
                person.follow()
                continue
            with subtests.test(address, person=number):
                assert person.page.one("html")["lang"] == "zh-Hans"
                assert person.heading
                assert english_texts(person.page) == []
                assert WRONG_PUNCTUATION.findall(person.page.one("main").text) == []


@pytest.mark.parametrize(("address", "fields"), REFUSED)
def test_errors_of_a_form_are_chinese(address: str, fields: dict[str, str], mod: Browser) -> None:
    mod.send(address, headers=ZH, **fields)
    assert mod.status == 422
    assert english_texts(mod.page) == []


def test_messages_about_buttons_are_chinese(mod: Browser) -> None:
    for address, fields in (
        ("/a/2/vote", {}),
        ("/a/2/vote", {}),
        ("/a/2/unvote", {}),
        ("/a/2/groups", {"add": "数据库"}),
        ("/a/2/dismiss", {}),
        ("/a/2/remove", {"reason": "广告"}),
        ("/a/2/restore", {}),
        ("/a/3/vote", {}),
    ):
        mod.send(address, headers=ZH, **fields)
        page = mod.open("/new", headers=ZH).page
        assert len(mod.flashes) == 1, address
        assert english_texts(page) == [], address
    mod.send("/a/99/vote", headers=ZH | JSON)
    assert mod.json["error"]["message"] == "没有这篇文章。"


def test_every_kind_of_the_log_has_a_chinese_name(reader: Browser) -> None:
    choices = reader.open("/log", headers=ZH).page.one("select", name="kind").all("option")
    kinds = {option["value"]: option.text for option in choices if option["value"]}
    assert set(kinds) == set(LogAction)
    assert not set(kinds.values()) & set(LogAction)
