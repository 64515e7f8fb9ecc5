"""Switches of the site: set by admins alone, one of two at once, with an entry in the log for each change."""

from dataclasses import replace

import pytest

from tests import factories
from tests.store.examination import broken, run
from tests.store.queries import log_page
from voteweb.core.errors import NotAllowed
from voteweb.core.models import LogAction, LogEntry, Role, User
from voteweb.core.rate_limits import LOGIN_BY_ADDRESS
from voteweb.core.site_switches import ON, SiteSwitches, SwitchName
from voteweb.store import Store, build_store


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


def test_posting_takes_the_settings_that_a_switch_overrides(store: Store) -> None:
    root, context = factories.user(store, "root", Role.ADMIN), store.context
    for value, is_held in (("1", True), ("", False)):
        set_switch(store, root, SwitchName.HOLD_POSTS, value)
        store.site_settings.read_switches()
        newcomer = store.users.make(f"newcomer{value}", "", network="")
        id = store.articles.post(factories.draft(), newcomer, factories.token(), allow_duplicate=True)
        assert store.waiting.has_article(id) is is_held
        start = build_store(store.connection, context.unswitched)  # a process that is started now
        start.site_settings.take_settings()
        for place in (context, start.context):
            assert (place.settings.hold_posts, place.unswitched.hold_posts) == (int(is_held), 0)


def test_rate_limits_take_the_settings_in_force(store: Store) -> None:
    hits = [(LOGIN_BY_ADDRESS._replace(burst=1), "198.51.100.7")]
    for factor, is_refused in ((0, False), (1, False), (1, True), (0, False)):
        store.context.put_in_force(replace(store.context.settings, limits=factor))
        assert (store.limits.hit(hits) is not None) is is_refused


def test_values_of_another_program_set_nothing(store: Store) -> None:
    switch = '{"value": "%s", "words": "", "by": "x", "time": 1}'
    for name, text in (
        ("signup", switch % "everybody"), ("hold-posts", switch % "-1"), ("read-only", "[]"), ("other", switch % "on"),
        ("announcement", switch % "javascript:alert(1)"), ("name", switch % ("x" * 61)), ("rules", switch % "text"),
        ("contact", switch % "javascript:alert(1)"), ("accent", switch % "#ffffff"),
    ):  # fmt: skip
        run(store, "HSET", "site:", name, text)
    assert store.site_settings.read_switches() == SiteSwitches()
    set_switch(store, factories.user(store, "root", Role.ADMIN), SwitchName.READ_ONLY, ON)
    run(store, "SET", "score:", "text")
    assert list(store.site_settings.read_switches()) == [SwitchName.READ_ONLY]
    run(store, "DEL", "site:")
    run(store, "SET", "site:", "text")
    assert store.site_settings.read_switches() == SiteSwitches()


def set_text(store: Store, by: User, text: str) -> None:
    entry = LogEntry(LogAction.SWITCH, by.name, title="rules")
    store.site_settings.set_text(SwitchName.RULES, text, entry, actor=by)


def test_a_text_is_in_force_kept_and_logged(store: Store, mod: User) -> None:
    root, site = factories.user(store, "root", Role.ADMIN), store.site_settings
    with pytest.raises(NotAllowed):
        set_text(store, mod, "Mine.")
    for text in ("", "Be *kind*.", "Be *kind*.", "", "", "Be *kind*."):
        set_text(store, root, text)
    assert [(text.words, text.by) for text in store.read(site.queue_texts, "rules")] == [("Be *kind*.", "root")]
    assert (SwitchName.RULES in site.read_switches(), store.context.texts.get(SwitchName.RULES)) == (True, "Be *kind*.")
    assert log_of(store) == [("rules", (value,) if value else (), "", "root") for value in (ON, "", ON)]
    assert broken(store) == []


def test_a_damaged_text_is_named_and_shows_the_usual_one(store: Store) -> None:
    root, site = factories.user(store, "root", Role.ADMIN), store.site_settings
    set_text(store, root, "Be kind.")
    run(store, "ZADD", "page-texts:rules", 9e9, '{"words": "Be\\u202e kind.", "by": "root", "time": 9}', 8e9, "x")
    assert ['{"words"' in what or "holds x" in what for _, what in broken(store)] == [True, True]
    run(store, "DEL", "page-texts:rules")
    assert (SwitchName.RULES in site.read_switches(), store.context.texts.get(SwitchName.RULES)) == (True, None)
    run(store, "SET", "page-texts:rules", "x")
    assert SwitchName.RULES in build_store(store.connection, store.context.unswitched).site_settings.read_switches()
    assert broken(store) == [("page-texts:rules", "is a string, but should be a zset")]
