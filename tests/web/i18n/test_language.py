"""The language of a page: accepted by the browser or chosen by the reader, who is remembered."""

import pytest

from tests.web.browser import Browser
from tests.web.dom import Element
from voteweb.web.i18n import locale
from voteweb.web.i18n.locale import CHINESE, ENGLISH, Language

ZH = {"Accept-Language": "zh"}


def buttons_of(switch: Element) -> list[tuple[str, str, str]]:
    """Return value, language and text of each button."""
    return [(button["value"], button["lang"], button.text) for button in switch.all("button")]


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
def test_language_is_that_of_the_browser(accepted: str, expected: Language) -> None:
    assert locale.best_match(accepted) == expected


def test_page_is_in_the_language_of_the_browser(reader: Browser) -> None:
    for accepted, expected in (("", ENGLISH), ("fr, zh-CN;q=0.3", CHINESE), ("zh;q=nonsense", ENGLISH)):
        assert reader.open("/about", headers={"Accept-Language": accepted}).page.one("html")["lang"] == expected.tag


def test_switch_is_remembered_and_overrides_the_browser(reader: Browser, ann: Browser, mod: Browser) -> None:
    for person in (reader, ann, mod):
        person.open("/new?page=1", headers=ZH)
        switch = person.form("/language")
        assert buttons_of(switch) == [("en", "en", "English")]
        person.submit("/language", language="en")
        assert (person.status, person.location) == (303, "/new?page=1")
        assert person.open("/about", headers=ZH).page.one("html")["lang"] == "en"
        switch = person.form("/language")
        assert buttons_of(switch) == [("zh", "zh-Hans", "中文")]
        person.submit("/language", language="zh")
        assert person.open("/about", headers={"Accept-Language": "en"}).page.one("html")["lang"] == "zh-Hans"


def test_choice_outlives_login_and_logout(ann: Browser) -> None:
    ann.open("/").submit("/language", language="zh")
    ann.log_out().follow()
    assert ann.page.one("html")["lang"] == "zh-Hans"
    assert ann.log_in("ann").open("/").page.one("html")["lang"] == "zh-Hans"


def test_cookie_contains_the_language_only(reader: Browser) -> None:
    reader.open("/").submit("/language", language="zh")
    (cookie,) = reader.response.headers.getlist("Set-Cookie")
    first, *attributes = cookie.split("; ")
    assert first == "language=zh"
    assert {"HttpOnly", "Path=/", "SameSite=Lax", "Max-Age=31536000"} <= set(attributes)


def test_unknown_language_changes_nothing(reader: Browser) -> None:
    for code in ("", "xx", "zh-Hans", "../zh", "中文"):
        reader.post("/language", {"language": code, "next": "/new"})
        assert (reader.status, reader.location) == (303, "/new"), code
        assert "Set-Cookie" not in reader.response.headers, code
        reader.client.set_cookie("language", code)
        assert reader.open("/", headers=ZH).page.one("html")["lang"] == "zh-Hans", code
