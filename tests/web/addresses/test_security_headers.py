"""The headers that confine every response."""

from tests.web.addresses.address import MODERATOR, READER, Caching
from tests.web.addresses.conftest import MakePerson
from tests.web.addresses.table import TABLE
from tests.web.conftest import MakeBrowser

FIXED = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
#: The address of each row and whether it is public; one that takes a form only answers with an error page.
ADDRESSES = {"/nowhere": False} | {address.url(): address.caching is Caching.PUBLIC for address in TABLE}


def test_every_response_is_confined_to_our_own_files(make_person: MakePerson) -> None:
    browsers = [make_person(READER), make_person(MODERATOR)]
    for url, is_public in ADDRESSES.items():
        for browser in browsers:
            headers = browser.open(url).headers
            policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
            assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'", url
            assert {policy[name] for name in ("script-src", "style-src", "form-action")} == {"'self'"}, url
            assert "unsafe" not in headers["Content-Security-Policy"], url
            assert {name: headers[name] for name in FIXED} == FIXED, url
            permissions = headers["Permissions-Policy"]
            assert permissions.count("=()") == len(permissions.split(", ")) > 5, url
            assert headers["Cross-Origin-Resource-Policy"] == ("cross-origin" if is_public else "same-origin"), url
            assert "Server" not in headers, url
            names = [name for name, _ in headers if name != "Set-Cookie"]
            assert len(names) == len(set(names)), url
            assert "Strict-Transport-Security" not in headers, url


def test_site_under_https_forbids_http(make_browser: MakeBrowser) -> None:
    reader = make_browser(site_url="https://news.example")
    for url in ADDRESSES:
        assert reader.open(url).headers["Strict-Transport-Security"] == "max-age=31536000", url
