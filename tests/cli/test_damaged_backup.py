"""Damaged backups: the error is one line that names the damage, and nothing is written."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.conftest import Invoke
from tests.cli.results import error_line, read_backup, write_backup
from tests.store.examination import run, snapshot
from voteweb import __version__
from voteweb.cli.backup import FORMAT
from voteweb.core.config import OLDEST_BACKUP, SCHEMA
from voteweb.store import Store


class Damage(NamedTuple):
    """A change of a backup's bytes, and what the error says about it."""

    name: str
    change: Callable[[bytes], bytes]
    error: str


def flip_byte(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]


def split_lines(data: bytes) -> list[bytes]:
    return gzip.decompress(data).splitlines(keepends=True)


def join_lines(*lines: bytes) -> bytes:
    return gzip.compress(b"".join(lines))


def with_third_line(line: bytes) -> Callable[[bytes], bytes]:
    """Return a change that keeps the first two lines of a backup and ends it with *line*."""
    return lambda data: join_lines(*split_lines(data)[:2], line)


def with_replacement(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    return lambda data: gzip.compress(gzip.decompress(data).replace(old, new))


def without_third_line(data: bytes) -> bytes:
    first, second, _, *others = split_lines(data)
    return join_lines(first, second, *others)


def with_two_lines_exchanged(data: bytes) -> bytes:
    first, second, third, *others = split_lines(data)
    return join_lines(first, third, second, *others)


NO_BACKUP = "is not a backup of voteweb"
TRUNCATED = "is damaged: it is truncated"
WRONG_CHECKSUM = "does not match the checksum of the lines"
DAMAGES = [
    Damage("empty", lambda data: b"", NO_BACKUP),
    Damage("another gzip of JSON", lambda data: join_lines(b"[1]\n"), NO_BACKUP),
    Damage("a long line", lambda data: join_lines(b"x" * 100_000), NO_BACKUP),
    Damage("truncated in the middle", lambda data: data[: len(data) // 2], TRUNCATED),
    Damage("without the last byte", lambda data: data[:-1], TRUNCATED),
    Damage("without the last line", lambda data: join_lines(*split_lines(data)[:-1]), TRUNCATED),
    Damage("one byte in the middle", lambda data: flip_byte(data, len(data) // 2), "is damaged: "),
    Damage("without the third line", without_third_line, "does not match the number of lines"),
    Damage("two lines exchanged", with_two_lines_exchanged, WRONG_CHECKSUM),
    Damage("a line after the end", lambda data: join_lines(*split_lines(data), b"{}\n"), "is not the last one"),
    Damage("no UTF-8", with_third_line(b'{"\xff":1}\n'), "line 3 cannot be read"),
    Damage("half a character", with_third_line(b'{"key":"\\uD800"}\n'), "line 3 cannot be read"),
    Damage("no object", with_third_line(b"[]\n"), "line 3 is not the line of a key"),
    Damage("nested lists", with_third_line(b"[" * 100_000), "line 3 cannot be read"),
    Damage("no time", with_replacement(b'"taken":', b'"token":'), WRONG_CHECKSUM),
    Damage(
        "a time out of range", with_replacement(b'"taken":', b'"taken":9'), "its first line has a value out of range"
    ),
    Damage(
        "an engine with escapes", with_replacement(b'"engine":"', b'"engine":"\\u001b[2J'), "has a value out of range"
    ),
    Damage("a long line later", with_third_line(b"x" * 1_100_000), "a line of more than 1,000,000 bytes"),
    Damage(
        "a key of another site",
        with_third_line(b'{"key":"{baking}:user:root","type":"hash","value":{}}\n'),
        "line 3 has the key '{baking}:user:root', which is of no backup of this site",
    ),
    Damage(
        "a newer format",
        with_replacement(f'"format":{FORMAT}'.encode(), f'"format":{FORMAT + 1}'.encode()),
        f"was written by voteweb {__version__} (format {FORMAT + 1}), and voteweb {__version__} reads format {FORMAT}: "
        "restore it with that version",
    ),
    Damage(
        "an older format",
        with_replacement(f'"format":{FORMAT}'.encode(), f'"format":{FORMAT - 1}'.encode()),
        "restore it with that version, then install this one and run `voteweb migrate`",
    ),
    Damage(
        "an older layout",
        with_replacement(f'"layout":{SCHEMA}'.encode(), f'"layout":{OLDEST_BACKUP - 1}'.encode()),
        f"(layout {OLDEST_BACKUP - 1}), and voteweb {__version__} reads layout {SCHEMA}: restore it with that version",
    ),
    Damage(
        "a format of before versions",
        with_replacement(f'"version":"{__version__}","format":{FORMAT}'.encode(), b'"format":6'),
        f"was written by an older voteweb (format 6), and voteweb {__version__} reads format {FORMAT}: restore it with "
        "the commit b72273af, then install this one",
    ),
    Damage(
        "a version with escapes, of a newer format",
        with_replacement(
            f'"version":"{__version__}","format":{FORMAT}'.encode(), b'"version":"\\u001b[2J","format":99'
        ),
        "was written by a newer voteweb (format 99)",
    ),
    Damage("no layout", with_replacement(f'"layout":{SCHEMA}'.encode(), b'"layout":"a"'), "first line has no layout"),
]


def test_a_damaged_backup_is_refused_before_anything_is_written(
    invoke: Invoke, small_site: Store, backup: Path, subtests: pytest.Subtests
) -> None:
    content = backup.read_bytes()
    run(small_site, "FLUSHDB")
    for damage in DAMAGES:
        backup.write_bytes(damage.change(content))
        for options in (["--dry-run"], []):
            with subtests.test(damage.name, options=options):
                line = error_line(invoke("restore", *options, backup))
                assert line.startswith(str(backup))
                assert damage.error in line
    assert snapshot(small_site) == {}


def test_too_many_compressed_lines_are_refused_before_anything_is_written(
    invoke: Invoke, small_site: Store, backup: Path
) -> None:
    lines = split_lines(backup.read_bytes())
    form = b'{"key":"once:1-' + b"x" * 60 + b'","type":"string","value":"article:1","until":1}\n'
    backup.write_bytes(join_lines(*lines[:-1], *[form] * 40_000, lines[-1]))
    run(small_site, "FLUSHDB")
    for options in (["--dry-run"], []):
        assert "bytes of content in" in error_line(invoke("restore", *options, backup))
    assert snapshot(small_site) == {}


def test_faulty_values_are_restored_only_if_forced(
    invoke: Invoke, small_site: Store, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, name = "article:1", "time"
    lines = read_backup(backup)
    (line,) = (line for line in lines if line.get("key") == key)
    line["value"] |= {name: "nan", "gone": "\x1b[2J"}
    write_backup(backup, lines)
    run(small_site, "FLUSHDB")
    for options in (["--dry-run"], []):
        result = invoke("restore", *options, backup)
        assert result.exit_code == 1
        assert "faulty value" in result.stderr
        assert f"has the {name} " in result.stdout
    assert snapshot(small_site) == {}
    result = invoke("restore", "--force", backup)
    assert (result.exit_code, "Restored 1 article" in result.stdout) == (3, True)
    assert f"{key}  is gone in an unknown way: \\x1b[2J\n" in result.stdout, "a terminal would obey it"
    assert small_site.health.counts().members == 2
    monkeypatch.setattr("voteweb.cli.backup.MAX_PRINTED", 0)
    assert invoke("restore", "--dry-run", backup).stdout == "... and 2 more faulty values\n"
