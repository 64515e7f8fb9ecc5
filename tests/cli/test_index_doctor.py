"""``voteweb doctor`` on the index of search: it says what is wrong with it, and has it made again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.store.examination import run
from voteweb.core.search_documents import Document, DocumentId
from voteweb.search import health
from voteweb.search.engine import connect
from voteweb.search.files import IndexFolder
from voteweb.search.indexer import Indexer
from voteweb.store import Store

Damage = Callable[[Store, IndexFolder], object]
WHOLE = "Search finds them: 3 articles and 1 comment are indexed"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IndexFolder:
    monkeypatch.setenv("VOTEWEB_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(health, "CATCH_UP_SECONDS", 0.3)
    return IndexFolder(tmp_path / "search")


@pytest.fixture
def site(store: Store, folder: IndexFolder) -> Store:
    """A site of three articles and a comment, with its index."""
    for _ in range(3):
        factories.article(store, link="")
    factories.comment(store, 1)
    Indexer(folder, store.search).catch_up()
    return store


def lose(_: Store, folder: IndexFolder) -> None:
    """Take article 1 out."""
    apply(folder, [], [1])


def apply(folder: IndexFolder, documents: list[Document], gone: list[DocumentId]) -> None:
    writer = folder.open()
    assert writer
    writer.apply(documents, gone)
    writer.close()


def garble(_: Store, folder: IndexFolder) -> None:
    """Change what only a check of the full-text index sees."""
    file = folder.current()
    assert file
    connection = connect(file, "rw")
    connection.execute("UPDATE articles_0_data SET block = x'00000000' WHERE id > 10")
    connection.close()


def overwrite(_: Store, folder: IndexFolder) -> None:
    file = folder.current()
    assert file
    file.write_bytes(b"no database" * 1_000)


def delete(_: Store, folder: IndexFolder) -> None:
    file = folder.current()
    assert file
    file.unlink()


def begin_epoch(store: Store, _: IndexFolder) -> None:
    run(store, "SET", "search:", "another")


def miss(store: Store, _: IndexFolder) -> None:
    run(store, "HDEL", "article:2", "text")
    factories.article(store, link="")
    store.removals.delete(4)
    run(store, "XTRIM", "changes:", "MAXLEN", 1)


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (lose, "2 articles are indexed, but 3 are listed"),
        (garble, "the index is damaged"),
        (overwrite, "the index is damaged"),
        (miss, "the index has missed changes"),
    ],
)
def test_faults_of_the_index_are_warnings_and_are_repaired(
    damage: Damage, fault: str, invoke: Invoke, site: Store, folder: IndexFolder
) -> None:
    assert invoke("doctor").stdout.splitlines()[-1] == WHOLE
    damage(site, folder)
    result = invoke("doctor")
    warning = f"Warning: search: {fault}"
    assert (result.exit_code, result.stdout.splitlines()[1:-1]) == (0, [warning])
    repair = invoke("doctor", "--repair").stdout.splitlines()
    assert repair[1:] == [warning, "The index has 3 articles and 1 comment."]
    assert invoke("doctor").stdout.splitlines()[-1] == WHOLE


@pytest.mark.parametrize("damage", [delete, begin_epoch], ids=["no index", "an index of other data"])
def test_an_index_yet_to_be_made_is_no_fault(damage: Damage, invoke: Invoke, site: Store, folder: IndexFolder) -> None:
    damage(site, folder)
    awaited = "Search: the background process makes an index of these data, and has 0 % of it"
    assert invoke("doctor").stdout.splitlines()[1:] == [awaited]
    assert invoke("doctor", "--repair").stdout.splitlines()[1:] == [awaited, "The index has 3 articles and 1 comment."]
    assert invoke("doctor").stdout.splitlines()[-1] == WHOLE


def test_an_index_that_nobody_keeps_is_behind(invoke: Invoke, site: Store) -> None:
    factories.article(site, link="")
    assert " s behind\n" in invoke("doctor").stdout
    assert invoke("doctor", "--repair").stdout.endswith("The index has 4 articles and 1 comment.\n")


def test_the_process_keeping_the_index_is_asked_to_rebuild_it(invoke: Invoke, site: Store, folder: IndexFolder) -> None:
    lose(site, folder)
    with folder.locked():
        assert "The background process of the site builds the index anew now." in invoke("doctor", "--repair").stdout
    assert folder.is_rebuild_requested()


def test_sites_without_search_or_local_index_have_none_to_check(invoke: Invoke, site: Store, tmp_path: Path) -> None:
    for settings in ({"VOTEWEB_SEARCH": "0"}, {"VOTEWEB_DATA_DIR": str(tmp_path / "elsewhere")}):
        result = invoke("doctor", **settings)
        assert (result.exit_code, result.stdout.count("\n")) == (0, 1)
