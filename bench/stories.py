"""Stories of generated sites, the same in every run: each is made of nothing but its place from the newest.

So a small site is the newest part of a large one, and the pages of both hold the same kind of rows: what a page
costs more on the large one, it costs for the size alone.
"""

import csv
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate, combinations
from pathlib import Path

COLUMNS = ("title", "link", "poster", "time", "votes", "groups")
#: Two groups that each hold half of all articles, by chance: a quarter is in both.
HALVES = ("news", "tech")
#: The other groups and the posters: the k-th is chosen k times as rarely as the first.
OTHERS, POSTERS = 48, 2_000
#: Share of the articles that are in one of the other groups besides.
IN_OTHERS = 0.6
#: Seconds between two articles: a million of them are 58 days, ten thousand 14 hours.
STEP = 5
#: Seconds since the newest article.
FRESH = 300
#: The most votes of an article: they lift it two and a half days, so that a front page holds open articles only.
VOTES_MOST = 500
#: Exponent of the votes' distribution: 0.9 % have 200 votes or more, half of them one or two.
SKEW = 0.9
WORDS = """a about after all an and are as at back be because better build can code data day design does down even fast
first for from get go good great guide hard have how in into is it language large learn less like little long machine
make memory more most network new no not now of on one open or out over page people program project queue read release
review run science search secure server simple site small software source space speed start state story system test
text that the their then there time to tool under up update use value version vote want was way web what when where
which why with without work world write year you your""".split()


@dataclass(frozen=True, slots=True)
class Survey:
    """What there is to look at on a site: a large group, two or more that can be combined, a busy poster."""

    articles: int
    group: str
    combined: str
    poster: str


def generate(file: Path, count: int, now: float) -> Survey:
    """Write *count* stories, the oldest first, as a CSV that ``voteweb import`` takes."""
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        writer.writerows(row(place, int(now)) for place in range(count - 1, -1, -1))
    return Survey(count, HALVES[0], "+".join(HALVES), "poster1")


def survey(file: Path) -> Survey:
    """Return what there is to look at in the stories of *file*, a CSV: the largest of each kind.

    Raises ValueError when no story is in two groups.
    """
    groups: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    posters: Counter[str] = Counter()
    with file.open(newline="", encoding="utf-8-sig") as stream:
        for row in csv.DictReader(stream):
            names = sorted((row.get("groups") or "").split())
            groups.update(names)
            pairs.update("+".join(pair) for pair in combinations(names, 2))
            posters[row["poster"]] += 1
    if not pairs:
        raise ValueError(f"No story of {file} is in two groups.")
    return Survey(posters.total(), *(each.most_common(1)[0][0] for each in (groups, pairs, posters)))


def row(place: int, now: int) -> tuple[str, ...]:
    """Return the story at *place* from the newest, by COLUMNS; *now* in unix seconds."""
    chance = _Chance(place)
    title = " ".join(WORDS[chance.below(len(WORDS))] for _ in range(7 + chance.below(6))).capitalize()
    host = WORDS[chance.below(len(WORDS))]
    link = f"https://{host}{chance.below(900)}.example.com/{title[:24].strip().replace(' ', '-').lower()}/{place}"
    votes = min(int(chance.share() ** (-1 / SKEW)), VOTES_MOST)
    groups = [name for name in HALVES if chance.below(2)]
    if chance.share() < IN_OTHERS:
        groups.append(f"group{1 + chance.one_of(_OTHERS)}")
    poster = f"poster{1 + chance.one_of(_POSTERS)}"
    return title, link, poster, str(now - FRESH - place * STEP), str(votes), " ".join(groups)


def _zipf(count: int) -> Sequence[float]:
    """Return how likely one of the first k is, for each k."""
    sums = list(accumulate(1 / k for k in range(1, count + 1)))
    return [each / sums[-1] for each in sums]


_OTHERS, _POSTERS = _zipf(OTHERS), _zipf(POSTERS)


class _Chance:
    """Numbers that look like chance and are the same for the same *place* on every machine."""

    def __init__(self, place: int) -> None:
        self._bytes = self._drawn(place)

    @staticmethod
    def _drawn(place: int) -> Iterator[int]:
        drawn = blake2b(str(place).encode(), digest_size=64).digest()
        return iter(int.from_bytes(drawn[at : at + 3], "big") for at in range(0, 63, 3))

    def share(self) -> float:
        """Return a number above 0, at most 1."""
        return (next(self._bytes) + 1) / 2**24

    def below(self, count: int) -> int:
        """Return a whole number from 0 to below *count*."""
        return next(self._bytes) * count >> 24

    def one_of(self, shares: Sequence[float]) -> int:
        """Return a place of *shares*, each as likely as its share rises."""
        return bisect_left(shares, self.share())
