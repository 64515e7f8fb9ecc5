"""Check by the table of nouns: type, lifetime and owner of each key, and what sets, rankings and lists of acts hold."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple

from voteweb.core.mail import MailKind
from voteweb.core.settings_in_force import FIELDS, is_stored_setting
from voteweb.core.validation import is_member_key
from voteweb.store.accounts.users import member_places
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.findings import FOREIGN_KEY, Finding, SpoolingScanner, check_place, remade
from voteweb.store.scan.looks import Fields
from voteweb.store.scan.scanner import SCAN_COUNT, Bitmap, Scanner, batched, split_evenly
from voteweb.store.schema.fields import BY_HAND, LOG_FIELDS, unpack
from voteweb.store.schema.keys import EXPIRING, NOUNS, Keys, key_type
from voteweb.store.schema.log_entries import log_indexes, rewrite
from voteweb.store.schema.rankings import BEST_NOUNS, Rankings, group_keys, place_writes
from voteweb.store.schema.values import (
    LEFT_OUT,
    comment_of,
    finite_number,
    invitation_digest,
    is_article,
    is_id_text,
    is_member_id,
    is_program,
    parse_planned_merge,
    parse_report,
    parse_rule,
)

#: An id that is never given out: it stands for that of a member who has lost it.
NO_ID = 0
#: The name of an entry in the hashes of these nouns, and the function that reads it, or tells whether it can be read.
_ENTRIES: dict[str, tuple[str, Callable[[str, str], object]]] = {
    "report": ("report", lambda _, text: parse_report(text)),
    "comment-report": ("report", lambda _, text: parse_report(text)),
    "domain-rules": ("rule", parse_rule),
    "planned-merges": ("merge", parse_planned_merge),
    "programs": ("program", is_program),
    "site": ("setting", lambda name, text: name not in FIELDS or is_stored_setting(name, text)),
}
#: The nouns of sets and rankings of which nothing but the table tells what they may hold: members' lists, and others.
_LISTS = (name for name, noun in NOUNS.items() if (noun.type, noun.owner) == ("zset", "user"))
_CHECKED = ("imported", "page-texts", *_LISTS)


def examine_types(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check type and lifetime of every key, and note in *scanner* which have another type."""
    keys = scanner.site_keys
    for batch in batched(scanner.spool()):
        replies = scanner.run_atomic([(command, key) for key in batch for command in ("TYPE", "TTL")])
        for key, (actual, expires) in zip(batch, split_evenly(replies, len(batch)), strict=True):
            wanted = key_type(keys, key)
            if wanted is None or actual == "none":
                continue
            if not keys.is_ours(key):
                yield Finding(key, "is no key of voteweb", why_not=FOREIGN_KEY, is_note=True)
                continue
            if actual == wanted:
                yield from _check_lifetime(keys, key, expires)
                continue
            scanner.mistyped.add(key)
            why_not = "its content may be another program's: RENAME it, then repair again"
            yield Finding(key, f"is a {actual}, but should be a {wanted}", why_not=why_not)


def _check_lifetime(keys: Keys, key: str, expires: int) -> Iterator[Finding]:
    noun, name = keys.split(key)
    is_combined = noun in ("time", "score") and "+" in name
    if expires >= 0 and noun not in EXPIRING and not is_combined:
        yield Finding(key, f"expires in {expires} seconds, but is for ever", ("PERSIST", key))
    elif expires == -1 and is_combined:
        yield Finding(key, "never expires", ("UNLINK", key))  # the next request for it builds it again
    elif expires == -1 and EXPIRING.get(noun):
        command, *seconds = EXPIRING[noun]
        yield Finding(key, "never expires", (command, key, *seconds))


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check owners, members and numbers of items, mails and counters."""
    keys = scanner.site_keys
    owned = scanner.keys_of(*(name for name, noun in NOUNS.items() if noun.owner))
    yield from scanner.check_each(
        owned, lambda key: [("EXISTS", key), ("EXISTS", _owner(keys, key))], partial(_check_owner, keys)
    )
    for noun in _CHECKED:
        yield from scanner.findings(scanner.keys_of(noun), partial(_check_items, noun=noun))
    yield from scanner.unless_mistyped(_check_mails(scanner))
    yield from examine_counters(scanner)


def examine_counters(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check that no id is given out twice."""
    keys = scanner.site_keys
    yield from scanner.unless_mistyped(_check_counter(scanner, keys.last_article_id(), scanner.article_ids()))
    yield from scanner.unless_mistyped(_check_counter(scanner, keys.last_user_id(), iter(member_ids(scanner))))


def _owner(keys: Keys, key: str) -> str:
    noun, name = keys.split(key)
    return f"{keys.prefix}{NOUNS[noun].owner}:{name}"


def _check_owner(keys: Keys, key: str, exists: int, has_owner: int) -> Iterator[Finding]:
    """Check that the key to which one belongs exists."""
    noun, name = keys.split(key)
    owner, is_note = _owner(keys, key), not NOUNS[noun].name(name)
    orphan = "another program may have made this key; else UNLINK it" if is_note else NOUNS[noun].orphan
    if exists and not has_owner:
        what = f"belongs to {owner}, which is not there"
        yield Finding(key, what, why_not=orphan, writes=(("UNLINK", key),), is_note=is_note)


def _check_items(scanner: Scanner, found: list[str], *, noun: str) -> Iterator[Finding]:
    """Check that these sets and rankings hold what they may hold, and no more."""
    keys, kind = scanner.site_keys, NOUNS[noun]
    for key, members in scanner.members_of(found):
        if not kind.name(keys.split(key)[1]):
            yield Finding(key, "has no name of such a key", why_not=FOREIGN_KEY, is_note=True)
            continue
        for member in members:
            if kind.item and not kind.item(member):
                what = f"holds {member:.60}, which is nothing to keep there"
                yield Finding(key, what, place_writes(keys, key, member, None)[0])
    sizes = scanner.run_atomic([("ZCARD", key) for key in found if kind.most])
    for key, size in zip(found, sizes, strict=False):
        if size > kind.most and kind.name(keys.split(key)[1]):
            yield Finding(key, f"holds more than {kind.most} entries", ("ZREMRANGEBYRANK", key, 0, -kind.most - 1))


def examine_entries(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check that hashes hold what pages and scripts can read."""
    for noun in _ENTRIES:
        yield from scanner.findings(scanner.keys_of(noun), partial(_check_entries, noun=noun))


def _check_entries(scanner: Scanner, found: list[str], *, noun: str) -> Iterator[Finding]:
    what, parse = _ENTRIES[noun]
    for key in (key for key in found if NOUNS[noun].name(scanner.site_keys.split(key)[1])):
        for batch in scanner.batches("HSCAN", key, 0, "COUNT", SCAN_COUNT):
            for name, text in sorted(batch.items()):
                if not parse(name, text):
                    fix = guarded(scanner.site_keys, [("HGET", key, name)], [text], [("HDEL", key, name)])
                    yield Finding(key, f"holds for {name:.60} what is no {what}", fix)


def _check_mails(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check that each mail has a kind and a member, and that the data of a mail are of one that waits."""
    keys, queue, mails = scanner.site_keys, scanner.site_keys.outbox(), scanner.site_keys.mails()

    def check_mail(entry: str, exists: int) -> Iterator[Finding]:
        # A new password may be asked for under any name, and who was warned may leave: the job finds out.
        kind = entry.partition(" ")[0]
        if kind not in set(MailKind) or not (exists or kind in (MailKind.RESET, MailKind.CHANGED)):
            yield Finding(queue, f"holds {entry:.60}, which is no mail", ("ZREM", queue, entry))

    def check_data(entry: str, due: float | None) -> Iterator[Finding]:
        if due is None:
            yield Finding(mails, f"has {entry:.60}, which does not wait", writes=(("HDEL", mails, entry),))

    entries = scanner.command("ZRANGE", queue, 0, -1)
    yield from scanner.check_each(entries, lambda entry: [("EXISTS", keys.user(entry.partition(" ")[2]))], check_mail)
    yield from scanner.check_each(scanner.command("HKEYS", mails), lambda entry: [("ZSCORE", queue, entry)], check_data)


def member_ids(scanner: Scanner) -> Bitmap:
    """Return the ids of all members, also of those who left, and NO_ID if a member has none or a shared one."""
    ids = Bitmap()
    for _, id in ids_by_member(scanner):
        is_new = ids.add(int(id) if id is not None and is_member_id(id) else NO_ID)
        if not is_new:
            ids.add(NO_ID)
    return ids


def ids_by_member(scanner: Scanner) -> Iterator[tuple[str, str | None]]:
    """Yield the key of each member with the id in it."""
    for batch in batched(scanner.keys_of("user")):
        yield from zip(batch, scanner.run_atomic([("HGET", key, "id") for key in batch]), strict=True)


def _check_counter(scanner: Scanner, key: str, ids: Iterator[int]) -> Iterator[Finding]:
    """Compare the counter *key*, read after the *ids*, with the highest of them: no id is ever given out twice."""
    highest = max(ids, default=0)
    last = scanner.command("GET", key)
    if last is not None and not last.isdecimal():
        yield Finding(key, f"is {last}, which is no number", why_not=f"set it by hand to {highest} or more")
    elif int(last or 0) < highest:
        # A concurrent writer may raise it once more: that leaves a gap, which does no harm.
        fix = ("INCRBY", key, highest - int(last or 0))
        yield Finding(key, f"is {last or 'missing'}, but {highest} is in use", fix)


def examine_places(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check that what stands in sets and rankings exists and belongs there; its fields have their own check."""
    keys = scanner.site_keys
    of_site = [
        *(keys.by_time(), keys.by_score(), keys.good(), keys.top(), keys.held_articles(), keys.answers()),
        *(keys.reports(), *member_places(keys, {}), keys.leaving(), keys.removing(), keys.merging()),
    ]
    others = scanner.keys_of("posted", "gone", "link", "domain", "top-day", "saved", "invites", "names")
    found = chain(of_site, group_keys(keys, scanner.groups()), others)
    held = scanner.members_of(key for key in found if key not in scanner.mistyped)
    places = (_place(keys, key, member) for key, members in held for member in members)
    yield from scanner.check_each(filter(None, places), partial(_reads_of_place, keys), partial(_check_place, keys))


class _Place(NamedTuple):
    """A member of a set or ranking, the kind of thing that it stands for, and the read of fields of its hash."""

    key: str
    member: str
    kind: str
    read: Command


def _place(keys: Keys, key: str, member: str) -> _Place | None:
    """Return the place of *member* in *key*.

    None for the mark of the articles that a ranking left out, and where another check looks.
    """
    noun = keys.split(key)[0]
    if noun == "removing":
        return _Place(key, member, "conversation", ("HMGET", keys.thread(member), "last", "rev", "closes"))
    if noun == "merging":
        return _Place(key, member, "second name", ("HMGET", keys.group_aliases(), member))
    if noun == "invites":
        return _Place(key, member, "invitation", ("HMGET", keys.invite(invitation_digest(member) or "?"), "by"))
    if NOUNS[noun].item is is_member_key:
        return _Place(key, member, "member", ("HMGET", keys.user(member), "id", "name", "role", "since"))
    is_mark = member == LEFT_OUT and noun in BEST_NOUNS
    if is_mark or (noun == "reports" and comment_of(member)) or (noun == "saved" and not is_article(member)):
        return None
    article = f"{keys.prefix}{member}" if is_article(member) else keys.article("?")
    return _Place(key, member, "article", ("HMGET", article, "title", "poster", "link", "groups", "time"))


def _may_stand(keys: Keys, key: str, kind: str, fields: Fields) -> bool:
    """Tell whether a thing of this *kind* with these *fields* may stand in *key*."""
    noun, _ = keys.split(key)
    if noun == "names":  # the id that a member has lost is stored nowhere else
        return not is_id_text(fields["id"] or "") or key in member_places(keys, fields)
    if kind != "article":
        return noun != "invites" or key == keys.invites(fields["by"] or "")
    if noun == "saved":  # its member has chosen it, and a backup may have the article
        return True
    is_free = noun in ("reports", "answers") or (noun == "top-day" and finite_number(fields["time"]) is None)
    return fields["title"] is not None and (is_free or key in Rankings(keys).named(fields))


def _reads_of_place(keys: Keys, place: _Place) -> list[Command]:
    command = "SISMEMBER" if key_type(keys, place.key) == "set" else "ZSCORE"
    return [place.read, (command, place.key, place.member)]


def _check_place(keys: Keys, place: _Place, values: list[str | None], stored: float | bool | None) -> Iterator[Finding]:
    fields, exists = dict(zip(place.read[2:], values, strict=True)), any(value is not None for value in values)
    if exists and _may_stand(keys, place.key, place.kind, fields):
        return
    for finding in check_place(keys, place.key, place.member, stored, None):
        is_thing = exists and fields.get("title", "") is not None
        yield finding if is_thing else finding._replace(what=f"holds {place.member}, which is no {place.kind}")


def examine_log(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check that every act is in all lists of ids that index it, and each list holds only its acts, in order.

    Memory grows by 50 bytes an act, and for a while by 300 for each in a list that is wrong.
    """
    keys, entries = scanner.site_keys, scanner.site_keys.log_entries()
    wanted: dict[str, array[int]] = defaultdict(lambda: array("Q"))
    undoing, broken, last = list[tuple[int, int]](), set[int](), 0
    for last, text in scanner.items(entries):
        if not text:
            continue  # an id that no act has
        fields = unpack(text)
        is_act = LOG_FIELDS["kind"].check(fields.get("kind", "")) and fields.get("who")
        if not is_act or finite_number(fields.get("time")) is None:
            broken.add(last)
            yield Finding(entries, f"has no kind, no time, or nobody for the id {last}", why_not=BY_HAND)
            continue
        for index in log_indexes(keys, fields["kind"], fields["who"], fields.get("about", "")):
            wanted[index].append(last)
        if undoes := fields.get("undoes"):
            undone = int(undoes) if undoes.isdecimal() else 0
            undoing.append((last, undone if 0 < undone < last else 0))
    yield from scanner.check_each(
        undoing, lambda pair: [("LINDEX", entries, pair[1] - 1)], partial(_check_undone, keys)
    )
    existing = scanner.keys_of("log-by", "log-kind", "log-about")
    for index, items in scanner.members_of(dict.fromkeys(chain([keys.log()], existing, list(wanted)))):
        yield from _check_index(scanner, index, items, wanted[index], broken, last)


def _check_undone(keys: Keys, pair: tuple[int, int], text: str | None) -> Iterator[Finding]:
    """Check that the second act of a pair is marked as undone by the first; 0 is none."""
    entries, (id, undone) = keys.log_entries(), pair
    fields = unpack(text if text and undone else "")
    if "undone" not in fields:
        what = f"has an entry {undone} that {id} undoes, but it does not say so"
        writes = (rewrite(keys, undone, fields | {"undone": "1"}),)
        yield Finding(entries, what, why_not="" if fields else "there is no such entry", writes=writes)


def _check_index(
    scanner: Scanner, index: str, items: Iterable[str], wanted: "array[int]", broken: set[int], last: int
) -> Iterator[Finding]:
    """Compare the *items* of an index with the ids up to *last* that it should hold: both ascend.

    Nobody knows where *broken* ones belong, and acts since the log was read are newer: both stay where they are.
    """
    if array("Q", map(_number, items)) == wanted:  # as on a sound site: nothing that takes more memory is made
        return
    found = [item for _, item in scanner.items(index)]
    ids = list(map(_number, found))
    newest = scanner.command("LLEN", scanner.site_keys.log_entries()) if max(ids, default=0) > last else last
    right = sorted([*wanted, *{id for id in ids if id in broken or last < id <= newest}])
    order = ["has its acts in another order"] if ids != right and sorted(ids) == right else []
    yield from remade(scanner, index, found, list(map(str, right)), *order)


def _number(item: str) -> int:
    return int(item) if is_id_text(item) else 0
