"""Sends many forms as somebody who may."""

from collections import Counter
from typing import Any
from urllib.parse import urlencode

from werkzeug.test import TestResponse

from tests.web.addresses.address import READER, ROLES, Address
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser, MakeMember

URL_ENCODED = "application/x-www-form-urlencoded"


class Sender:
    """Sends forms as somebody who may; when a form has ended the session, as somebody else of the same role."""

    def __init__(self, make_person: MakeBrowser, make_member: MakeMember) -> None:
        self._make_person = make_person
        self._make_member = make_member
        self._sessions: dict[str, tuple[Browser, str]] = {}
        self._used: Counter[str] = Counter()

    def post(self, address: Address, fields: dict[str, Any], url: str = "") -> TestResponse:
        """Send *fields* with a valid token, unless they have another."""
        person = address.sender
        if person not in self._sessions:
            self._sessions[person] = self._new_session(person)
        browser, token = self._sessions[person]
        body = urlencode({"csrf_token": token, **fields}, errors="surrogatepass", doseq=True)
        response = browser.client.post(url or address.url(), data=body, content_type=URL_ENCODED, buffered=True)
        if any(cookie.startswith("voteweb=") for cookie in response.headers.getlist("Set-Cookie")):
            with browser.client.session_transaction() as session:
                if ("_user_id" in session) is (person == READER):
                    del self._sessions[person]
        return response

    def _new_session(self, person: str) -> tuple[Browser, str]:
        self._used[person] += 1
        if person == READER or self._used[person] == 1:
            browser = self._make_person(person)
        else:
            browser = self._make_member(f"{person}{self._used[person]}", ROLES[person])
        if person == READER:
            browser.client.delete_cookie("voteweb")
        return browser, browser.csrf_token()
