"""The public log: its entries, filters, pages and feed, and undoing."""

import time
from datetime import UTC, datetime

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeMember
from tests.web.dom import Element
from voteweb.core import config
from voteweb.core.models import LogAction, LogEntry, Role
from voteweb.core.site_switches import SwitchName
from voteweb.store import Store
from voteweb.store.schema.fields import is_packed_entry, pack, unpack
from voteweb.web.i18n.formatting import LOG_ACTIONS


@pytest.fixture(autouse=True)
def article(store: Store) -> None:
    """An article of ann's in one of three groups."""
    for name in ("lua", "python", "redis"):
        factories.group(store, name)
    factories.article(store, title="On Redis", groups=("redis",))


def entries(person: Browser, address: str = "/log") -> list[Element]:
    """Return the entries on the page of the log at *address*."""
    return person.open(address).page.one("main").all("li")


def undo_forms(person: Browser) -> list[str]:
    """Return the addresses of the undo forms that the log offers to *person*."""
    actions = [form.attrs.get("action", "") for form in person.open("/log").page.all("form")]
    return [action for action in actions if action.endswith("/undo")]


def ban(store: Store, who: str, name: str, why: str = "Spam.") -> None:
    """Ban *name* in the name of *who*."""
    factories.ban(store, factories.user(store, name).name, why, by=who)


def refusal(person: Browser) -> str:
    return person.page.one("p", class_="error").text


def set_time(store: Store, id: int, at: float) -> None:
    """Give an entry another time."""
    fields = unpack(store.connection.client.lindex("log-entries:", id - 1)) | {"time": f"{at:.6f}"}
    store.connection.client.lset("log-entries:", id - 1, pack(fields))


def test_every_kind_of_act_has_a_sentence(mod: Browser, reader: Browser, make_member: MakeMember, store: Store) -> None:
    mod.open("/a/1").submit("/a/1/remove", reason="Off topic.")
    mod.fill_in("/groups/new", name="go", title="Go")
    factories.user(store, "eve")
    mod.fill_in("/u/eve/ban", reason="Spam.")
    mod.open("/u/eve").submit("/u/eve/unban")
    make_member("boss", Role.ADMIN).open("/u/eve").submit("/u/eve/role", role="moderator")
    assert reader.open("/log").log == [
        "boss changed the role of eve : moderator",
        "mod lifted the ban of eve",
        "mod banned eve : Spam.",
        "mod created or changed the group go",
        "mod removed “On Redis” : Off topic.",
    ]
    assert reader.page.one("p", class_="total").text == "5 entries"
    about = [entry.one("p", class_="meta").values("href", "a") for entry in entries(reader)[2:5]]
    assert about == [["/u/eve"], [], ["/a/1", "/u/ann"]]


def test_each_kind_and_switch_has_sentences_of_its_own(app: Flask) -> None:
    log = vars(app.jinja_env.get_template("moderation_log/_entry.html").module)
    assert {kind.split()[-1] for kind in log["sentences"]} | set(log["acts"]) == set(LogAction) == set(LOG_ACTIONS)
    assert set(log["switch_sentences"]) == set(SwitchName)
    kinds = [LogEntry(kind, "mod", about="eve", article=1, title="A title") for kind in LogAction]
    values = [(name, value) for name in SwitchName for value in ((), ("9",))]
    switches = [LogEntry(LogAction.SWITCH, "root", title=name, added=value) for name, value in values]
    with app.test_request_context():
        told = [log["sentence"](entry).strip() for entry in (*kinds, *switches)]
    assert all(told)
    assert sorted(told) == sorted(set(told))


def test_log_can_be_filtered_by_moderator_and_kind(reader: Browser, store: Store) -> None:
    factories.remove(store, 1, by="eve")
    ban(store, "eve", "yan")
    assert len(entries(reader, "/log?kind=nonsense")) == 2
    (entry,) = entries(reader, "/log?who=eve&kind=ban")
    assert entry.text.startswith("eve banned yan")
    assert reader.value("who") == "eve"
    assert [option["value"] for option in reader.page.all("option") if "selected" in option] == ["ban"]


def test_pages_keep_the_filter(reader: Browser, store: Store) -> None:
    for i in range(60):
        ban(store, "eve" if i % 2 else config.COMMAND_LINE, f"member{i}")
    reader.open("/log?who=command+line&kind=ban")
    assert reader.page.one("p", class_="total").text == "30 entries"
    reader.open_next()
    names = [entry.text.partition(",")[0].split()[3] for entry in reader.page.one("ol").all("li")]
    assert names == [f"member{i}" for i in (8, 6, 4, 2, 0)]
    assert not reader.page.all("p", class_="total") + reader.page.all("a", rel="next")


def test_moderator_undoes_a_removal_and_a_change_of_groups(mod: Browser, reader: Browser, store: Store) -> None:
    mod.open("/a/1").submit("/a/1/groups", add="lua", remove="redis")
    mod.open("/a/1").submit("/a/1/remove", reason="Off topic.")
    mod.open("/log?who=mod&kind=").submit("/log/2/undo")
    assert mod.location == "/log?who=mod&kind=#l2"
    assert mod.follow().flashes == ["The action has been undone. The log says so."]
    mod.submit("/log/1/undo")
    assert store.articles.get(1).groups == ("redis",)
    assert reader.open("/log").log == [
        "mod changed the groups of “On Redis”: added to redis, removed from lua",
        "mod restored “On Redis”",
        "mod removed “On Redis” : Off topic. undone",
        "mod changed the groups of “On Redis”: added to lua, removed from redis undone",
    ]
    assert undo_forms(mod) == ["/log/4/undo"]


def test_undo_is_for_its_moderator_within_ten_minutes(
    mod: Browser, make_member: MakeMember, reader: Browser, ann: Browser, store: Store
) -> None:
    mod.open("/a/1").submit("/a/1/remove", reason="Off topic.")
    ban(store, "mod", "yan")
    others = (reader, ann, make_member("second", Role.MODERATOR), make_member("boss", Role.ADMIN))
    assert [undo_forms(other) for other in others] == [[]] * 4
    assert undo_forms(mod) == ["/log/2/undo", "/log/1/undo"]
    for at in (0, 1):
        set_time(store, at + 1, time.time() - config.UNDO_SECONDS - 1)
    assert undo_forms(mod) == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=REDIS", "2 1"),
        ("q=adverts", "3"),  # in a reason
        ("q=eve+python", "1"),  # all words
        ("q=%22quoted%22+a/b", "4"),
        ("q=redis&who=EVE&kind=remove", "2"),
        ("q=17", ""),  # no number of an entry or a time
        ("from=2026-01-02&to=2026-01-03", "3 2"),
        ("to=2026-01-01", "1"),
        ("from=2026-01-02&q=redis", "2"),
    ],
)
def test_log_is_searched_by_words_and_days(reader: Browser, store: Store, query: str, found: str) -> None:
    change = LogEntry(LogAction.GROUPS, "eve", about="ann", article=1, title="On Redis")
    store.articles.set_groups(1, ["python"], ["redis"], change)
    factories.remove(store, 1, "Off topic.", by="eve")
    ban(store, "eve", "yan", "Nothing but adverts.")
    ban(store, "eve", "zoe", 'A "quoted" a/b.')
    for day in range(1, 5):
        set_time(store, day, datetime(2026, 1, day, 23, 59, 59, tzinfo=UTC).timestamp())
    assert " ".join(entry["id"].removeprefix("l") for entry in entries(reader, f"/log?{query}")) == found
    assert bool(reader.page.all("div", class_="empty")) is not bool(found)


def test_a_search_goes_on_where_it_ended(reader: Browser, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "LOG_SEARCHED", 4)
    monkeypatch.setattr(config, "LOG_STEP", 2)
    for i in range(9):
        ban(store, "eve", f"member{i}", "Adverts." if i in (0, 7) else "Spam.")
    names = []
    reader.open("/log?q=adverts&kind=ban")
    for _ in range(3):
        names += [entry.text.split()[2] for entry in reader.page.one("main").all("li")]
        assert "Looked through" in reader.page.one("main").all("p", class_="hint")[-1].text
        if more := reader.page.all("a", rel="next"):
            reader.open(more[0]["href"])
    assert (names, more) == (["member7", "member0"], [])


def test_a_wrong_day_is_named_and_kept(reader: Browser) -> None:
    for query, said in (
        ("q=redis&from=2026-13-01", "2026-13-01 is no day."),
        ("q=redis&from=2026-02-02&to=2026-02-01", "The first day is after the last one."),
    ):
        assert refusal(reader.open(f"/log?{query}")).startswith(said)
        assert reader.status == 422
        typed = {name: reader.page.all("input", name=name)[-1]["value"] for name in ("q", "from")}
        assert typed == dict(pair.split("=") for pair in query.split("&")[:2])


def test_articles_a_moderator_sorted_one_after_another_are_one_line(
    reader: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "LOG_PAGE_SIZE", 1)
    factories.article(store)
    for who, article, added, removed in (("eve", 1, 1, 0), ("mod", 1, 0, 1), ("mod", 2, 1, 0), ("mod", 2, 0, 1)):
        change = LogEntry(LogAction.GROUPS, who, article=article, title="A title")
        store.articles.set_groups(article, ["lua"] * added, ["lua"] * removed, change)
    for id in range(1, 5):
        set_time(store, id, 1_800_000_000 + id * 60)
    runs = reader.open("/log").page.one("main").all("details")[1:]
    assert [run.one("summary").text for run in runs] == ["mod sorted 2 articles, 08:02–08:04 UTC"]
    assert len(runs[0].all("li")) == 3
    assert "sorted" not in reader.open("/log.atom").text


def test_an_admin_undoes_what_a_moderator_did(mod: Browser, make_member: MakeMember, store: Store) -> None:
    mod.open("/a/1").submit("/a/1/groups", add="lua", remove="redis")
    mod.fill_in("/a/1/edit", title="On Valkey")
    mod.open("/a/1").submit("/a/1/remove", reason="Off topic.")
    mod.fill_in("/groups/new", name="new", title="New")
    admin = make_member("boss", Role.ADMIN)
    for address in ("/u/mod", "/log?who=mod"):
        assert admin.open(address).page.one("a", href="/u/mod/undo")
        assert not mod.open(address).page.all("a", href="/u/mod/undo")
    headings = admin.open("/u/mod/undo?since=hour").page.one("main").texts("h2")
    assert (headings[0][:26], headings[1]) == ("To be undone: 3 acts since", "What stays: 1 act")
    admin.submit("/u/mod/undo")
    assert (admin.status, admin.location) == (303, "/log?kind=undo")
    assert entries(admin.follow())[0].text.startswith("boss is undoing what mod did since ")
    assert refusal(admin.send("/u/mod/undo", since="day")).startswith("What mod did is being")
    list(store.undoing.steps())
    assert store.articles.get(1).groups == ("redis",)
    assert "undid 3 acts of mod since" in admin.open("/inbox").main
    assert entries(admin)[0].text.partition(";")[2].startswith(" not undone: 1")
    assert refusal(admin.open("/u/mod/undo?since=2026-02-30")).startswith("2026-02-30 is no day.")


def test_undoing_begins_with_all_acts_of_the_last_hour(mod: Browser, make_member: MakeMember, store: Store) -> None:
    """Also those of a former moderator, of every kind."""
    ban(store, "mod", "eve")
    set_time(store, 1, time.time() - 3_700)
    mod.open("/a/1").submit("/a/1/groups", add="lua")
    mod.fill_in("/g/lua/edit", title="The moon")
    mod.open("/a/1").submit("/a/1/close", reason="Enough.")
    mod.open("/a/1").submit("/a/1/remove", reason="Off topic.")
    admin = make_member("boss", Role.ADMIN)
    admin.open("/u/mod").submit("/u/mod/role", role="member")
    (link,) = (link for link in admin.follow().page.all("a") if link["href"].endswith("/undo"))
    acts = entries(admin, link["href"])
    assert [act["id"] for act in sorted(acts, key=lambda act: act["id"])] == ["l2", "l3", "l4", "l5"]
    (log,) = (link for link in admin.page.all("a") if link.text == "Everything that mod did, in the log")
    assert len(entries(admin, log["href"])) == 5
    assert not admin.open("/u/eve").page.all("a", href="/u/eve/undo"), "a member without acts"


def test_since_ever_is_logged_as_backups_accept_it(mod: Browser, make_member: MakeMember, store: Store) -> None:
    mod.open("/a/1").submit("/a/1/remove", reason="Off topic.")
    assert make_member("boss", Role.ADMIN).send("/u/mod/undo", since="0.000001").location == "/log?kind=undo"
    assert is_packed_entry(store.connection.client.lindex("log-entries:", -1))
