"""``voteweb article`` and ``group``: articles are purged to the last word; groups get aliases and are deleted."""

import json
from pathlib import Path

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line, log_entries
from tests.helpers import until
from tests.store.examination import broken
from tests.store.purged_words import WORDS, log_entry, words_left, write_words
from voteweb.core.models import LogAction, LogEntry, Role
from voteweb.core.settings import Settings
from voteweb.embedded.database import open_database
from voteweb.store import Store, open_store
from voteweb.store.migrations import Migrations


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
        "name": "go", "title": "Go", "articles": 3, "aliases": ["golang"], "description": "",
    }  # fmt: skip
    assert json.loads(second)["name"] == "java"
    assert invoke("group", "alias", "go", "g").stdout == "go is found under golang, g, too.\n"
    assert invoke("group", "alias", "go", "g", "--remove").stdout == "go is found under golang, too.\n"
    assert invoke("group", "alias", "golang", "--remove").stdout == "go has no alias now.\n"
    assert [(entry.who, entry.kind, entry.title) for entry in log_entries(groups)] == [
        ("command line", "group", "go")
    ] * 4
    assert invoke("group", "alias", "go").exit_code == 2
    assert "java" in error_line(invoke("group", "alias", "go", "java"))
    assert error_line(invoke("group", "alias", "nothing", "x")) == "There is no group named nothing."


def test_a_merged_group_is_a_second_name(invoke: Invoke, groups: Store) -> None:
    assert invoke("group", "merge", "go", "java").exit_code == 2, "nobody can be asked"
    for _ in range(2):  # cut off, it is run again
        assert invoke("group", "merge", "GO", "java", "--yes").stdout == "Merged go into java.\n"
    assert [groups.articles.get(id).groups for id in (1, 2, 3)] == [("java",)] * 3
    assert [(entry.kind, entry.title, entry.added) for entry in log_entries(groups)] == [("merge", "go", ("java",))]
    assert error_line(invoke("group", "merge", "java", "go", "--yes")).startswith(
        "The group java cannot be merged into"
    )
    assert error_line(invoke("group", "delete", "go", "--yes")) == "The group go is merged into java already."
    assert broken(groups) == []


def test_a_planned_merge_is_stopped(invoke: Invoke, groups: Store) -> None:
    boss, entry = factories.user(groups, "boss", Role.ADMIN), LogEntry(LogAction.PLAN_MERGE, "boss", title="go")
    groups.planned_merges.plan("go", "java", entry, actor=boss)
    assert invoke("group", "stop-merge", "GO").stdout == "Stopped the merge of go.\n"
    assert error_line(invoke("group", "stop-merge", "go")) == "This merge of go is not planned any more."
    assert [(entry.who, entry.kind) for entry in log_entries(groups)][-1] == ("command line", "stop-merge")
    assert broken(groups) == []


def test_a_deleted_group_leaves_its_articles(invoke: Invoke, groups: Store) -> None:
    assert invoke("group", "delete", "go").exit_code == 2, "nobody can be asked"
    assert invoke("group", "delete", "go", "--yes").stdout == "Deleted go; 3 articles left it.\n"
    assert [groups.articles.get(id).groups for id in (1, 2, 3)] == [(), ("java",), ()]
    assert [(entry.kind, entry.title) for entry in log_entries(groups)] == [("delete", "go")]
    assert broken(groups) == []


@pytest.fixture
def site(store: Store) -> Store:
    """A site with words about one article in every place that can have them, and another article."""
    write_words(store)
    return store


def test_no_word_is_left_but_the_reasons(invoke: Invoke, site: Store) -> None:
    site.removals.remove(1, log_entry(1, LogAction.REMOVE))
    position = site.search.end_of_changes()
    assert invoke("article", "purge", 1, "--reason", "a court").exit_code == 2, "nobody can be asked"
    result = invoke("article", "purge", 1, "--reason", "a court", "--with-comments", "--yes")
    assert "until it is rewritten: redis-cli BGREWRITEAOF." in result.stdout
    assert words_left(site) == []
    *others, purge = log_entries(site)
    assert {entry.why for entry in others} == {"the reason"}
    assert {entry.title for entry in others} == {"", "Harmless"}
    assert (purge.who, purge.kind, purge.article, purge.title, purge.why) == (
        "command line", LogAction.PURGE, 1, "", "a court",
    )  # fmt: skip
    assert site.search.changes_since(position, wait=0).is_purge
    assert broken(site) == []


def test_comments_stay_unless_asked(invoke: Invoke, site: Store) -> None:
    assert invoke("article", "purge", 1, "--reason", "a court", "--yes").exit_code == 0
    assert words_left(site) == ["horrid", "beastly"]


def test_the_file_of_the_embedded_database_is_rewritten(invoke_alone: Invoke, embedded: Path) -> None:
    def words_in_files() -> list[str]:
        files = [file.read_bytes() for file in (embedded / "appendonlydir").glob("*.aof")]
        return [word for word in WORDS if any(word.encode() in file for file in files)]

    with open_database(Settings(data_dir=str(embedded))) as settings:
        store = open_store(settings)
        Migrations(store.context).state()
        write_words(store)
        store.connection.close()
    assert words_in_files() == list(WORDS)
    arguments = ("article", "purge", 1, "--reason", "a court", "--with-comments", "--yes")
    result = invoke_alone(*arguments, VOTEWEB_DATA_DIR=str(embedded))
    assert result.stdout == "Purged 1. Backups made before still have its words.\n"
    until(lambda: words_in_files() == [])
