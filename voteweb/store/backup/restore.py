"""Restore a backup into an empty site, which is marked as incomplete until all of it is there.

Other sites on the same database are left alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from voteweb.core import clock
from voteweb.core.config import SCHEMA
from voteweb.core.errors import ConfigError, ServerChanged
from voteweb.core.settings_in_force import SITE_ID
from voteweb.store.articles.search_documents import begin_epoch
from voteweb.store.backup.derive import derive
from voteweb.store.backup.lines import KeyLine
from voteweb.store.connection.pipeline import Command
from voteweb.store.members.former_domains import RESPELLED, respell_domains
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema.key_forms import Part
from voteweb.store.schema.keys import NOUNS, key_type
from voteweb.store.server.health import HealthChecks
from voteweb.store.site.context import Context, StorePart

#: Members or fields that one command carries: well under a millisecond of work.
CHUNK_SIZE = 1_000
_ADDS = {"hash": "HSET", "set": "SADD", "zset": "ZADD", "list": "RPUSH"}
#: The fields of primary hashes that are computed from other keys.
_DERIVED_FIELDS = {"article": ("comments",), "thread": ("hiding",)}


class Restore(StorePart):
    """One restore."""

    def __init__(self, context: Context, whole_layout: int | None = None) -> None:
        """Prepare a restore of primary keys or, with the number of its layout, of a copy of every key."""
        super().__init__(context)
        self._whole_layout = whole_layout
        self._scanner = Scanner(context.connection)
        self._written: Counter[str] = Counter()

    def begin(self) -> None:
        """Mark the site as incomplete; raise ConfigError unless it is empty, but for what a lost site has forgotten."""
        HealthChecks(self._context).refuse_unusable()
        # An empty site that was started has the number of the layout, and settings.
        # An indexer that waits for articles has given it an epoch.
        known = {self._keys.schema(), self._keys.search_epoch(), self._keys.site()}
        others = (key for key in self._scanner.all_keys() if key not in known)
        # Where processes of a site write nothing any more, as it was emptied, they have left such keys.
        was_emptied = not self._connection.command("EXISTS", self._keys.site())
        present = next((key for key in others if not (was_emptied and self._is_passing(key))), None)
        if present is not None:
            is_served = self._is_passing(present)
            raise ConfigError(
                "The database is not empty, %(why)s: a backup is restored into an empty one only. Beside another site, "
                "give this one a name of its own, VOTEWEB_SITE.",
                why="a voteweb serves it or has served it" if is_served else f"it has {present}",
            )
        self._mark()
        self._connection.command("UNLINK", self._keys.schema(), self._keys.site())

    def _is_passing(self, key: str) -> bool:
        noun = NOUNS.get(self._keys.split(key)[0])
        return noun is not None and noun.part is Part.PASSING

    def clear(self) -> None:
        """Delete what a restore that did not finish has written, if there was one; begin() comes next."""
        if not self._connection.command("EXISTS", self._keys.restoring()):
            return
        # Names of another program's posters, such as user:7, are no names of members.
        written = (key for key in self._scanner.all_keys() if key_type(self._keys, key))
        for batch in batched(key for key in written if key != self._keys.restoring()):
            self._connection.command("UNLINK", *batch)
        self._connection.command("UNLINK", self._keys.restoring())

    def _mark(self) -> None:
        self._connection.command("SET", self._keys.restoring(), f"{clock.now():.0f}", "NX")

    def write(self, batch: Sequence[KeyLine]) -> None:
        """Write some lines; writing them again changes nothing."""
        commands: list[Command] = []
        for line in batch:
            commands += line_writes(line, self._keys.prefix, is_whole=self._whole_layout is not None)
            self._written.update(things(line))
        self._connection.run(commands)

    def convert(self, layout: int) -> Iterator[str]:
        """Convert the primary keys that were written from *layout*; yield sentences for the operator."""
        if layout < RESPELLED and self._whole_layout is None:
            yield from (step for step in respell_domains(self._context) if isinstance(step, str))

    def finish(self, *, force: bool = False) -> str:
        """Write the keys that are derived from the lines, and remove the mark; return the id of the site, "" for none.

        Raises ConfigError when the database may not hold what was written; then the mark stays. With *force* it may
        hold something else, for the doctor to name.
        """
        try:
            return self._finish(force)
        except ServerChanged:
            # Writes that the other server had not replicated or synced are lost, perhaps the mark too.
            self._mark()
            raise ConfigError(
                "The database was restarted or replaced while it was written, so that something may be missing: run "
                "`voteweb restore --again FILE`."
            ) from None

    def _finish(self, force: bool) -> str:
        self._scanner.command_on_same_server("TIME")
        if self._whole_layout is None:
            derived = derive(self._context)
            # Deriving takes minutes on a large site, in which the database may be lost as well.
            self._scanner.command_on_same_server("TIME")
            wanted = {name: self._written[name] for name in derived}
            if derived != wanted and not force:
                raise ConfigError(
                    "The database does not hold what was written: %(found)s instead of %(wanted)s.",
                    found=_in_words(derived),
                    wanted=_in_words(wanted),
                )
        layout = SCHEMA if self._whole_layout is None else self._whole_layout
        number = [("SET", self._keys.schema(), layout)] if layout else []
        # Backups of earlier versions have none: processes that know the id of this place go on with what was restored.
        site, id = self._keys.site(), self._context.site_id
        marks = [("HSETNX", site, SITE_ID, id)] if id and self._whole_layout is None else []
        end = [*begin_epoch(self._keys), ("UNLINK", self._keys.restoring()), ("HGET", site, SITE_ID)]
        return self._connection.run([*number, *marks, *end], atomic=True)[-1] or ""


def line_writes(line: KeyLine, prefix: str, *, is_whole: bool) -> Iterator[Command]:
    """Yield the commands that write a line; a derived key only if the line is of a whole copy."""
    key, value, until = prefix + line.key, line.value, line.until
    items: list[str | float] = []
    match line.type:
        case "string":
            yield ("SET", key, value)
        case "bits":
            yield ("SET", key, bytes.fromhex(value))
        case "hash":
            derived = () if is_whole else _DERIVED_FIELDS.get(line.noun, ())
            items = [part for pair in value.items() if pair[0] not in derived for part in pair]
        case "zset":
            items = [part for member, score in value.items() for part in (repr(float(score)), member)]
        case _:
            items = value
    if line.type == "list":
        # Items of a first attempt whose answer was lost go before they are appended again.
        yield ("LTRIM", key, 0, line.at - 1) if line.at else ("UNLINK", key)
    for chunk in batched(items, 2 * CHUNK_SIZE):  # pairs stay together
        yield (_ADDS[line.type], key, *chunk)
    expires = NOUNS[line.noun].expires or ()
    if until is None and len(expires) > 1:  # a key that had lost its expiry
        until = int(1_000 * (clock.now() + float(expires[1])))
    if until is not None:
        yield ("PEXPIREAT", key, until)


def things(line: KeyLine) -> dict[str, int]:
    """Return how many articles, comments, members, groups or acts in the log a line of a backup holds."""
    match line.noun:
        case "article" | "user" if line.name:
            return {"articles" if line.noun == "article" else "members": 1}
        case "group-info":
            return {"groups": 1}
        case "thread":
            return {"comments": sum(name.isascii() and name.isdigit() for name in line.value)}
        case "log-entries":
            return {"entries": sum(map(bool, line.value))}
    return {}


def _in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {noun}" for noun, count in counts.items())
