"""Check the public log: every act is in all lists of ids that index it, and each list holds only its acts, in order."""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import chain

from voteweb.core.models import LogAction
from voteweb.store.connection.commit import guarded
from voteweb.store.doctor.finding import Finding
from voteweb.store.scan.list_replacement import Ends, replacement
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema.log_entries import log_indexes, pack, unpack
from voteweb.store.schema.values import finite_number

_KINDS = frozenset(action.value for action in LogAction)


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check all acts and their indexes; memory grows by 20 bytes an act."""
    keys = scanner.site_keys
    wanted: dict[str, array[int]] = defaultdict(lambda: array("Q"))
    undoing: list[tuple[int, int]] = []
    broken: set[int] = set()
    last = 0
    for last, text in scanner.items(keys.log_entries()):
        if not text:
            continue  # an id that no act has
        fields = unpack(text)
        kind, who, about, undoes = (fields.get(name, "") for name in ("kind", "who", "about", "undoes"))
        if kind not in _KINDS or not who or finite_number(fields.get("time")) is None:
            why_not = "the value is stored nowhere else: set the entry with LSET, then repair again"
            broken.add(last)
            yield Finding(keys.log_entries(), f"has no kind, no time, or nobody for the id {last}", why_not=why_not)
            continue
        for index in log_indexes(keys, kind, who, about):
            wanted[index].append(last)
        if undoes:
            undone = int(undoes) if undoes.isdecimal() else 0
            undoing.append((last, undone if 0 < undone < last else 0))
    for pairs in batched(undoing):
        yield from _check_undone(scanner, pairs)
    patterns = (keys.log_by("*"), keys.log_kind("*"), keys.log_about("*"))
    existing = chain([keys.log()], *(scanner.keys(pattern) for pattern in patterns))
    for index, members in scanner.list_items(dict.fromkeys(chain(existing, list(wanted)))):
        yield from _check_index(scanner, index, members, wanted[index], broken, last)


def _check_undone(scanner: Scanner, pairs: list[tuple[int, int]]) -> Iterator[Finding]:
    """Check that the second act of each pair is marked as undone by the first; 0 is none."""
    keys = scanner.site_keys
    entries = scanner.run_atomic([("LINDEX", keys.log_entries(), undone - 1) for _, undone in pairs])
    for (id, undone), text in zip(pairs, entries, strict=True):
        fields = unpack(text if text and undone else "")
        if "undone" not in fields:
            what = f"has an entry {undone} that {id} undoes, but it does not say so"
            read = ("LINDEX", keys.log_entries(), undone - 1)
            write = ("LSET", keys.log_entries(), undone - 1, pack(fields | {"undone": "1"}))
            fix = guarded(keys, [read], [text], [write]) if fields else ()
            yield Finding(keys.log_entries(), what, fix, "there is no such entry")


def _check_index(
    scanner: Scanner, index: str, members: Iterable[str], wanted: "array[int]", broken: set[int], last: int
) -> Iterator[Finding]:
    """Compare the *members* of an index with the ids up to *last* that it should hold: both ascend.

    Nobody knows where *broken* ones belong, and acts since the log was read are newer: both stay where they are.
    """
    problems, others, at, count, first, member = list[str](), set[int](), 0, 0, None, None
    for member in members:
        count, first = count + 1, member if first is None else first
        id = int(member) if member.isascii() and member.isdecimal() else 0
        if id in broken or (id > last and _exists(scanner, id)):
            others.add(id)
            continue
        while at < len(wanted) and wanted[at] < min(id, last + 1):
            problems.append(f"lacks {wanted[at]}")
            at += 1
        if at < len(wanted) and id == wanted[at]:
            at += 1
        elif _holds(wanted, id):
            problems.append(f"holds {member} twice or out of order")
        else:
            problems.append(f"holds {member}, which does not belong there")
    problems += [f"lacks {id}" for id in wanted[at:]]
    if problems:
        ids = merge(wanted, sorted(others))
        prepare, fix = replacement(scanner.site_keys, index, Ends(count, first, member), ids)
        yield from (Finding(index, what, fix, prepare=prepare) for what in problems)


def _holds(ids: "array[int]", id: int) -> bool:
    """Tell whether *id* is among *ids*, which ascend."""
    at = bisect_left(ids, id)
    return at < len(ids) and ids[at] == id


def _exists(scanner: Scanner, id: int) -> bool:
    """Tell whether the log has this id now."""
    (count,) = scanner.run_atomic([("LLEN", scanner.site_keys.log_entries())])
    return bool(id <= count)
