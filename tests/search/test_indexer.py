"""The indexer: whatever happens to it, to the stream or to the database, the index becomes what the site has."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests import factories
from tests.book import Book
from tests.helpers import until
from tests.site_process import run_voteweb
from tests.store.backup.copying import back_up, restore
from tests.store.examination import ids, run
from voteweb.cli import jobs as cli_index
from voteweb.cli.jobs import keep_index
from voteweb.core.comments import CommentId
from voteweb.core.errors import Unavailable
from voteweb.core.search_documents import DocumentId
from voteweb.search import indexer
from voteweb.search.files import IndexFolder
from voteweb.search.grammar import parse
from voteweb.search.index import SearchIndex
from voteweb.search.indexer import Indexer
from voteweb.search.models import AlreadyIndexing, IndexNotWritable, Kind, Order, SearchError
from voteweb.search.schema import columns, to_comment
from voteweb.search.writer import IndexWriter
from voteweb.store import Store


@pytest.fixture
def folder(tmp_path: Path) -> IndexFolder:
    return IndexFolder(tmp_path / "search")


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """An indexer looks at once whether it must stop, and tries again at once."""
    monkeypatch.setattr(indexer, "WAIT_SECONDS", 0.05)
    monkeypatch.setattr(indexer, "RETRY_SECONDS", 0.05)


def new_indexer(store: Store, folder: IndexFolder) -> Indexer:
    return Indexer(folder, store.search)


def expected(store: Store) -> list[DocumentId]:
    """Return the ids of everything that anybody can read, by the rankings and the bits that hide comments."""
    articles = sorted(ids(store, "time:"))
    last = store.search.last_comments(articles)
    comments = [CommentId(id, number) for id in articles for number in range(1, last.get(id, 0) + 1)]
    return [*articles, *(id for id in comments if not run(store, "GETBIT", f"hidden:{id.article}", id.number))]


def assert_same(store: Store, folder: IndexFolder) -> None:
    """Check that the index has what the site has, once each, and nothing else."""
    wanted = expected(store)
    documents = store.search.articles(id for id in wanted if isinstance(id, int))
    documents += store.search.comments(id for id in wanted if isinstance(id, CommentId))
    with folder.locked():
        writer = folder.open()
        assert writer
        assert writer.check()
        writer.close()
    assert indexed(folder) == {document.id: columns(document) for document in documents}


def indexed(folder: IndexFolder) -> dict[DocumentId, list[str]]:
    """Return the tokens of each document in the index of *folder*."""
    found = dict[DocumentId, list[str]]()
    with closing(sqlite3.connect(folder.current() or folder.path)) as connection:
        for kind, number in connection.execute("SELECT kind, number FROM shards").fetchall():
            text = f"SELECT id, words.* FROM {kind} JOIN {kind}_{number} AS words ON words.rowid = rid"
            for id, *tokens in connection.execute(text):
                found[id if kind == Kind.ARTICLES else to_comment(id)] = tokens
    return found


def found(folder: IndexFolder, typed: str) -> list[int]:
    """Return the articles that a search finds, newest first."""
    return list(SearchIndex(folder.path).find(parse(typed), Kind.ARTICLES, Order.NEW, 10).ids)


def lose_the_stream(store: Store) -> None:
    factories.article(store, link="")
    run(store, "XTRIM", "changes:", "MAXLEN", 1)


def fall_behind(store: Store) -> None:
    """Lose the last write with its entry, as a replica that takes over, whose clock is behind."""
    run(store, "DEL", "changes:")
    factories.article(store, link="")


def lose_everything(store: Store) -> None:
    run(store, "FLUSHDB")
    factories.article(store, groups=("redis",))


def restore_a_backup(store: Store) -> None:
    backup = back_up(store)
    factories.article(store, link="")
    restore(store, backup)
    store.removals.delete(1)


@pytest.mark.parametrize("damage", [lose_the_stream, fall_behind, lose_everything, restore_a_backup])
def test_the_index_is_built_anew_when_the_stream_has_gaps(
    store: Store, folder: IndexFolder, damage: Callable[[Store], None]
) -> None:
    for _ in range(3):
        factories.comment(store, factories.article(store, link="").id)
    new_indexer(store, folder).catch_up()
    # Nothing told of these: a program after the book deletes, and changes.
    run(store, "DEL", "article:2")
    run(store, "ZREM", "time:", "article:2")
    run(store, "HSET", "article:3", "title", "Silently changed")
    damage(store)
    new_indexer(store, folder).catch_up()
    assert_same(store, folder)


def test_a_build_begins_anew_when_the_stream_has_a_gap(store: Store, folder: IndexFolder) -> None:
    for _ in range(2):
        factories.article(store, link="")
    shares: list[float] = []

    def lose_an_article(share: float) -> None:
        shares.append(share)
        if len(shares) == 1:  # the articles are indexed
            run(store, "DEL", "article:2")
            run(store, "ZREM", "time:", "article:2")
            lose_the_stream(store)

    new_indexer(store, folder).catch_up(on_step=lose_an_article)
    assert_same(store, folder)


def test_many_documents_come_in_chunks(store: Store, folder: IndexFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "CHUNK_SIZE", 2)
    for _ in range(5):
        factories.article(store, link="")
    for _ in range(5):
        factories.comment(store, 3)
    shares: list[float] = []
    new_indexer(store, folder).catch_up(on_step=shares.append)
    assert shares == sorted(shares)
    assert len(shares) > 4
    store.removals.delete(3)
    run(store, "XTRIM", "changes:", "MAXLEN", 0)
    new_indexer(store, folder).catch_up()
    assert_same(store, folder)


def test_long_conversations_are_read_between_reads_of_the_stream(
    store: Store, folder: IndexFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    factories.article(store)
    for _ in range(5):
        factories.comment(store, 1)
    new_indexer(store, folder).catch_up()
    store.removals.delete(1)
    run(store, "HSET", "thread:1", "last", 10**12)
    source = Mock(wraps=store.search)
    source.comments.side_effect = [[], Unavailable()]
    with monkeypatch.context() as patch:
        patch.setattr(indexer, "CHUNK_SIZE", 2)
        with pytest.raises(Unavailable):
            Indexer(folder, source).catch_up()
    names = [name for name, *_ in source.mock_calls if name in {"comments", "changes_since"}]
    assert names[-4:] == ["changes_since", "comments"] * 2
    new_indexer(store, folder).catch_up()
    assert_same(store, folder)


@contextmanager
def kept_index(store: Store, folder: IndexFolder) -> Iterator[None]:
    """Keep the index in a thread, as the process of the jobs does; return when it exists."""
    stop = threading.Event()
    thread = threading.Thread(target=keep_index, args=[new_indexer(store, folder), stop])
    thread.start()
    try:
        until(folder.current)
        yield
    finally:
        stop.set()
        thread.join()


def test_an_article_of_a_program_after_the_book_is_found(
    store: Store, folder: IndexFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "LOOK_SECONDS", 0.1)
    with kept_index(store, folder):
        id = Book(store.connection.client).post_article("user:7", "Go to considered harmful", "https://goo.gl/")
        until(lambda: found(folder, "harmful") == [int(id)])


def test_one_process_keeps_the_index_and_rebuilds_it_when_asked(
    store: Store, server_url: str, tmp_path: Path, folder: IndexFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "LOOK_SECONDS", 0.1)
    with kept_index(store, folder):
        before = folder.current()
        with pytest.raises(AlreadyIndexing):
            new_indexer(store, folder).catch_up()
        env = {"VOTEWEB_REDIS_URL": server_url, "VOTEWEB_DATA_DIR": str(tmp_path)}
        assert run_voteweb("jobs", "--once", **env).status == 0, "the other process has the index"
        folder.request_rebuild()
        until(lambda: folder.current() != before)
    assert_same(store, folder)


def test_a_requested_build_that_failed_is_made_later(
    store: Store, folder: IndexFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "LOOK_SECONDS", 0.0)
    keeper = new_indexer(store, folder)
    keeper.catch_up()
    before = folder.current()
    folder.request_rebuild()
    with monkeypatch.context() as patch:
        patch.setattr(IndexWriter, "create", Mock(side_effect=IndexNotWritable(reason="full")))
        with pytest.raises(IndexNotWritable):
            keeper.catch_up()
    id = factories.article(store, title="A needle").id
    keeper.catch_up()
    assert (folder.current(), found(folder, "needle")) == (before, [id]), "not at once: it may have filled the disk"
    new_indexer(store, folder).catch_up()
    assert folder.current() != before
    assert not folder.is_rebuild_requested()


def test_the_present_index_is_searched_while_another_is_built(store: Store, folder: IndexFolder) -> None:
    id = factories.article(store, title="Common Lisp").id
    new_indexer(store, folder).catch_up()
    before, during = folder.current(), []

    def search(_: float) -> None:
        during.append((folder.current(), found(folder, "lisp")))
        if len(during) == 1:
            factories.article(store, title="Emacs Lisp", link="")

    new_indexer(store, folder).catch_up(rebuild=True, on_step=search)
    assert during[0] == (before, [id])
    assert folder.current() != before
    assert found(folder, "lisp") == [id + 1, id]
    assert_same(store, folder)


def overwrite(file: Path) -> None:
    file.write_bytes(b"no database" * 1000)


def drop_table(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TABLE articles_0")


@pytest.mark.parametrize("damage", [overwrite, drop_table])
def test_a_damaged_index_is_built_anew(store: Store, folder: IndexFolder, damage: Callable[[Path], None]) -> None:
    factories.article(store)
    new_indexer(store, folder).catch_up()
    file = folder.current()
    assert file
    damage(file)
    new_indexer(store, folder).catch_up()
    assert folder.current() != file
    assert_same(store, folder)


def words_in_files(folder: IndexFolder, word: str) -> bool:
    return any(word.encode() in file.read_bytes() for file in folder.path.iterdir())


def test_the_words_of_what_was_purged_are_in_no_file(store: Store, folder: IndexFolder) -> None:
    id = factories.article(store, title="A zebra").id
    comment = factories.comment(store, id, text="Another quokka")
    for purged, word, key, field in (
        (comment, "quokka", f"words:{id}", comment.number), (id, "zebra", f"article:{id}", "title"),
    ):  # fmt: skip
        new_indexer(store, folder).catch_up()
        assert words_in_files(folder, word)
        run(store, "HSET", key, field, "")
        run(store, "XADD", "changes:", "*", "p", str(purged))
        new_indexer(store, folder).catch_up()
        assert not words_in_files(folder, word)
    assert not folder.is_rebuild_requested()


def test_a_running_indexer_replaces_a_damaged_index_once_writable(
    store: Store, folder: IndexFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli_index, "RETRY_SECONDS", 0.01)
    article = factories.article(store, title="A needle")
    create = Mock(side_effect=IndexNotWritable(reason="full"))
    with kept_index(store, folder):
        with monkeypatch.context() as patch:
            patch.setattr(IndexWriter, "create", create)
            folder.discard(folder.current() or folder.path)  # as a search does
            until(lambda: create.call_count > 1)
            assert not folder.current()
        until(folder.current)
        assert found(folder, "needle") == [article.id]


def test_the_log_has_the_words_of_sqlite(capsys: pytest.CaptureFixture[str]) -> None:
    stop = threading.Event()

    def run(_: object) -> None:
        stop.set()
        raise SearchError from OSError("disk I/O error")

    keep_index(Mock(run=run), stop)
    assert "disk I/O error" in capsys.readouterr().err
