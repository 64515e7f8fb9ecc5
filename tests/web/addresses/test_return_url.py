"""Redirects of forms: to the page of this site that they name, and nowhere else."""

import pytest

from tests.web.addresses.address import MEMBER, MODERATOR
from tests.web.addresses.conftest import Everybody, MakePerson
from tests.web.addresses.table import FORMS
from tests.web.browser import PASSWORD, Browser

RETURNING = [address for address in FORMS if address.returns_to is not None]


def test_form_returns_to_its_own_page_and_no_other_site(everybody: Everybody, subtests: pytest.Subtests) -> None:
    for address in RETURNING:
        _, hash, anchor = (address.returns_to or "").partition("#")
        own_page = f"/new?page=2{hash}{anchor}"
        targets = {"//evil.example": address.returns_to, "/new?page=2": own_page, "": address.returns_to}
        for target, location in targets.items():
            with subtests.test(str(address), target=target):
                sender = everybody.post(address, address.fields | ({"next": target} if target else {}))
                assert (sender.status, sender.location) == (303, location)


#: Of each kind one, and where it leads instead of "/"; tests/web/test_urls.py has all kinds.
TARGETS = {"//evil.example": "/", "/g/编程/new": "/g/%E7%BC%96%E7%A8%8B/new", "/a/1#why": "/a/1#why"}


def test_login_redirects_to_own_targets_only(make_person: MakePerson, reader: Browser) -> None:
    member = make_person(MEMBER)
    for target, location in TARGETS.items():
        for path in ("/login", "/signup"):
            assert member.open(path, query_string={"next": target}).location == location, target
        for typed in ({}, {"next": target}):
            reader.client.delete_cookie("voteweb")
            reader.open("/login", query_string={"next": "/new" if typed else target})
            reader.submit("/login", username="zoe", password=PASSWORD, **typed)
            assert reader.location == location, target
    reader.client.delete_cookie("voteweb")
    reader.post("/a/1/vote", {"next": "//evil.example"})
    assert (reader.status, reader.location.partition("&")[0]) == (303, "/login?next=/a/1%23a1")


@pytest.mark.parametrize("path", ["/a/1/vote", "/a/1/unvote", "/a/1/groups"])
def test_answer_to_a_button_never_links_to_the_buttons_address(path: str, make_person: MakePerson) -> None:
    """Such an address takes no GET: a link or a form on the page must not lead there."""
    moderator = make_person(MODERATOR)
    for button in (path, path.replace("/1/", "/99/")):
        moderator.send(button, add="!", next="/new")
        if moderator.status != 303:
            targets = moderator.page.values("value", "input", name="next")
            targets += moderator.page.values("href", "a")
            assert not [target for target in targets if target.endswith(button)]
