"""``voteweb import --comments``: comments of other sites below the articles that their links name."""

import csv
import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import newest_articles, output
from tests.store.examination import run
from voteweb.cli import imports
from voteweb.cli.imports import COMMENT_COLUMNS, NEWEST_AGE_SECONDS
from voteweb.core.config import MAX_COMMENT_LENGTH
from voteweb.store import Store

LINK = "https://example.com/redis"
START = 1_700_000_000


def row(n: int, parent: int | None = None, **fields: Any) -> dict[str, Any]:
    row = {"article link": LINK, "n": n, "text": f"Comment {n}", "poster": "Ann", "time": START + n, "votes": 3}
    return row | ({"parent": parent} if parent else {}) | fields


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of JSON Lines that does not exist yet."""
    return tmp_path / "comments.jsonl"


def write(file: Path, *rows: dict[str, Any]) -> Path:
    file.write_text("".join(json.dumps(fields) + "\n" for fields in rows))
    return file


def test_comments_are_imported_once(invoke: Invoke, store: Store, tmp_path: Path) -> None:
    factories.imported(store, link=LINK, time=START)
    file = tmp_path / "comments.CSV"
    with file.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, COMMENT_COLUMNS.all, restval="")
        writer.writeheader()
        writer.writerows([row(7, text="谢谢\r\n\r\n- Many\r\n- lines"), row(9, 7, votes="")])
    assert output(invoke("import", "--comments", file)) == "comments: imported 2, known 0, bad 0\n"
    nodes = factories.thread(store).nodes
    assert [(node.parent, node.votes, node.time) for node in nodes.values()] == [(0, 3, START + 7), (1, 0, START + 9)]
    assert run(store, "HGET", "words:1", 1) == "谢谢\n\n- Many\n- lines"
    assert invoke("import", "--comments", file).stdout == "comments: imported 0, known 2, bad 0\n"


def test_bad_rows_are_named_and_left_out(invoke: Invoke, store: Store, file: Path) -> None:
    factories.imported(store, link=LINK, time=START)
    write(
        file,
        row(1, 2),
        row(2),
        row(3, **{"article link": "https://other.example/"}),
        row(4, text="x" * (MAX_COMMENT_LENGTH + 1)),
        row(6, 6),
        row(7, time=time.time() + 2 * 86_400),
    )
    result = invoke("import", "--comments", file)
    assert (result.exit_code, result.stdout) == (0, "comments: imported 1, known 0, bad 5\n")
    errors = dict(line.removeprefix(f"{file}:").split(": ", 1) for line in result.stderr.splitlines())
    assert errors == {
        "1": "answers a comment that was not imported before it",
        "3": "no article here has this link",
        "4": "A comment can have at most 10000 characters; this one has 10001.",
        "5": "answers itself",
        "6": "time is in the future",
    }


def test_stories_and_comments_are_shifted_together(invoke: Invoke, store: Store, file: Path, tmp_path: Path) -> None:
    stories = write(tmp_path / "stories.jsonl", {"title": "A story", "link": LINK, "poster": "bob", "time": START})
    write(file, row(1, time=START + 50), row(2, 1, time=START + 90))
    before = int(time.time())
    result = invoke("import", stories, "--comments", file, "--shift-to-now")
    assert result.stdout == "imported 1, known 0, bad 0\ncomments: imported 2, known 0, bad 0\n"
    (article,) = newest_articles(store).rows
    nodes = factories.thread(store, article.id).nodes
    assert [round(node.time - article.time) for node in nodes.values()] == [50, 90]
    assert 0 <= nodes[2].time - (before - NEWEST_AGE_SECONDS) < 60


def test_a_dry_run_counts_what_an_import_would_do(
    invoke: Invoke, store: Store, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "BATCH_SIZE", 2)
    stories = write(tmp_path / "stories.jsonl", {"title": "A story", "link": LINK, "poster": "bob", "time": START})
    write(file, row(1), row(1), row(2, 1), row(3, 8), row(4, 2))
    counts = "comments: imported 3, known 1, bad 1"
    result = invoke("import", stories, "--comments", file, "--dry-run")
    assert result.stdout.splitlines()[1] == f"{counts} (dry run: nothing was written)"
    assert run(store, "EXISTS", "thread:1") == 0
    assert invoke("import", stories, "--comments", file).stdout.splitlines()[1] == counts


def test_newer_comments_stand_first_in_lists(invoke: Invoke, store: Store, file: Path) -> None:
    article = factories.article(store, link=LINK)
    now = time.time()
    native = factories.comment(store, article, factories.user(store, "Ann"))
    write(file, row(1, time=now + 60), row(2, time=now - 60))
    invoke("import", "--comments", file)
    for key in ("comments:", "commented:ann"):
        assert run(store, "LRANGE", key, 0, -1) == ["1.2", str(native), "1.3"]
