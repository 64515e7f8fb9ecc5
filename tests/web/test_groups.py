"""Groups: all of them, their articles, several at once, making and changing one."""

import pytest

from tests import factories
from tests.web.browser import Browser
from tests.web.test_articles import titles
from voteweb.store import Store


@pytest.fixture(autouse=True)
def articles(fake_store: Store) -> None:
    """Three articles in two groups; one is in both, and one has a vote more."""
    factories.group(fake_store, "python", "Python", "The language.")
    for title, groups in (("In python", ["python"]), ("In both", ["python", "redis"]), ("In redis", ["redis"])):
        factories.article(fake_store, title=title, groups=groups)
    fake_store.votes.cast(1, factories.user(fake_store, "zoe"))


def test_all_groups_are_listed_with_title_description_and_count(reader: Browser) -> None:
    python, redis = reader.open("/groups").page.one("ul", class_="groups").all("li")
    assert python.words == "Python The language. python · 2 articles"
    assert redis.one("a")["href"] == "/g/redis"
    assert not reader.page.all("a", href="/groups/new")


def test_a_site_without_groups_says_so(reader: Browser, fake_store: Store) -> None:
    fake_store.connection.client.delete("groups:")
    assert reader.open("/groups").page.one("div", class_="empty").words


def test_a_group_is_listed_by_score_and_by_time(reader: Browser) -> None:
    assert titles(reader.open("/g/python")) == ["In python", "In both"]
    assert reader.page.one("nav", class_="orders").one("a", aria_current="page").words == "Top"
    assert titles(reader.open("/g/python/new")) == ["In both", "In python"]
    assert reader.page.one("nav", class_="orders").one("a", aria_current="page").words == "New"


@pytest.mark.parametrize("address", ["/g/python+redis", "/g/python+redis/new"])
def test_several_groups_show_what_is_in_all_and_as_of_when(address: str, reader: Browser) -> None:
    assert titles(reader.open(address)) == ["In both"]
    assert "Python + Redis" in reader.heading
    first, second = (each.words for each in reader.page.all("p", class_="total"))
    assert first == "1 article"
    assert second.startswith("As of ")


def test_groups_without_a_common_article_say_so(reader: Browser, fake_store: Store) -> None:
    factories.group(fake_store, "empty")
    for address in ("/g/empty", "/g/empty/new", "/g/empty+python", "/g/empty+python?page=1"):
        assert reader.open(address).page.one("div", class_="empty").words


@pytest.mark.parametrize(
    ("address", "leads_to"),
    [
        ("/g/Python", "/g/python"),
        ("/g/PYTHON/new", "/g/python/new"),
        ("/g/redis+python", "/g/python+redis"),
        ("/g/redis+Python+redis/new", "/g/python+redis/new"),
        ("/g/python+python", "/g/python"),
        ("/g/%20python", "/g/python"),
        ("/g/redis+python?page=2", "/g/python+redis?page=2"),
        ("/g/redis+python/new?page=2&x=1", "/g/python+redis/new?page=2"),
        ("/g/redis+python?page=%0d%0aX:y%26%23", "/g/python+redis?page=%0D%0AX:y%26%23"),
    ],
)
def test_each_list_has_one_address(address: str, leads_to: str, reader: Browser) -> None:
    assert (reader.open(address).status, reader.location) == (301, leads_to)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("/g/nope", "There is no group named nope."),
        ("/g/nope+python+zzz", "There is no group named nope, zzz."),
        ("/g/nope/new", "There is no group named nope."),
        ("/g/a%20b", "There is no group named a b."),
        ("/g/<b>", "There is no group named <b>."),
        ("/g/" + "x" * 31, f"There is no group named {'x' * 31}."),
        ("/g/a+b+c+d+e", "An address can combine 4 groups at most."),
    ],
)
def test_groups_that_are_none_are_404(address: str, says: str, reader: Browser) -> None:
    reader.open(address)
    assert (reader.status, reader.page.one("p", class_="lead").words) == (404, says)
    assert reader.page.one("main").one("a", class_="call")["href"] == "/"


def test_a_moderator_makes_a_group_that_can_be_used_at_once(mod: Browser) -> None:
    mod.open(mod.open("/groups").page.one("a", class_="call", href="/groups/new")["href"])
    mod.submit("/groups/new", name=" 编程 ", title="Programming", description="All about\nit")
    assert mod.location == "/g/%E7%BC%96%E7%A8%8B"
    assert mod.follow().flashes == ["The group is made."]
    assert (mod.heading, mod.page.all("p", class_="lead")[0].words) == ("Programming", "All about it")
    assert "编程" in [each["value"] for each in mod.open("/submit").page.all("input", name="groups")]


@pytest.mark.parametrize(
    ("field", "typed", "says"),
    [
        ("name", "", "A group's name has 1 to 30 characters."),
        ("name", "x" * 31, "A group's name has 1 to 30 characters."),
        ("name", "a b", "A group's name is made of letters, digits, - and _."),
        ("name", "a+b", "A group's name is made of letters, digits, - and _."),
        ("name", "a:b", "A group's name is made of letters, digits, - and _."),
        ("name", "\u202eab", "A group's name is made of letters, digits, - and _."),
        ("name", "PYTHON", "There is already a group named python."),
        ("title", "  ", "A group's title has 1 to 60 characters."),
        ("title", "x" * 10_000, "A group's title has 1 to 60 characters."),
        ("description", "x" * 301, "A description has 300 characters at most."),
    ],
)
def test_what_is_wrong_with_a_group_is_said_beside_its_field_and_everything_stays(
    field: str, typed: str, says: str, mod: Browser, fake_store: Store
) -> None:
    fields = {"name": "golang", "title": "Go", "description": "A language"} | {field: typed}
    mod.open("/groups/new").submit("/groups/new", **fields)
    assert (mod.status, mod.error_at(field)) == (422, says)
    kept = mod.form("/groups/new")
    assert kept.one("input", name="title")["value"] == fields["title"]
    assert kept.one("textarea", name="description").raw.removeprefix("\n") == fields["description"]
    assert fake_store.connection.client.scard("groups:") == 2


def test_a_group_is_changed_but_for_its_name(mod: Browser, fake_store: Store) -> None:
    mod.open(mod.open("/g/python").page.one("nav", class_="orders").one("a", href="/g/python/edit")["href"])
    form = mod.form("/g/python/edit")
    assert form.one("input", name="title")["value"] == "Python"
    assert not form.all("input", name="name")
    mod.submit("/g/python/edit", title="Python 3", description="", name="other")
    assert mod.follow().flashes == ["The group is changed."]
    assert mod.heading == "Python 3"
    group = factories.group(fake_store, "python")
    assert (group.name, group.title, group.description) == ("python", "Python 3", "")


def test_a_change_that_is_refused_keeps_what_was_typed(mod: Browser) -> None:
    mod.open("/g/python/edit").submit("/g/python/edit", title="", description="a new one")
    assert (mod.status, mod.error_at("title")) == (422, "A group's title has 1 to 60 characters.")
    assert mod.page.one("textarea").words == "a new one"


@pytest.mark.parametrize("address", ["/g/nope/edit", "/g/a%20b/edit", "/g/python+redis/edit"])
def test_a_group_that_is_none_cannot_be_changed(address: str, mod: Browser) -> None:
    assert mod.open(address).status == 404


def test_a_group_in_any_letters_is_changed_under_its_one_name(mod: Browser) -> None:
    assert mod.open("/g/PYTHON/edit").form("/g/python/edit")
