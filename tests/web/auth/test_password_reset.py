"""New passwords: set once by the link for a forgotten one, and in no form a name of the member or the site."""

from tests.web.browser import PASSWORD, Browser
from voteweb.core import passwords
from voteweb.store import Store


def test_link_works_once_and_ends_all_sessions(bob: Browser, reader: Browser, store: Store) -> None:
    link = f"/reset/{store.passwords.make_link('bob')}"
    assert reader.open(link).heading == "New password for bob"
    reader.submit(link, new="short")
    assert (reader.status, reader.field_error("new")) == (422, "A password must have 8 to 256 characters.")
    reader.submit(link, new="another password")
    assert (reader.status, reader.location) == (303, "/login")
    assert reader.follow().flashes == ["The password has been set. Please log in with it."]
    assert reader.log_in("bob", "another password").status == 303
    assert not bob.is_logged_in()
    for method in (reader.open, reader.post):
        assert method(link).status == 410
        assert reader.heading == "No longer available"


MESSAGE = "A password cannot be your user name or the name of this site. Please choose another."


def test_name_is_refused_as_password_everywhere_but_at_login(reader: Browser, store: Store) -> None:
    typed = "samantha1"
    reader.fill_in("/signup", username="samantha", password=typed)
    assert (reader.status, reader.field_error("password")) == (422, MESSAGE)
    assert reader.submit("/signup", password=PASSWORD).status == 303
    reader.fill_in("/account", old=PASSWORD, new=typed)
    assert (reader.status, reader.field_error("new")) == (422, MESSAGE)
    link = f"/reset/{store.passwords.make_link('samantha')}"
    reader.fill_in(link, new=typed)
    assert (reader.status, reader.field_error("new")) == (422, MESSAGE)

    store.users.set_password("samantha", passwords.hash_password(typed))
    assert reader.log_in("samantha", typed).status == 303
