"""Groups: the list of all, their articles, several combined, creating and changing one."""

from collections import deque

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.conftest import MakeBrowser, MakeMember
from tests.web.limits import assert_too_fast
from voteweb.core import config, rate_limits
from voteweb.core.models import Role
from voteweb.store import Store


@pytest.fixture(autouse=True)
def articles(store: Store) -> None:
    """Three articles in two groups; one is in both, and one has a vote more."""
    factories.group(store, "python", "Python", "The language.")
    for title, groups in (("In python", ["python"]), ("In both", ["python", "redis"]), ("In redis", ["redis"])):
        factories.article(store, title=title, groups=groups)
    store.votes.cast(1, factories.user(store, "zoe"))


def test_groups_are_listed_those_followed_first(reader: Browser, bob: Browser) -> None:
    python, redis = reader.open("/groups").page.one("ul", class_="groups").all("li")
    assert (python.text, redis.one("a")["href"]) == ("Python 2 articles · The language.", "/g/redis")
    bob.open("/groups").press("/g/redis/follow")
    followed, other = bob.open("/groups").page.one("ul", class_="groups").all("li")
    assert (followed.one("h2").text, followed.one("button").text) == ("Redis", "Unfollow redis")
    assert other.one("button").text == "Follow python"


def test_group_is_listed_by_score_and_by_time(reader: Browser) -> None:
    assert reader.open("/g/python").titles == ["In python", "In both"]
    assert reader.page.one("ol", class_="articles").texts("a", class_="chip") == ["redis"]
    assert not reader.page.all("a", href="/g/python/edit")
    assert reader.open("/g/python/new").titles == ["In both", "In python"]
    assert reader.page.one("nav", class_="orders").one("a", aria_current="page").text == "New"


@pytest.mark.parametrize("address", ["/g/python+redis", "/g/python+redis/new"])
def test_combined_groups_show_common_articles(address: str, reader: Browser) -> None:
    assert reader.open(address).titles == ["In both"]
    assert "Python + Redis" in reader.heading
    assert reader.page.texts("p", class_="total") == ["1 article"]


def test_groups_without_a_common_article_say_so(reader: Browser, store: Store) -> None:
    factories.group(store, "empty")
    for address in ("/g/empty", "/g/empty+python?page=1"):
        assert reader.open(address).page.one("div", class_="empty").text


@pytest.mark.parametrize(
    ("address", "location"),
    [
        ("/g/Python", "/g/python"),
        ("/g/redis+Python+redis/new", "/g/python+redis/new"),
        ("/g/%20python", "/g/python"),
        ("/g/redis+python/new?page=2&x=1", "/g/python+redis/new?page=2"),
        ("/g/redis+python?page=%0d%0aX:y%26%23", "/g/python+redis?page=%0D%0AX:y%26%23"),
    ],
)
def test_every_list_has_one_address(address: str, location: str, reader: Browser) -> None:
    assert (reader.open(address).status, reader.location) == (301, location)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("/g/nope+python+zzz", "There is no group named nope, zzz."),
        ("/g/<b>/new", "There is no group named <b>."),
        ("/g/a%20b/edit", "There is no group named a b."),
        ("/g/" + "x" * 31, f"There is no group named {'x' * 31}."),
        ("/g/a+b+c+d+e", "An address can combine at most 4 groups."),
    ],
)
def test_unknown_groups_are_404(address: str, message: str, mod: Browser) -> None:
    assert (mod.open(address).status, mod.intro) == (404, message)


@pytest.mark.usefixtures("_stopped_limits")
def test_many_new_combinations_from_one_address_are_refused(
    make_browser: MakeBrowser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    factories.group(store, "empty")
    few = rate_limits.COMBINE._replace(burst=1)
    monkeypatch.setattr(rate_limits, "COMBINE", few)
    browser = make_browser(limits=1)
    for address in ("/g/nope+python", "/g/empty+python", "/g/python+redis", "/g/python+redis"):
        assert browser.open(address).status in (200, 404)
    assert_too_fast(browser.open("/g/python+redis/new"), few)
    assert browser.open("/g/python+redis.atom").status == 200
    assert browser.open("/g/python+redis/new.atom").status == 429


def test_combined_groups_say_how_many_articles_were_looked_at(
    reader: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "MAX_COMBINED_ARTICLES", 1)
    page = reader.open("/g/python+redis").page
    text = "None of the first 1 articles of the smallest group is in all of these groups."
    assert page.one("div", class_="empty").all("p")[0].text == text
    totals = reader.open("/g/python+redis/new").page.texts("p", class_="total")
    assert totals[0] == "1 article among the first 1 of the smallest group"


def test_new_group_can_be_used_at_once(mod: Browser) -> None:
    mod.open(mod.open("/groups").page.one("a", class_="button", href="/groups/new")["href"])
    mod.submit("/groups/new", name=" 编程 ", title="Programming", description="All about\nit")
    assert mod.location == "/g/%E7%BC%96%E7%A8%8B"
    assert (mod.follow().heading, mod.page.all("p", class_="intro")[0].text) == ("Programming", "All about it")
    assert "编程" in mod.open("/submit").page.values("value", "input", name="groups")


def test_group_keeps_its_name_when_it_is_changed(mod: Browser, store: Store) -> None:
    mod.open("/g/PYTHON/edit").submit("/g/python/edit", title="Python 3", description="", name="other")
    assert mod.follow().heading == "Python 3"
    group = factories.group(store, "python")
    assert (group.name, group.title, group.description) == ("python", "Python 3", "")


def test_a_second_name_leads_to_the_group(mod: Browser, reader: Browser, store: Store) -> None:
    mod.fill_in("/g/python/edit", alias="Serpent")
    assert mod.follow().flashes == ["Group changed."]
    assert mod.open("/g/python/edit").page.by_id("alias")["value"] == "serpent"
    for address, target in (
        ("/g/python+serpent", "/g/python"),
        ("/g/serpent/top?of=all", "/g/python/top?of=all"),
        ("/g/serpent/new.json", "/g/python/new.json"),
    ):
        reader.open(address)
        assert (reader.status, reader.location) == (301, target), address
    mod.fill_in("/g/redis/edit", alias="serpent")
    assert (mod.status, mod.field_error("alias")) == (422, "The name serpent is taken by a group already.")


@pytest.fixture
def boss(make_member: MakeMember) -> Browser:
    return make_member("boss", Role.ADMIN)


def test_a_group_is_merged_as_an_admin_planned(
    boss: Browser, ann: Browser, reader: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann.send("/g/python/hide")
    boss.open("/g/python/edit")
    assert "This begins 1 day after you have pressed" in boss.page.by_id("into-hint").text
    for typed, message in (
        ("Nowhere", "There is no group named nowhere."),
        ("Python", "The group python cannot be merged into itself. Please choose another one."),
    ):
        assert boss.page.one("button", formaction="/g/python/merge")["form"] == boss.form("/g/python/edit")["id"]
        for act in ("merge", "edit"):
            boss.send(f"/g/python/{act}", title="Typed", into=typed)
            assert [boss.page.by_id(field)["value"] for field in ("title", "into")] == [
                "Typed",
                typed.lower() if act == "merge" else typed,
            ]
            assert message == boss.field_error("into") if act == "merge" else "Press “Merge”" in boss.page.text
    monkeypatch.setattr(config, "MERGE_DELAY_SECONDS", 0)
    boss.send("/g/python/merge", into="Redis")
    assert boss.follow().flashes == ["The merge is planned. Any moderator can stop it here until it begins."]
    assert reader.open("/g/python/new").titles == ["In both", "In python"]
    next(store.group_merges.steps())
    assert reader.open("/g/python").location == "/g/redis"
    assert boss.open("/a/1/edit").form("/a/1/edit").one("input", name="groups", value="redis", checked="")
    ann.send("/g/python/follow")  # on a page from before
    deque(store.group_merges.steps(), maxlen=0)
    assert reader.open("/g/redis/new").titles == ["In redis", "In both", "In python"]
    assert ann.open("/hidden").page.all("a", href="/g/redis") == []
    assert reader.open("/log?kind=merge").log == ["boss merged the group python into redis"]
    assert boss.open("/g/python/edit").follow().page.by_id("alias")["value"] == "python"


def test_any_moderator_stops_a_planned_merge_where_it_is_shown(boss: Browser, mod: Browser, reader: Browser) -> None:
    assert not mod.open("/g/python/edit").page.all("button", formaction="/g/python/merge")
    assert mod.send("/g/python/merge", into="redis").status == 403
    for number, address in enumerate(("/g/python", "/g/python/new", "/g/python/edit", "/queue", "/log")):
        boss.send("/g/python/merge", into="redis")
        plan = "boss planned to merge the group python into redis on" if address == "/log" else _PLAN
        if address.startswith("/g/python") and address != "/g/python/edit":
            assert _PLAN in reader.open(address).main
            assert not reader.page.all("form", action=f"/log/{2 * number + 1}/undo")
        assert plan in mod.open(address).main
        mod.submit(f"/log/{2 * number + 1}/undo")
        assert mod.follow().flashes == ["The action has been undone. The log says so."]
        assert _PLAN not in mod.main
    newest, plan, *_ = reader.open("/log").log
    assert newest == "mod stopped the merge of the group python into redis"
    assert plan.endswith("undone")
    assert "Nothing waits." in mod.open("/queue").main


_PLAN = "boss has planned to merge python into redis for good. It begins on"


def test_an_empty_group_is_deleted(mod: Browser, reader: Browser, store: Store) -> None:
    assert not mod.open("/g/python/edit").page.all("form", action="/g/python/delete")
    mod.send("/g/python/delete")
    message = "There are articles in the group python. Only an empty group can be deleted."
    assert mod.follow().flashes == [message]
    for id in (1, 2):
        store.articles.set_groups(id, [], ["python"])
    mod.open("/g/python/edit").submit("/g/python/delete")
    assert mod.follow().flashes == ["The group python has been deleted."]
    assert "deleted the group python" in reader.open("/log").log[0]
