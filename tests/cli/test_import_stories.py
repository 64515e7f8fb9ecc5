import csv
import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Invoke
from tests.factories import user
from voteweb.cli import import_stories
from voteweb.cli.import_stories import IMPORT_BATCH_SIZE
from voteweb.core.models import Article, Order
from voteweb.store import Store
from voteweb.store.connection.connection import Connection

#: Real stories, which lie beside the repository where there are any.
HN = Path(__file__).parents[3] / "shared" / "data" / "hn-2016.csv"
COLUMNS = ("title", "link", "text", "poster", "time", "votes", "groups")


def row(**fields: Any) -> dict[str, Any]:
    return {"title": "A title", "link": "", "text": "", "poster": "ann", "time": 1441518960, "votes": 3} | fields


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(each) + "\n" for each in rows)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "stories.jsonl"


def newest(store: Store) -> tuple[Article, ...]:
    pipeline = store.pipeline()
    page = store.listings.queue_page(pipeline, store.rankings.site(Order.TIME), 1)
    pipeline.execute()
    return page.result.rows


def test_a_file_comes_in_with_its_posters_and_groups(invoke: Invoke, store: Store, tmp_path: Path) -> None:
    file = tmp_path / "stories.CSV"
    with file.open("w", encoding="utf-8-sig", newline="") as stream:
        out = csv.DictWriter(stream, COLUMNS)
        out.writeheader()
        out.writerow(row(title="编程 for all", text="Many\r\nlines", groups="编程 books"))
    result = invoke("import", file)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "imported 1, known 0, bad 0\n", "")
    (found,) = newest(store)
    assert (found.title, found.votes, found.time, found.groups) == ("编程 for all", 3, 1441518960, ("编程", "books"))
    assert store.articles.get(found.id).text == "Many\nlines"
    assert store.users.get("ann").password == ""
    assert [group.name for group in store.groups.all(store.pipeline())] == ["books", "编程"]
    assert list(store.doctor.examine()) == []


def test_a_second_time_nothing_comes_in(invoke: Invoke, store: Store, file: Path) -> None:
    file.write_text(lines(row(), row(title="Another"), row()))
    assert invoke("import", file).stdout == "imported 2, known 1, bad 0\n"
    assert invoke("import", file).stdout == "imported 0, known 3, bad 0\n"
    assert invoke("import", file, "--shift-to-now").stdout == "imported 0, known 3, bad 0\n"
    assert len(newest(store)) == 2


def test_a_bad_row_is_named_and_left_out(invoke: Invoke, store: Store, file: Path) -> None:
    ahead = time.time() + 2 * 86_400
    file.write_text(lines(row(votes=-1), row(), row(title="From the future", time=ahead)) + "no json\n")
    result = invoke("import", file)
    assert (result.exit_code, result.stdout) == (0, "imported 1, known 0, bad 3\n")
    assert result.stderr.splitlines() == [
        f"{file}:1: votes is no whole number from 0 to 1000000000",
        f"{file}:3: time is in the future",
        f"{file}:4: is no JSON object",
    ]
    assert len(newest(store)) == 1


def test_shifted_to_now_the_newest_is_five_minutes_old_and_can_be_voted_on(
    invoke: Invoke, store: Store, file: Path
) -> None:
    file.write_text(lines(row(title="Newest", time=5000), row(title="Oldest", time=1000), row(time="x")))
    before = int(time.time())
    assert invoke("import", file, "--shift-to-now").stdout == "imported 2, known 0, bad 1\n"
    first, second = newest(store)
    assert first.title == "Newest"
    assert before - 300 <= first.time <= time.time() - 300
    assert first.time - second.time == 4000
    assert store.votes.cast(first.id, user(store, "bob")) == 4
    assert list(store.doctor.examine()) == []


def test_what_a_shift_moves_before_1970_is_bad(invoke: Invoke, file: Path) -> None:
    file.write_text(lines(row(time=200_000_000_000), row(time=5)))
    result = invoke("import", file, "--shift-to-now")
    assert result.stdout == "imported 1, known 0, bad 1\n"
    assert "before 1970" in result.stderr


@pytest.mark.parametrize("options", [[], ["--shift-to-now"]])
def test_rows_of_one_second_keep_their_order(
    invoke: Invoke, store: Store, file: Path, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_stories, "BATCH", 4)
    file.write_text(lines(*(row(title=f"Story {i}", time=1441518960 + i % 2) for i in range(12))))
    invoke("import", file, *options)
    titles = [article.title for article in reversed(newest(store))]
    assert titles == [f"Story {i}" for i in (0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11)]


def test_a_dry_run_counts_and_writes_nothing(invoke: Invoke, store: Store, file: Path) -> None:
    file.write_text(lines(row()))
    invoke("import", file)
    file.write_text(lines(row(), row(title="New"), row(title="New"), row(votes=-1)))
    before = store.connection.command("DBSIZE")
    assert invoke("import", file, "--dry-run").stdout == ("imported 1, known 2, bad 1 (dry run: nothing was written)\n")
    assert store.connection.command("DBSIZE") == before
    assert invoke("import", file).stdout == "imported 1, known 2, bad 1\n"


def test_an_empty_file_is_fine_where_it_needs_no_header(invoke: Invoke, file: Path) -> None:
    file.write_text("")
    assert invoke("import", file, "--shift-to-now").stdout == "imported 0, known 0, bad 0\n"


@pytest.mark.parametrize("name", ["missing.csv", "a-folder.csv", "no-header.csv"])
def test_what_cannot_be_read_fails_in_one_line(invoke: Invoke, tmp_path: Path, name: str) -> None:
    (tmp_path / "a-folder.csv").mkdir()
    (tmp_path / "no-header.csv").write_bytes("title,poster,time\n".encode("utf-16"))
    result = invoke("import", tmp_path / name)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)


def test_other_kinds_of_files_are_wrong_usage(invoke: Invoke, tmp_path: Path) -> None:
    assert invoke("import", tmp_path / "stories.txt").exit_code == 2


def test_the_real_stories_all_come_in_and_by_the_batch(
    invoke: Invoke, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not HN.exists():
        pytest.skip("the real stories are not beside this checkout")
    trips: list[str] = []
    for name in ("command", "pipeline"):
        send = getattr(Connection, name)
        counted = lambda *words, send=send, name=name, **more: trips.append(name) or send(*words, **more)  # noqa: E731
        monkeypatch.setattr(Connection, name, counted)
    result = invoke("import", HN, "--shift-to-now")
    assert (result.stdout, result.stderr) == ("imported 18056, known 0, bad 0\n", "")
    assert len(trips) < 8 * (18_056 / IMPORT_BATCH_SIZE + 1)
    assert store.server_info.counts() == (18_056, 9_602, 15)
