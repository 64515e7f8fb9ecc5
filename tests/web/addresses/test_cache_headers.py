"""Cache headers: readers' pages and public files may be cached, pages with a token and of members may not."""

import re

from tests.web.addresses.address import MEMBER, MODERATOR, READER, Caching
from tests.web.addresses.conftest import MakePerson
from tests.web.addresses.table import PAGES
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser

PUBLIC = [address for address in PAGES if address.caching is Caching.PUBLIC]
CACHEABLE = [
    address for address in PAGES if address.caching is not Caching.NOBODY and address.status(READER) in (200, 303)
]
WITH_TOKEN = [
    address
    for address in PAGES
    if address.caching is Caching.NOBODY and READER in address.allowed and address.is_html
]  # fmt: skip
#: All but the public files, and the health, which is answered without a look at the session.
PERSONAL = [address for address in PAGES if address not in PUBLIC and address.path != "/healthz"]


def test_readers_page_can_be_cached(reader: Browser) -> None:
    for address in CACHEABLE:
        headers = reader.open(address.url()).headers
        assert "Set-Cookie" not in headers, address
        assert "no-store" not in headers.get("Cache-Control", ""), address
        assert b"csrf" not in reader.response.data, address


def test_proxies_may_keep_readers_pages_for_a_second(make_browser: MakeBrowser) -> None:
    for seconds, header in ((1.0, "public, max-age=0, s-maxage=1"), (0.0, None)):
        reader = make_browser(page_seconds=seconds)
        for address in CACHEABLE:
            if address.is_html and reader.open(address.url()).status == 200:
                assert reader.headers.get("Cache-Control") == header, address


def test_page_with_a_readers_token_is_never_stored(make_person: MakePerson) -> None:
    make_person(MEMBER)  # whom the links of mails are about
    reader = make_person(READER)
    assert len(WITH_TOKEN) == 7
    for address in WITH_TOKEN:
        reader.client.delete_cookie("voteweb")
        headers = reader.open(address.url()).headers
        assert "Set-Cookie" in headers, address
        assert all(reader.page.values("value", "input", name="csrf_token")), address
        assert headers["Cache-Control"] == "private, no-store", address


def test_members_page_is_never_stored(make_person: MakePerson) -> None:
    moderator = make_person(MODERATOR)
    for address in PERSONAL:
        headers = moderator.open(address.url()).headers
        assert headers["Cache-Control"] == "private, no-store", address
    assert moderator.open("/nowhere").headers["Cache-Control"] == "private, no-store"


def test_public_file_is_the_same_for_everybody(reader: Browser, make_person: MakePerson) -> None:
    moderator = make_person(MODERATOR)
    for address in PUBLIC:
        for_reader = reader.open(address.url(), headers={"Accept-Language": "en"}).response
        for_moderator = moderator.open(address.url(), headers={"Accept-Language": "zh"}).response
        assert for_reader.data == for_moderator.data, address
        for response in (for_reader, for_moderator):
            assert "Set-Cookie" not in response.headers, address
            assert response.headers.get("Vary", "Accept-Encoding") == "Accept-Encoding", address
            assert "Content-Language" not in response.headers or response.headers["Content-Language"] == "en", address
            header = response.headers["Cache-Control"]
            assert re.fullmatch("public, (no-cache|max-age=[0-9]+, (s-maxage=1|immutable))", header), address


def test_html_page_has_its_language_and_varies_by_it(reader: Browser) -> None:
    for url in ["/nowhere", "/a/99", *(address.url() for address in PAGES if address.is_html)]:
        for accepted, tag in (("zh-CN", "zh-Hans"), ("en", "en")):
            headers = reader.open(url, headers={"Accept-Language": accepted}).headers
            if reader.status != 303:
                assert headers["Content-Language"] == tag, url
                varies = {name.strip() for line in headers.getlist("Vary") for name in line.split(",")}
                assert {"Accept-Language", "Cookie"} <= varies, url
