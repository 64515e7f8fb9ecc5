"""New passwords: none is the member's own name or the site's, in every form that sets one."""

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser
from voteweb.core import passwords
from voteweb.store import Store

MESSAGE = "A password cannot be your user name or the name of this site. Please choose another."


@pytest.mark.parametrize("typed", ["samantha1", "voteweb-2026"])
def test_name_is_refused_as_a_password_everywhere(typed: str, reader: Browser, store: Store) -> None:
    reader.open("/signup").submit("/signup", username="samantha", password=typed)
    assert (reader.status, reader.field_error("password")) == (422, MESSAGE)
    assert reader.submit("/signup", password=PASSWORD).status == 303
    reader.open("/account").submit("/account", old=PASSWORD, new=typed)
    assert (reader.status, reader.field_error("new")) == (422, MESSAGE)
    link = f"/reset/{store.passwords.make_link('samantha')}"
    reader.open(link).submit(link, new=typed)
    assert (reader.status, reader.field_error("new")) == (422, MESSAGE)


def test_password_of_before_goes_on_working(reader: Browser, store: Store) -> None:
    factories.user(store, "samantha", password_hash=passwords.hash_password("samantha1"))
    assert reader.log_in("samantha", "samantha1").status == 303
