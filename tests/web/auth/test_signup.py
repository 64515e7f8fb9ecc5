"""Joining: valid names and passwords, and the errors of others."""

from tests import factories
from tests.web.browser import Browser
from voteweb.core.models import LogAction, LogEntry, Role
from voteweb.store import Store


def test_new_member_is_logged_in_and_welcomed(reader: Browser, store: Store) -> None:
    password = " 🎉\x00 long "
    reader.fill_in("/signup", username=" Carl_9 ", password=password).follow()
    assert (reader.status, reader.heading) == (200, "Recovery codes")
    assert reader.flashes == ["Welcome, Carl_9. Your account has been created, and you are logged in."]
    user = store.users.get("carl_9")
    assert (user.name, user.role) == ("Carl_9", Role.MEMBER)
    assert user.password.startswith("$argon2id$")
    assert reader.log_out().log_in("carl_9", password).status == 303


def test_name_that_looks_like_a_moderators_is_refused(reader: Browser, store: Store) -> None:
    for name, role in (("Lola", Role.MEMBER), ("olive", Role.MEMBER), ("ann", Role.ADMIN)):
        factories.user(store, name)
        store.users.set_role(name, role, LogEntry(LogAction.ROLE, "command line", about=name, why=role))
    store.users.set_role("Lola", Role.MODERATOR, LogEntry(LogAction.ROLE, "ann", about="Lola", why="moderator"))
    for name in ("l0la", "Io1a", "lo_la", "4nn"):
        reader.fill_in("/signup", username=name, password="long enough")
        error = f"The name {name} looks too much like one that has a meaning here. Please choose another."
        assert (reader.status, reader.field_error("username")) == (422, error)
    reader.fill_in("/signup", username="0live", password="long enough")
    assert reader.status == 303, "olive is a member like all others"
