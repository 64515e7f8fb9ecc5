"""Languages: chosen by the browser or by the reader, remembered, and spoken to the end of every page."""

import re
import time
from collections.abc import Iterator

import pytest
from flask import Flask

from tests import factories
from tests.test_translations import PLACEHOLDER, messages
from tests.web.browser import JSON, Browser
from tests.web.conftest import MakeMember
from tests.web.dom import Element
from voteweb.app import create_app
from voteweb.core.config import DELETED_MEMBER, Settings
from voteweb.core.models import LogAction, Reason, Role
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry
from voteweb.web.i18n import formatting, locale
from voteweb.web.i18n.locale import CHINESE, ENGLISH, Language

ZH = {"Accept-Language": "zh"}
#: What every reader may open, and what it takes more to see: members', moderators' and failing pages.
PAGES = [
    "/",
    "/new",
    "/good",
    "/groups",
    "/g/编程",
    "/g/编程/new",
    "/g/数据库+编程",
    "/g/空的",
    "/a/1",
    "/a/2",
    "/a/3",
    "/a/4",
    "/about",
    "/log",
    "/log?kind=ban",
    "/u/ann",
    "/u/zoe",
    "/login",
    "/signup",
    "/submit",
    "/account",
    "/invitations",
    "/reports",
    "/groups/new",
    "/g/编程/edit",
    "/a/1/edit",
    "/a/2/edit",
    "/a/99",
    "/g/没有",
    "/u/nobody-here",
    "/nowhere",
    "/new?page=99",
    "/reset/unknown",
    "/a/1/vote",
]
#: What a form refuses, and what it says then.
REFUSED = [
    ("/submit", {"title": "", "link": "nonsense"}),
    ("/submit", {"title": "标题标题", "link": "", "text": ""}),
    ("/account", {"old": "wrong", "new": "1"}),
    ("/groups/new", {"name": "a b", "title": "", "description": "长" * 301}),
    ("/a/2/remove", {"reason": ""}),
    ("/a/2/report", {}),
    ("/u/zoe/ban", {"reason": ""}),
]
#: Words of ours that are names, and those that the tests' own data hold.
NAMES = re.compile(
    r"voteweb|Markdown|JSON|OPML|UTC|https?://\S*|example\.com|/g/one\+two|\[deleted\]|\b(ann|bob|zoe|mod|root)\b"
)


@pytest.fixture(autouse=True)
def site(request: pytest.FixtureRequest, fake_store: Store) -> None:
    """Articles of every kind with Chinese words, and a log with every kind of act."""
    zoe = factories.user(fake_store, "zoe")
    for name, title in (("编程", "编程"), ("数据库", "数据库"), ("空的", "空的小组")):
        factories.group(fake_store, name, title, "一个小组")
    both = ("编程", "数据库")
    factories.article(fake_store, title="第一篇文章", link="https://example.com/1", groups=both)
    factories.article(fake_store, zoe, title="第二篇文章", link="", text="正文", groups=("编程",))
    factories.imported(
        fake_store, title="很旧的文章", link="https://example.com/3", votes=1_234, poster=DELETED_MEMBER, groups=both
    )
    factories.article(fake_store, zoe, title="被移除的文章", link="https://example.com/4")
    fake_store.articles.set_groups(2, ["数据库"], ["编程"], entry(LogAction.GROUPS))
    fake_store.articles.set_groups(2, ["编程"], [], entry(LogAction.GROUPS))
    fake_store.articles.set_groups(2, [], ["数据库"], entry(LogAction.GROUPS))
    fake_store.removals.remove(4, entry(LogAction.REMOVE, article=4, why="广告"))
    fake_store.users.ban("zoe", entry(LogAction.BAN, about="zoe", why="广告"))
    fake_store.users.unban("zoe", entry(LogAction.UNBAN, about="zoe"))
    fake_store.users.set_role("zoe", Role.MODERATOR, NewLogEntry(LogAction.ROLE, "command line", about="zoe", why="moderator"))
    fake_store.users.set_role("zoe", Role.MEMBER, NewLogEntry(LogAction.ROLE, "command line", about="zoe", why="member"))
    fake_store.groups.change("空的", "空的小组", "一个小组", NewLogEntry(LogAction.GROUP, "mod", title="空的"))
    fake_store.reports.make(2, factories.user(fake_store, "bob"), Reason.SPAM, "广告")


def entry(kind: LogAction, **over: object) -> NewLogEntry:
    """Return an act of the moderator's on the first article."""
    fields: dict[str, object] = {"article": 1, "title": "第一篇文章", "about": "ann"}
    return NewLogEntry(kind, "mod", **(fields | over))  # type: ignore[arg-type]


@pytest.fixture
def people(reader: Browser, ann: Browser, mod: Browser, make_member: MakeMember) -> list[Browser]:
    """A reader, a member, a moderator and an admin."""
    return [reader, ann, mod, make_member("root", Role.ADMIN)]


def visible(page: Element) -> Iterator[str]:
    """Yield every text that a person sees, hears or finds in a list of results."""
    for each in page:
        if each.tag in ("script", "style"):
            continue
        yield from (child for child in each.children if isinstance(child, str))
        wanted = ("aria-label", "title", "placeholder", "alt", "data-counted", "data-taken", "content")
        yield from (
            each[name] for name in wanted if name in each and each.attrs.get("name") not in ("viewport", "color-scheme")
        )


def english_left(page: Element) -> list[str]:
    """Return what of *page* is English: a message of ours, or two words in a row that are no name."""
    switch = page.one("form", action="/language")
    words = [text for text in visible(page) if text not in switch.words]
    whole = "\n".join(words)
    parts = {part.strip() for message in messages("en") for part in PLACEHOLDER.split(str(message.id))}
    found = [part for part in parts if len(part) > 12 and part in whole]
    return found + re.findall(r"[A-Za-z]{3,}[ ,.:]+[A-Za-z]{3,}", NAMES.sub("", whole))


@pytest.mark.parametrize("address", PAGES)
def test_every_page_is_chinese_to_the_end(address: str, people: list[Browser]) -> None:
    for person in people:
        if person.open(address, headers=ZH).status == 303:
            person.follow()
            continue
        assert person.page.one("html")["lang"] == "zh-Hans"
        assert person.heading
        assert english_left(person.page) == []


@pytest.mark.parametrize(("address", "fields"), REFUSED)
def test_a_form_is_refused_in_chinese(address: str, fields: dict[str, str], mod: Browser) -> None:
    mod.post(address, fields | {"csrf_token": mod.token()}, headers=ZH)
    assert mod.status == 422
    assert english_left(mod.page) == []


def test_what_a_button_did_is_said_in_chinese(mod: Browser) -> None:
    token = mod.token()
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
        mod.post(address, fields | {"csrf_token": token}, headers=ZH)
        page = mod.open("/new", headers=ZH).page
        assert len(mod.flashes) == 1, address
        assert english_left(page) == [], address
    mod.post("/a/99/vote", {"csrf_token": token}, headers=ZH | JSON)
    assert mod.answer.json["error"]["message"] == "没有这篇文章。"


def test_a_login_by_nobody_is_refused_in_chinese(reader: Browser) -> None:
    token = reader.open("/login", headers=ZH).form("/login").one("input", name="csrf_token")["value"]
    reader.post("/login", {"username": "ann", "password": "wrong", "csrf_token": token}, headers=ZH)
    assert reader.page.one("div", role="alert").words == "用户名或密码不正确。"


def test_a_story_tells_why_it_is_there_in_whole_sentences(reader: Browser, fake_store: Store) -> None:
    factories.imported(fake_store, title="旧闻", link="https://example.com/9", time=1_456_789_012, votes=12)
    page = reader.open("/a/5", headers=ZH).page
    assert page.by_id("why").words == (
        "为什么排在这里？ 12票 × 432秒 = 1小时26分钟，加上发布时间 2016年2月29日 23:36 UTC：排名相当于 2016年3月1日 "
        "01:03 UTC 发布的新文章。 投票已于 2016年3月7日 23:36 UTC 截止，得分不再变化。 本站的排名规则"
    )


def test_the_log_says_roles_and_kinds_in_words(reader: Browser) -> None:
    log = reader.open("/log", headers=ZH).page
    said = [entry.all("p")[0].words for entry in log.one("ol", class_="log").all("li")]
    assert "命令行 变更了 zoe 的角色 ： 版主" in said
    assert "mod 调整了《第一篇文章》的小组：移入“数据库”，移出“编程”" in said
    kinds = {option["value"]: option.words for option in log.one("select", name="kind").all("option")}
    assert kinds.pop("") == "全部"
    assert set(kinds) == set(LogAction)
    assert kinds["role"] == "变更角色"
    assert not set(kinds.values()) & set(LogAction)


def test_roles_are_given_in_words(make_member: MakeMember) -> None:
    root = make_member("root", Role.ADMIN)
    roles = root.open("/u/bob", headers=ZH).page.one("select", name="role").all("option")
    assert {option["value"]: option.words for option in roles} == {
        "member": "成员",
        "moderator": "版主",
        "admin": "管理员",
    }
    root.submit("/u/bob/role", role="moderator")
    assert root.open("/", headers=ZH).flashes == ["bob has the role moderator now."], "said when it was done"


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        ("", ENGLISH),
        ("zh", CHINESE),
        ("zh-CN", CHINESE),
        ("zh-Hans-CN", CHINESE),
        ("zh_CN", CHINESE),
        ("ZH-tw", CHINESE),
        ("zh-CN,zh;q=0.9,en;q=0.8", CHINESE),
        ("zh-CN, en;q=0.5", CHINESE),
        ("en-US,en;q=0.9,zh-CN;q=0.8", ENGLISH),
        ("en;q=0.1, zh;q=0.2", CHINESE),
        ("fr, de;q=0.9", ENGLISH),
        ("fr, zh-CN;q=0.3", CHINESE),
        ("zh;q=0", ENGLISH),
        ("*", ENGLISH),
        ("zho", ENGLISH),
        (";;,,q=", ENGLISH),
        ("zh;q=nonsense", ENGLISH),
        ("x" * 5_000, ENGLISH),
    ],
)
def test_the_browser_is_heard(accepted: str, expected: Language, reader: Browser) -> None:
    assert locale.best_match(accepted) == expected
    assert reader.open("/about", headers={"Accept-Language": accepted}).page.one("html")["lang"] == expected.tag


def test_the_switch_is_remembered_and_comes_before_the_browser(people: list[Browser]) -> None:
    for person in people:
        person.open("/new?page=1", headers=ZH)
        switch = person.form("/language")
        assert [(each["value"], each["lang"], each.words) for each in switch.all("button")] == [("en", "en", "English")]
        person.submit("/language", language="en")
        assert (person.status, person.location) == (303, "/new?page=1")
        assert person.open("/about", headers=ZH).page.one("html")["lang"] == "en"
        switch = person.form("/language")
        assert [(each["value"], each["lang"], each.words) for each in switch.all("button")] == [
            ("zh", "zh-Hans", "中文")
        ]
        person.submit("/language", language="zh")
        assert person.open("/about", headers={"Accept-Language": "en"}).page.one("html")["lang"] == "zh-Hans"


def test_the_choice_outlives_log_in_and_log_out(ann: Browser) -> None:
    ann.open("/").submit("/language", language="zh")
    ann.open("/").submit("/logout").follow()
    assert ann.page.one("html")["lang"] == "zh-Hans"
    assert ann.log_in("ann").open("/").page.one("html")["lang"] == "zh-Hans"


def test_the_cookie_holds_the_language_and_nothing_else(app: Flask, settings: Settings, fake_store: Store) -> None:
    reader = Browser(app)
    reader.open("/").submit("/language", language="zh")
    (cookie,) = reader.answer.headers.getlist("Set-Cookie")
    first, *attributes = cookie.split("; ")
    assert first == "language=zh"
    assert {"HttpOnly", "Path=/", "SameSite=Lax", "Max-Age=31536000"} <= set(attributes)
    assert "Secure" not in attributes
    safe = Settings(**{**vars(settings), "site_url": "https://news.example"})
    reader = Browser(create_app(safe, fake_store))
    reader.open("/").submit("/language", language="zh")
    assert "Secure" in reader.answer.headers["Set-Cookie"].split("; ")


@pytest.mark.parametrize("asked", ["", "xx", "zh-Hans", "../zh", "中文"])
def test_a_language_that_is_not_spoken_changes_nothing(asked: str, reader: Browser) -> None:
    reader.post("/language", {"language": asked, "next": "/new"})
    assert (reader.status, reader.location) == (303, "/new")
    assert "Set-Cookie" not in reader.answer.headers
    reader.client.set_cookie("language", asked)
    assert reader.open("/", headers=ZH).page.one("html")["lang"] == "zh-Hans"


@pytest.mark.parametrize("next", ["", "//evil.example", "https://evil.example", "/\\evil.example"])
def test_the_switch_leads_nowhere_else(next: str, reader: Browser) -> None:
    assert reader.post("/language", {"language": "zh", "next": next}).location == "/"


@pytest.mark.parametrize("address", [*PAGES[:17], "/login", "/nowhere", "/a/99"])
def test_a_page_says_its_language_and_what_it_depends_on(address: str, reader: Browser) -> None:
    for accepted, tag in (("zh-CN", "zh-Hans"), ("en", "en")):
        headers = reader.open(address, headers={"Accept-Language": accepted}).answer.headers
        assert headers["Content-Language"] == tag
        varies = {each.strip() for line in headers.getlist("Vary") for each in line.split(",")}
        assert {"Accept-Language", "Cookie"} <= varies


@pytest.mark.parametrize("address", ["/static/site.css", "/static/site.js", "/static/icon.svg", "/healthz"])
def test_what_has_no_words_depends_on_no_language(address: str, reader: Browser) -> None:
    headers = reader.open(address, headers=ZH).answer.headers
    assert "Accept-Language" not in headers.get("Vary", "")
    assert "Content-Language" not in headers


@pytest.mark.parametrize("address", ["/feed.atom", "/feed.json", "/log.atom", "/groups.opml"])
def test_feeds_stay_in_one_language(address: str, reader: Browser) -> None:
    english = reader.open(address).answer
    chinese = reader.open(address, headers=ZH).answer
    assert chinese.text == english.text
    assert "Accept-Language" not in chinese.headers.get("Vary", "")
    assert chinese.headers.get("Content-Language", "en") == "en"


def test_a_readers_page_stays_without_cookie_and_token(reader: Browser) -> None:
    reader.open("/").submit("/language", language="zh")
    reader.open("/")
    assert "Set-Cookie" not in reader.answer.headers
    assert "csrf" not in reader.answer.text
    assert "no-store" not in reader.answer.headers.get("Cache-Control", "")


@pytest.mark.parametrize(
    ("tag", "moment", "number", "day", "ago", "just_now", "list"),
    [
        ("en", "21 Nov 2026, 02:00 UTC", "12,345", "1 day 2 h", "3 hours ago", "just now", "a, b"),
        ("zh", "2026年11月21日 02:00 UTC", "12,345", "1天2小时", "3小时前", "刚刚", "a、b"),
    ],
)
def test_dates_numbers_and_ages_are_written_as_the_language_does(
    app: Flask, tag: str, moment: str, number: str, day: str, ago: str, just_now: str, list: str
) -> None:
    with app.test_request_context(headers={"Accept-Language": tag}):
        assert formatting.format_datetime(1_795_226_400) == moment
        assert formatting.format_number(12_345) == number
        assert formatting.duration(26 * 3_600) == day
        assert formatting.duration(0) == ("0 s" if tag == "en" else "0秒")
        assert formatting.duration(3_600) == ("1 h" if tag == "en" else "1小时")
        assert formatting.relative_time(3 * 3_600) == ago
        assert formatting.relative_time(5) == just_now
        assert formatting.join_names(["a", "b"]) == list
        assert formatting.vote_count(1) == ("1 vote" if tag == "en" else "1票")
        assert formatting.vote_count(2) == ("2 votes" if tag == "en" else "2票")


def test_outside_of_a_request_everything_is_english(app: Flask) -> None:
    with app.app_context():
        assert formatting.vote_count(2) == "2 votes"
        assert formatting.format_datetime(time.time()).endswith(" UTC")
