"""Compare what two sides answered and stored, and judge it by the list of allowed differences."""

import re
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tests.same.keys import Contents
from tests.same.visitor import Record, Records

#: A tag that begins or ends a block, or is not shown, with the blanks beside it.
_BLOCK = re.compile(
    r" ?(</?(?!(?:a|abbr|b|bdi|button|code|em|i|img|input|kbd|label|mark|q|s|select|small|span|strong|time)\b)[^<>]*>|"
    r'<input type="hidden"[^<>]*>) ?'
)
#: Lines of a difference, places of a subject, and subjects that are printed.
DIFF_LINES, PLACES, SUBJECTS = 14, 3, 100


class Difference(NamedTuple):
    """A difference: of what, as ``allowed.txt`` names it, in which place of the plan, and as a short diff."""

    subject: str
    place: str
    detail: str


class Allowed(NamedTuple):
    """A line of ``allowed.txt``: a pattern of subjects, and why these may differ."""

    pattern: str
    reason: str


def read_allowed(file: Path) -> list[Allowed]:
    """Return the allowed differences in *file*; raise ValueError for a line without a reason."""
    allowed = []
    for line in file.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, separator, reason = line.partition(" · ")
            if not separator or not reason.strip():
                raise ValueError(f"{file}: {line!r} has no reason")
            allowed.append(Allowed(pattern.strip(), reason.strip()))
    return allowed


def judge(differences: Iterable[Difference], allowed: list[Allowed]) -> tuple[list[Difference], list[Allowed]]:
    """Return the differences that no line allows, and the lines that allow none."""
    unused, forbidden = set(allowed), []
    for difference in differences:
        names = (difference.subject, f"{difference.subject} in {difference.place}")
        lines = [line for line in allowed if any(fnmatchcase(name, line.pattern) for name in names)]
        unused -= set(lines)
        if not lines:
            forbidden.append(difference)
    return forbidden, [line for line in allowed if line in unused]


def differences(before: Records, after: Records, *, but_blanks: bool = False) -> Iterator[Difference]:
    """Yield every difference between two sides; *but_blanks*, not those in the blanks of HTML."""
    for place in before.answers | after.answers:
        one, other = before.answers.get(place), after.answers.get(place)
        if one is None or other is None:
            subject = one.subject if one else other.subject if other else ""
            yield Difference(subject, place, f"only {'BEFORE' if one else 'AFTER'} came here")
        elif one != other:
            yield from _answer_differences(place, one, other, but_blanks)
    for side, records in (("BEFORE", before), ("AFTER", after)):
        for place, record in records.answers.items():
            if record.subject == "doctor" and record.status != "0":
                yield Difference("doctor is not silent", f"{place} of {side}", record.text)
    for place in before.keys | after.keys:
        yield from _key_differences(place, before.keys.get(place, {}), after.keys.get(place, {}))


def _answer_differences(place: str, one: Record, other: Record, but_blanks: bool) -> Iterator[Difference]:
    if one.status != other.status:
        yield Difference(f"{one.subject} status", place, f"-{one.status}\n+{other.status}")
    is_same = but_blanks and one.body != other.body and _without_blanks(one.text) == _without_blanks(other.text)
    names = {name for name, _ in one.headers + other.headers}
    for name in sorted(names - ({"Content-Length", "ETag"} if is_same else set())):
        values, others = ([value for given, value in side.headers if given == name] for side in (one, other))
        if values != others:
            yield Difference(f"{one.subject} header {name}", place, _diff(values, others))
    if one.body != other.body and not is_same:
        yield Difference(f"{one.subject} body", place, _diff(one.text.split("\n"), other.text.split("\n")))


def _without_blanks(text: str) -> str:
    """Return HTML with one blank for many, and none beside a tag that is no part of a line: as browsers show it."""
    return _BLOCK.sub(r"\1", re.sub(r"\s+", " ", text))


def _key_differences(place: str, one: Contents, other: Contents) -> Iterator[Difference]:
    for name in one | other:
        before, after = one.get(name), other.get(name)
        if before == after:
            continue
        if before is None or after is None:
            side, content = ("AFTER", after) if before is None else ("BEFORE", before)
            detail = f"only in {side}: {content.type if content else 'deleted'}"
            yield Difference(f"key {name} type", place, detail)
            continue
        for part in ("type", "expires"):
            if getattr(before, part) != getattr(after, part):
                yield Difference(f"key {name} {part}", place, f"-{getattr(before, part)}\n+{getattr(after, part)}")
        if before.value != after.value:
            yield Difference(f"key {name} value", place, _diff(before.value, after.value))


def _diff(one: list[str], other: list[str]) -> str:
    lines = islice(unified_diff(one, other, "", "", "", n=0), 2, None)
    return "\n".join(line[:200] for line in islice((line for line in lines if line[:2] != "@@"), DIFF_LINES))


def report(forbidden: list[Difference], unused: list[Allowed]) -> Iterator[str]:
    """Yield the lines of the report: each subject that differs, where it does, and how at first."""
    subjects: dict[str, list[Difference]] = {}
    for difference in forbidden:
        subjects.setdefault(difference.subject, []).append(difference)
    for subject, those in islice(subjects.items(), SUBJECTS):
        yield f"\n{subject}: {len(those)} times"
        yield from (f"    in {difference.place}" for difference in those[:PLACES])
        yield from (f"        {line}" for line in those[0].detail.split("\n"))
    if len(subjects) > SUBJECTS:
        yield f"\n... and {len(subjects) - SUBJECTS} more subjects"
    for line in unused:
        yield f"\nallowed, but without a difference: {line.pattern} · {line.reason}"
