"""``voteweb import``: stories of other sites are imported once, with their posters and groups."""

import csv
import json
import time
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line, newest_articles, output
from voteweb.cli import imports
from voteweb.cli.imports import NEWEST_AGE_SECONDS, STORY_COLUMNS
from voteweb.store import Store
from voteweb.store.comments.imports import Imports


def row(**fields: Any) -> dict[str, Any]:
    return {"title": "A title", "link": "", "text": "", "poster": "ann", "time": 1441518960, "votes": 3} | fields


def as_lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(fields) + "\n" for fields in rows)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of JSON Lines that does not exist yet."""
    return tmp_path / "stories.jsonl"


def test_stories_are_imported_with_their_posters_and_groups(invoke: Invoke, store: Store, tmp_path: Path) -> None:
    file = tmp_path / "stories.CSV"
    with file.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, STORY_COLUMNS.all)
        writer.writeheader()
        writer.writerow(row(title="编程 for all", text="Many\r\nlines", groups="编程 books"))
    assert output(invoke("import", file)) == "imported 1, known 0, bad 0\n"
    (article,) = newest_articles(store).rows
    assert (article.title, article.votes, article.time) == ("编程 for all", 3, 1441518960)
    assert article.groups == ("编程", "books")
    assert store.articles.get(article.id).text == "Many\nlines"
    assert store.users.get("ann").password == ""


def test_known_stories_are_not_imported_again(invoke: Invoke, store: Store, file: Path) -> None:
    file.write_text(as_lines(row(), row(title="Another"), row()))
    assert invoke("import", file).stdout == "imported 2, known 1, bad 0\n"
    assert invoke("import", file).stdout == "imported 0, known 3, bad 0\n"
    assert invoke("import", file, "--shift-to-now").stdout == "imported 0, known 3, bad 0\n"
    assert newest_articles(store).total == 2


def test_a_title_with_lost_characters_is_imported_with_a_warning(invoke: Invoke, store: Store, file: Path) -> None:
    file.write_text(as_lines(row(), row(title="caf\ufffd")))
    result = invoke("import", file)
    assert result.stdout == "imported 2, known 0, bad 0\n"
    assert result.stderr == f"{file}:2: its title has characters that were lost (\ufffd): it is imported so\n"


def test_links_of_a_file_are_stored_as_browsers_request_them(invoke: Invoke, store: Store, file: Path) -> None:
    file.write_text(as_lines(row(link="https://exam\u034fple.com")))
    assert output(invoke("import", file)) == "imported 1, known 0, bad 0\n"
    assert newest_articles(store).rows[0].link == "https://example.com/"


def test_a_row_with_an_error_is_reported_and_left_out(invoke: Invoke, store: Store, file: Path) -> None:
    ahead = time.time() + 2 * 86_400
    file.write_text(as_lines(row(votes=-1), row(), row(title="From the future", time=ahead)) + "no json\n")
    result = invoke("import", file)
    assert (result.exit_code, result.stdout) == (0, "imported 1, known 0, bad 3\n")
    assert result.stderr.splitlines() == [
        f"{file}:1: votes must be a whole number from 0 to 1000000000",
        f"{file}:3: time is in the future",
        f"{file}:4: is not a JSON object",
    ]
    assert newest_articles(store).total == 1


def test_shifted_stories_keep_their_distances_and_can_be_voted_on(invoke: Invoke, store: Store, file: Path) -> None:
    file.write_text(as_lines(row(title="Newest", time=5000), row(title="Oldest", time=1000), row(time="x")))
    before = int(time.time())
    assert invoke("import", file, "--shift-to-now").stdout == "imported 2, known 0, bad 1\n"
    first, second = newest_articles(store).rows
    assert first.title == "Newest"
    assert before - NEWEST_AGE_SECONDS <= first.time <= time.time() - NEWEST_AGE_SECONDS
    assert first.time - second.time == 4000
    assert store.votes.cast(first.id, factories.user(store, "bob")) == 4


def test_a_story_that_is_shifted_before_1970_is_refused(invoke: Invoke, file: Path) -> None:
    file.write_text(as_lines(row(time=200_000_000_000), row(time=5)))
    result = invoke("import", file, "--shift-to-now")
    assert result.stdout == "imported 1, known 0, bad 1\n"
    assert "before 1970" in result.stderr


def test_a_dry_run_counts_and_writes_nothing(invoke: Invoke, store: Store, file: Path) -> None:
    file.write_text(as_lines(row()))
    invoke("import", file)
    file.write_text(as_lines(row(), row(title="New"), row(title="New"), row(votes=-1)))
    before = store.connection.command("DBSIZE")
    assert invoke("import", file, "--dry-run").stdout == "imported 1, known 2, bad 1 (dry run: nothing was written)\n"
    assert store.connection.command("DBSIZE") == before
    assert invoke("import", file).stdout == "imported 1, known 2, bad 1\n"


def test_an_unreadable_file_fails_in_one_line(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "no-header.csv").write_bytes("title,poster,time\n".encode("utf-16"))
    for name in ("missing.csv", "no-header.csv"):
        assert error_line(invoke("import", tmp_path / name))


@pytest.mark.heavy
def test_all_real_stories_can_be_imported(invoke: Invoke, real_stories: Path) -> None:
    result = invoke("import", real_stories, "--shift-to-now", "--dry-run")
    assert (result.stdout.partition(" (")[0], result.stderr) == ("imported 18056, known 0, bad 0", "")


def test_stories_are_sent_in_batches(invoke: Invoke, store: Store, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "BATCH_SIZE", 2)
    file.write_text(as_lines(*(row(title=f"Story {number}") for number in range(5))))
    add = Mock(side_effect=Imports.add)
    monkeypatch.setattr(Imports, "add", lambda *arguments: add(*arguments))
    assert invoke("import", file).stdout == "imported 5, known 0, bad 0\n"
    assert [len(call.args[1]) for call in add.mock_calls] == [2, 2, 1]


def test_a_dump_in_html_is_imported_as_it_was_typed(invoke: Invoke, store: Store, file: Path, tmp_path: Path) -> None:
    link, comments = "https://example.com/?a=1&amp;b=2", tmp_path / "comments.jsonl"
    file.write_text(as_lines(row(title="Tom &amp; Jerry&#x27;s", link=link, text="First<p>Second <i>it</i>")))
    fields = {"article link": link, "n": 1, "text": "&gt; x<p>y", "poster": "bob", "time": 1441518970}
    comments.write_text(as_lines(fields, fields | {"n": 2}))
    warnings = invoke("import", file, "--comments", comments, "--dry-run").stderr.splitlines()
    assert warnings == [
        f"{file} looks like HTML: it has &amp;. Stop and import such a dump with --html.",
        f"{comments} looks like HTML: it has &gt;. Stop and import such a dump with --html.",
    ]
    result = invoke("import", file, "--comments", comments, "--html")
    assert (result.stdout, result.stderr) == (
        "imported 1, known 0, bad 0\ncomments: imported 2, known 0, bad 0\n", ""
    )  # fmt: skip
    (found,) = newest_articles(store).rows
    article = store.articles.get(found.id)
    assert (article.title, article.link) == ("Tom & Jerry's", "https://example.com/?a=1&b=2")
    assert article.text == "First\n\nSecond *it*"
    (*_, comment) = store.listings.member_comments("bob")
    assert comment.text == "> x\n\ny"
