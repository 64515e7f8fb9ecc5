"""Switches of the site: set by admins alone, one of two at once, with an entry in the log for each change."""

import pytest

from tests import factories
from tests.store.examination import broken, run
from tests.store.queries import log_page
from voteweb.core.errors import NotAllowed
from voteweb.core.models import LogAction, LogEntry, Role, User
from voteweb.core.site_switches import ON, SiteSwitches, SwitchName
from voteweb.store import Store


def set_switch(store: Store, by: User, name: SwitchName, value: str, words: str = "") -> None:
    entry = LogEntry(LogAction.SWITCH, by.name, title=name.value, why=words)
    store.site_settings.set_switch(name, value, entry, actor=by)


def log_of(store: Store) -> list[tuple[str, tuple[str, ...], str, str]]:
    return [(entry.title, entry.added, entry.why, entry.who) for entry in log_page(store).rows]


def test_admins_set_and_clear_switches_and_the_log_says_so(store: Store, mod: User) -> None:
    root = factories.user(store, "root", Role.ADMIN)
    with pytest.raises(NotAllowed):
        set_switch(store, mod, SwitchName.READ_ONLY, ON)
    for _ in range(2):
        set_switch(store, root, SwitchName.READ_ONLY, ON, "Repairs.")
    switch = store.site_settings.read_switches().get(SwitchName.READ_ONLY)
    assert switch is not None
    assert (switch.value, switch.words, switch.by, switch.time > 1e9) == (ON, "Repairs.", "root", True)
    for _ in range(2):
        set_switch(store, root, SwitchName.READ_ONLY, "")
    assert store.site_settings.read_switches() == SiteSwitches()
    assert log_of(store) == [("read-only", (), "", "root"), ("read-only", (ON,), "Repairs.", "root")]
    assert broken(store) == []


def test_values_of_another_program_set_nothing(store: Store) -> None:
    switch = '{"value": "%s", "words": "", "by": "x", "time": 1}'
    for name, text in (
        ("signup", switch % "everybody"), ("hold-posts", switch % "-1"), ("read-only", "[]"), ("other", switch % "on"),
        ("announcement", switch % "javascript:alert(1)"),
    ):  # fmt: skip
        run(store, "HSET", "site:", name, text)
    assert store.site_settings.read_switches() == SiteSwitches()
    run(store, "DEL", "site:")
    run(store, "SET", "site:", "text")
    assert store.site_settings.read_switches() == SiteSwitches()
