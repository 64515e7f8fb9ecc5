"""The language of a page: accepted by the browser or chosen by the reader, who is remembered."""

import pytest

from tests.web.browser import Browser
from voteweb.web.i18n import locale
from voteweb.web.i18n.locale import CHINESE, ENGLISH, Language

ZH = {"Accept-Language": "zh"}


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        ("", ENGLISH),
        ("zh", CHINESE),
        ("zh_CN", CHINESE),
        ("ZH-tw", CHINESE),
        ("zh-CN,zh;q=0.9,en;q=0.8", CHINESE),
        ("en-US,en;q=0.9,zh-CN;q=0.8", ENGLISH),
        ("en;q=0.1, zh;q=0.2", CHINESE),
        ("fr, zh-CN;q=0.3", CHINESE),
        ("zh;q=0", ENGLISH),
        (";;,,q=", ENGLISH),
        ("zh;q=nonsense", ENGLISH),
        ("x" * 5_000, ENGLISH),
    ],
)
def test_language_is_that_of_the_browser(accepted: str, expected: Language) -> None:
    assert locale.negotiate("", accepted) == expected


def test_switch_is_remembered_and_overrides_the_browser(ann: Browser) -> None:
    ann.open("/new?page=1", headers=ZH)
    assert ann.page.one("html")["lang"] == "zh-Hans"
    for accepted, code, tag in (("zh", "en", "en"), ("en", "zh", "zh-Hans")):
        (button,) = ann.form("/language").all("button")
        assert (button["value"], button["lang"]) == (code, tag)
        ann.submit("/language", language=code)
        (cookie,) = ann.headers.getlist("Set-Cookie")
        assert cookie.startswith(f"language={code}; ")
        assert "Max-Age=31536000" in cookie
        assert ann.open("/about", headers={"Accept-Language": accepted}).page.one("html")["lang"] == tag
    ann.log_out().log_in("ann")
    assert ann.open("/", headers={"Accept-Language": "en"}).page.one("html")["lang"] == "zh-Hans"


def test_unknown_language_changes_nothing(reader: Browser) -> None:
    for code in ("", "xx", "zh-Hans", "../zh", "中文"):
        reader.post("/language", {"language": code, "next": "/new"})
        assert (reader.status, reader.location) == (303, "/new"), code
        assert "Set-Cookie" not in reader.headers, code
        reader.client.set_cookie("language", code)
        assert reader.open("/", headers=ZH).page.one("html")["lang"] == "zh-Hans", code
