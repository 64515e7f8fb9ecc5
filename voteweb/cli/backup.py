"""``voteweb backup`` and ``restore``: write a whole site into one file, check it, and read it back.

The file format of a backup: JSON lines, compressed by gzip.

The first line has the format, the layout and the origin of the data, each other one a key, and the last one the numbers
of lines and of things and a checksum of all lines before it, so that a truncated or damaged file is detected.
"""

import gzip
import json
import os
import shutil
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

import click

from voteweb import __version__
from voteweb.cli.environment import PLACES
from voteweb.cli.output import track, track_file
from voteweb.cli.site import Site, data_option, load_settings, open_checked_store, pluralize, with_site
from voteweb.core import clock
from voteweb.core.config import MAX_TIME, OLDEST_BACKUP, SCHEMA
from voteweb.core.errors import Invalid, StorageFull, Unavailable
from voteweb.core.version import is_version
from voteweb.embedded.folder import keep_site_id, read_site_id
from voteweb.store import Store
from voteweb.store.backup import Backup, KeyLine, LineChecks, Restore, parse_line, things
from voteweb.store.doctor import Doctor
from voteweb.store.scan.scanner import batched
from voteweb.store.schema.values import finite_number
from voteweb.store.server.health import BackupFacts

#: The format that is written, and the only one that is read.
FORMAT = 7
#: The last commits that read each former format, and each former layout in the present one. Backups of before 0.3.0 do
#: not name their version.
_LAST_COMMITS = {
    ("format", 1): "990398af", ("format", 2): "d95caa52", ("format", 3): "1461dd66", ("format", 4): "39e11fdb",
    ("format", 5): "e8116a15", ("format", 6): "b72273af", ("layout", 4): "d5d028ef",
}  # fmt: skip
#: Identifies a backup in its first line.
FILE_TYPE = "voteweb backup"
#: Bytes of the first line that are read to see whether a file is a backup.
MAX_FIRST_LINE_BYTES = 10_000
#: Bytes of one line: a key that is larger takes several.
MAX_LINE_BYTES = 1_000_000
#: The format that zlib writes: that of gzip, with a window of 32 kB.
_GZIP = 16 + zlib.MAX_WBITS
#: Bytes of content for each byte of the file, of which texts have ten, and bytes up to which this is not looked
#: at: as JSON they may take thirty times as much memory.
MAX_EXPANSION, MIN_EXPANDED_BYTES = 100, 2_000_000


@contextmanager
def replace_atomically(file: Path) -> Iterator[IO[bytes]]:
    """Yield a stream for the new content of *file*, which replaces it, synced to disk, when the block ends.

    Only its owner can read it. If the block raises, *file* stays as it was.
    """
    try:
        temporary = tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False)  # noqa: SIM115
    except OSError as error:  # it names a file that nobody has asked for
        raise OSError(error.errno, error.strerror, str(file)) from None
    with temporary as stream:
        try:
            yield stream
            os.fsync(stream.fileno())
            os.replace(stream.name, file)
        except BaseException:
            os.unlink(stream.name)
            raise


def write_backup(
    store: Store, file: Path | None, *, whole_layout: int | None = None
) -> tuple[Counter[str], int, list[str]]:
    """Write a backup of a site into *file*, None for standard output.

    Return how many lines there were, and of things in them, the size of the backup in bytes, and the keys that could
    not be read: the last line has their number. With a *whole_layout*, every key of data with this layout is written.
    """
    source, skipped, is_whole = Backup(store.context), list[str](), whole_layout is not None
    lines, total = (source.all_lines(), source.key_total()) if is_whole else (source.lines(skipped), source.total())
    header = {
        "file": FILE_TYPE,
        "version": __version__,
        "format": FORMAT,
        "layout": whole_layout if is_whole else SCHEMA,
    }
    header |= {"engine": store.health.engine().program, "taken": clock.now(), **({"whole": True} if is_whole else {})}
    with replace_atomically(file) if file else nullcontext(sys.stdout.buffer) as stream:
        counts, size = _write(stream, header, track(lines, "Backing up", total), skipped)
    return counts, size, skipped


def _write(
    stream: IO[bytes], header: dict[str, Any], lines: Iterable[KeyLine], skipped: Sequence[str]
) -> tuple[Counter[str], int]:
    """Write *header* and *lines* to *stream*; return the numbers of lines and of things in them, and of bytes.

    *skipped* are, once all lines have been read, the keys that could not be.
    """
    counts: Counter[str] = Counter()
    digest = sha256()
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    compressor, size = zlib.compressobj(6, wbits=_GZIP), 0

    def write_line(fields: dict[str, Any]) -> None:
        nonlocal size
        line = encode(fields).encode() + b"\n"
        digest.update(line)
        size += stream.write(compressor.compress(line))

    write_line(header)
    for line in lines:
        write_line(line.as_json())
        counts["lines"] += 1
        counts.update(things(line))
    partial = {"skipped": len(skipped)} if skipped else {}
    write_line({"end": counts, "sha256": digest.hexdigest(), **partial})
    size += stream.write(compressor.flush())
    stream.flush()
    return counts, size


class Reader:
    """Reads a backup; its data are those of ``engine`` at unix time ``created``, without ``skipped`` keys.

    One that is whole, with every key of a site, may have any older ``layout``, another those from OLDEST_BACKUP on.
    """

    def __init__(self, file: str, stream: IO[bytes], *, bounded: bool = True) -> None:
        """Read the first line of *stream*; raise Invalid unless it is that of a backup in a known format.

        *bounded*: refuse lines and a content of a size that no site has, before they are in memory.
        """
        self._file = file
        self._bounded = bounded
        self._size = os.fstat(stream.fileno()).st_size
        self._compressed = gzip.GzipFile(fileobj=stream)
        self._digest = sha256()
        self.counts: Counter[str] = Counter()
        self.skipped = 0
        try:
            line = self._compressed.readline(MAX_FIRST_LINE_BYTES)
            header = json.loads(line)
        except (gzip.BadGzipFile, ValueError, RecursionError):
            header = None
        except (EOFError, zlib.error):
            raise self._damaged("it is truncated") from None
        if not isinstance(header, dict) or header.get("file") != FILE_TYPE or not isinstance(header.get("format"), int):
            raise Invalid(
                "%(file)s is not a backup of voteweb. Decrypt one that is encrypted on its way: "
                "age -d -i KEYFILE FILE | voteweb restore -",
                file=file,
            )
        version = str(header.get("version", ""))
        self._version = version if is_version(version) else ""
        self._check_version("format", header["format"], FORMAT, FORMAT)
        self.is_whole, self.layout = header.get("whole") is True, header.get("layout")
        if not isinstance(self.layout, int):
            raise self._damaged("its first line has no layout")
        self._check_version("layout", self.layout, 0 if self.is_whole else OLDEST_BACKUP, SCHEMA)
        self._digest.update(line)
        self.engine, self.created = str(header.get("engine", "")), finite_number(str(header.get("taken"))) or 0.0
        if not 0 <= self.created < MAX_TIME or not self.engine.isprintable():
            raise self._damaged("its first line has a value out of range")

    def _check_version(self, noun: str, number: int, oldest: int, newest: int) -> None:
        if oldest <= number <= newest:
            return
        is_older = number < oldest
        writer = self._version and f"voteweb {self._version}"
        commit = _LAST_COMMITS.get((noun, number))
        raise Invalid(
            "%(file)s was written by %(writer)s (%(noun)s %(number)s), and voteweb %(version)s reads %(noun)s "
            "%(newest)s: restore it with %(reader)s%(next)s.",
            file=self._file,
            writer=writer or ("an older voteweb" if is_older else "a newer voteweb"),
            noun=noun,
            number=number,
            version=__version__,
            newest=newest,
            reader="that version" if writer or not commit else f"the commit {commit}",
            next=", then install this one and run `voteweb migrate`" if is_older else "",
        )

    def lines(self) -> Iterator[KeyLine]:
        """Yield every line of a key; raise Invalid at the first malformed one, or if the end does not match them."""
        for number, line in enumerate(self._lines(), 2):
            try:
                fields = json.loads(line.decode())
                if b"\\ud" in line.lower():
                    json.dumps(fields, ensure_ascii=False).encode()  # ValueError: half a character
                if not isinstance(fields, dict):
                    raise Invalid("is not the line of a key")
                if "end" in fields:
                    self._check_end(fields)
                    return
                parsed = parse_line(fields, is_whole=self.is_whole)
            except (ValueError, RecursionError):
                raise self._damaged(f"line {number} cannot be read") from None
            except Invalid as error:
                raise self._damaged(f"line {number} {error}") from None
            self._digest.update(line)
            self.counts["lines"] += 1
            self.counts.update(things(parsed))
            yield parsed
        raise self._damaged("it is truncated")

    def _lines(self) -> Iterator[bytes]:
        read = 0
        try:
            while line := self._compressed.readline(MAX_LINE_BYTES + 1 if self._bounded else -1):
                read += len(line)
                too_much = ""
                if len(line) > MAX_LINE_BYTES:
                    too_much = f"a line of more than {MAX_LINE_BYTES:,} bytes"
                elif read > max(MIN_EXPANDED_BYTES, MAX_EXPANSION * self._size):
                    too_much = f"more than {read:,} bytes of content in {self._size:,}"
                if too_much and self._bounded:
                    raise Invalid(
                        "%(file)s has %(what)s, as no site does, but an attack may. If you trust it, use --force.",
                        file=self._file,
                        what=too_much,
                    )
                yield line
        except EOFError:
            raise self._damaged("it is truncated") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise self._damaged(str(error)) from None

    def _check_end(self, end: dict[str, Any]) -> None:
        if end["end"] != self.counts:
            raise Invalid("does not match the number of lines")
        if end.get("sha256") != self._digest.hexdigest():
            raise Invalid("does not match the checksum of the lines")
        if any(True for _ in self._lines()):
            raise Invalid("is not the last one")
        skipped = end.get("skipped", 0)
        self.skipped = skipped if isinstance(skipped, int) else 1

    def _damaged(self, reason: str) -> Invalid:
        return Invalid("%(file)s is damaged: %(reason)s.", file=self._file, reason=reason)


#: Skipped keys, or faults, that are printed; all are counted.
MAX_PRINTED = 20
#: The kinds that the summary of a backup counts, with their nouns.
REPORTED = {
    "articles": "article",
    "comments": "comment",
    "members": "member",
    "groups": "group",
    "entries": "log entry",
}


def _check_folder(_context: click.Context, _parameter: click.Parameter, typed: str) -> Path | None:
    """Return the file or folder that was *typed* if its folder exists, None for "-": standard output.

    It is checked before any database is started.
    """
    if typed == "-":
        if sys.stdout.isatty():
            raise click.BadParameter("standard output is a terminal")
        return None
    path = Path(typed)
    folder = path if path.is_dir() or typed.endswith(os.sep) else path.parent
    if not folder.is_dir():
        raise click.BadParameter(f"there is no folder {folder}")
    return path


@click.command()
@click.argument("path", metavar="FILE|FOLDER|-", callback=_check_folder)
@with_site()
def backup(site: Site, /, path: Path | None) -> None:
    """Write a copy of the whole site, which may be in use, into FILE, into a new file in FOLDER, or to standard output.

    Only its owner can read the file, because it holds the members' password hashes. It replaces a file of the same name
    when it is complete. "voteweb restore --dry-run FILE" checks it. In FOLDER the file is named after the time, and
    VOTEWEB_SITE: voteweb-20261122T033000Z.gz.

    A key that cannot be read, such as one of a wrong type, is left out and named; the file can be restored, and the
    exit status is 1. The site notes only a backup without such keys.
    """
    begun = clock.now()
    file = path and file_at(path, "voteweb", site.settings.site)
    counts, size, skipped = write_backup(site.store, file)
    click.echo(f"Wrote {summarize(counts)} to {file or 'standard output'} ({size / 1e6:,.1f} MB).", err=not file)
    for key in skipped[:MAX_PRINTED]:
        click.echo(f"{key}  cannot be read: left out", err=True)
    if skipped:
        raise click.ClickException(
            f"{file or 'The backup'} is partial: {pluralize(len(skipped), 'key')} could not be read and "
            f"{'is' if len(skipped) == 1 else 'are'} not in it (voteweb doctor tells more)"
        )
    try:
        site.store.health.record_backup(BackupFacts(begun, size))
    except (StorageFull, Unavailable):
        click.echo("The database accepts no writes: the site cannot note that this backup was made.", err=True)


def file_at(path: Path, beginning: str, site: str) -> Path:
    """Return *path* or, if that is a folder, a file in it: *beginning*, *site* unless that is "", and the time."""
    time = f"{datetime.fromtimestamp(clock.now(), UTC):%Y%m%dT%H%M%SZ}"
    return path / f"{'-'.join(filter(None, [beginning, site, time]))}.gz" if path.is_dir() else path


def summarize(counts: Mapping[str, int]) -> str:
    """Return in words how much a backup has."""
    return ", ".join(pluralize(counts.get(kind, 0), noun) for kind, noun in REPORTED.items())


#: Lines that are written to Redis at once.
RESTORE_BATCH_SIZE = 200
#: The exit status when the doctor names something in what was restored.
FOUND_STATUS = 3


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, exists=True, readable=True, allow_dash=True))
@click.option("--again", is_flag=True, help="First delete what a restore that did not finish has written.")
@click.option("--dry-run", is_flag=True, help="Only check FILE; no database is needed.")
@click.option("--force", is_flag=True, help="Restore FILE although it has faulty values, or sizes that no site has.")
@click.option("--end-programs", is_flag=True, help="Restore no token of a program: some may be withdrawn since.")
@data_option
def restore(file: str, again: bool, dry_run: bool, force: bool, end_programs: bool, data: str | None) -> None:
    """Write the copy of a site in FILE, or in standard input if FILE is -, into an empty database.

    FILE is checked before anything is written. Until the restore is complete, no other command uses the site. One that
    did not finish is begun anew with --again. An encrypted backup comes from the program that decrypts it: age -d -i
    KEYFILE FILE | voteweb restore -
    """
    target = None if dry_run else load_settings(data)
    if target and not data and not any(os.environ.get(name) for name in PLACES):
        raise click.UsageError(f"Name the place of the site: --data DIR, voteweb --site DIR, or {' or '.join(PLACES)}.")
    with _open(file) as stream:
        reader, faults = _check(file, stream, force)
        time = f"{datetime.fromtimestamp(reader.created, UTC):%Y-%m-%d %H:%M} UTC"
        summary = f"{summarize(reader.counts)}, as of {time}, from {reader.engine or 'an unknown engine'}"
        if reader.skipped:
            click.echo(f"{file} is partial: the backup could not read {pluralize(reader.skipped, 'key')}.")
        if faults and dry_run:
            raise click.ClickException(f"{file} is complete, but has {faults}")
        if faults and not force:
            raise click.ClickException(
                f"{file} has {faults}, which may break pages. Nothing was written. With --force it is restored as it "
                "is, and voteweb doctor finds what it can repair."
            )
        if target is None:
            click.echo(f"{file} {'can be restored' if reader.skipped else 'is complete'}: {summary}.")
            return
        with open_checked_store(target, allow_unfinished=True, any_schema=True, any_site=True) as store:
            restore = Restore(store.context, reader.layout if reader.is_whole else None)
            if again:
                restore.clear()
            restore.begin()
            with _read(file, stream, "Restoring", force) as (_, lines):
                written = (line for line in lines if not (end_programs and line.noun == "programs"))
                for batch in batched(written, RESTORE_BATCH_SIZE):
                    restore.write(batch)
            for sentence in restore.convert(reader.layout or 0):
                click.echo(sentence)
            id = restore.finish(force=force)
            if read_site_id(target):
                keep_site_id(target, id)
            click.echo(f"Restored {summary}." + (" Run voteweb doctor --repair now." if reader.skipped else ""))
            if programs := store.programs.count():
                click.echo(
                    f"{pluralize(programs, 'token')} of programs came back, of which some may be withdrawn since the "
                    "backup: with --end-programs, a restore ends all."
                )
            if not reader.is_whole:
                findings = (finding for finding in Doctor(store.context).examine() if not finding.is_note)
                if _print_faults(f"{finding.key}  {finding.what}" for finding in findings):
                    sys.exit(FOUND_STATUS)


def _check(file: str, stream: IO[bytes], force: bool) -> tuple[Reader, str]:
    """Read the whole file, print its first faults, and return its reader and how many there are in words."""
    with _read(file, stream, "Checking", force) as (reader, lines):
        checks = LineChecks(is_whole=reader.is_whole)
        return reader, _print_faults(fault for line in lines for fault in checks.faults(line))


def _print_faults(faults: Iterable[str]) -> str:
    """Print the first of *faults*, and return how many there are in words, "" for none."""
    count = 0
    for count, fault in enumerate(faults, 1):
        if count <= MAX_PRINTED:
            # A terminal obeys what a hostile file may have in names.
            click.echo(fault if fault.isprintable() else fault.encode("unicode_escape").decode())
    if count > MAX_PRINTED:
        click.echo(f"... and {pluralize(count - MAX_PRINTED, 'more faulty value')}")
    return pluralize(count, "faulty value") if count else ""


@contextmanager
def _open(file: str) -> Iterator[IO[bytes]]:
    """Open *file*; standard input, which is read twice, is kept in a file without a name meanwhile."""
    if file != "-":
        with open(file, "rb") as stream:
            yield stream
        return
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        yield copy


@contextmanager
def _read(file: str, stream: IO[bytes], label: str, force: bool) -> Iterator[tuple[Reader, Iterator[KeyLine]]]:
    """Yield the reader of *stream* from its beginning and its lines, which are read under a progress bar."""
    stream.seek(0)
    reader = Reader(file, stream, bounded=not force)
    with closing(track_file(reader.lines(), label, stream)) as lines:
        yield reader, lines
