"""``voteweb group``: groups are listed, renamed, found under an alias, and deleted without their articles."""

import json

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line, log_entries
from tests.store.examination import broken, run
from voteweb.store import Store


@pytest.fixture
def groups(store: Store) -> Store:
    """A site with three articles in the group "go", one of which is in "java", too."""
    for names in (("go",), ("go", "java"), ("go",)):
        factories.article(store, groups=names, link="")
    return store


def test_a_group_gets_an_alias(invoke: Invoke, groups: Store) -> None:
    assert invoke("group", "alias", "GO", "golang").stdout == "go is found under golang, too.\n"
    first, second = invoke("group", "list", "--json").stdout.splitlines()
    assert json.loads(first) == {
        "name": "go", "title": "Go", "articles": 3, "alias": "golang", "description": "",
    }  # fmt: skip
    assert json.loads(second)["name"] == "java"
    assert invoke("group", "alias", "golang", "--remove").stdout == "go has no alias now.\n"
    assert [(entry.who, entry.kind, entry.title) for entry in log_entries(groups)] == [
        ("command line", "group", "go")
    ] * 2
    assert invoke("group", "alias", "go").exit_code == 2
    assert "java" in error_line(invoke("group", "alias", "go", "java"))
    assert error_line(invoke("group", "alias", "nothing", "x")) == "There is no group named nothing."


def test_a_deleted_group_leaves_its_articles(invoke: Invoke, groups: Store) -> None:
    assert invoke("group", "delete", "go").exit_code == 2, "nobody can be asked"
    assert invoke("group", "delete", "go", "--yes").stdout == "Deleted go; 3 articles left it.\n"
    assert [groups.articles.get(id).groups for id in (1, 2, 3)] == [(), ("java",), ()]
    assert [(entry.kind, entry.title) for entry in log_entries(groups)] == [("delete", "go")]
    assert broken(groups) == []


def test_a_group_with_something_that_is_no_article_is_kept(invoke: Invoke, groups: Store) -> None:
    run(groups, "SADD", "group:go", "something")
    assert "go" in error_line(invoke("group", "delete", "go", "--yes"))
    assert groups.articles.get(1).groups == ()
