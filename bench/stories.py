"""Generated stories, the same in every run: each is derived from its position, counted from the newest.

So a small site is the newest part of a large one, and the pages of both hold the same kind of rows: a page that takes
longer on the large one does so because of its size alone.
"""

import csv
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random

COLUMNS = ("title", "link", "poster", "time", "votes", "groups")
#: Two groups that hold half of all articles each, chosen at random: a quarter is in both.
LARGE_GROUPS = ("news", "tech")
#: The other groups and the posters: the k-th is chosen with a probability proportional to 1 / k.
SMALL_GROUPS, POSTERS = 48, 2_000
#: Share of the articles that are in one of the small groups as well.
SMALL_GROUP_SHARE = 0.6
#: Seconds between two articles: a million of them are 58 days, ten thousand 14 hours.
SECONDS_BETWEEN = 5
#: Seconds since the newest article.
NEWEST_AGE_SECONDS = 300
#: The most votes of an article: they lift it two and a half days, so that a front page holds open articles only.
MAX_VOTES = 500
#: Exponent of the votes' distribution: 0.9 % have 200 votes or more, half of them one or two.
VOTES_EXPONENT = 0.9
WORDS = """a about after all an and are as at back be because better build can code data day design does down even fast
first for from get go good great guide hard have how in into is it language large learn less like little long machine
make memory more most network new no not now of on one open or out over page people program project queue read release
review run science search secure server simple site small software source space speed start state story system test
text that the their then there time to tool under up update use value version vote want was way web what when where
which why with without work world write year you your""".split()


@dataclass(frozen=True, slots=True)
class SiteProfile:
    """The objects of a site that are measured: a large group, two groups that can be combined, a busy poster."""

    articles: int
    group: str
    combined: str
    poster: str


def generate(file: Path, count: int, now: float) -> None:
    """Write *count* stories, the oldest first, as a CSV for ``voteweb import``."""
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        writer.writerows(generate_row(position, int(now)) for position in range(count - 1, -1, -1))


def profile_file(file: Path) -> SiteProfile:
    """Return the profile of the stories in *file*, a CSV: its largest group, pair of groups and poster.

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
    return SiteProfile(posters.total(), *(counter.most_common(1)[0][0] for counter in (groups, pairs, posters)))


def generate_row(position: int, now: int) -> tuple[str, ...]:
    """Return the story at *position*, counted from the newest, by COLUMNS; *now* in unix seconds."""
    random = Random(position).random  # its numbers are the same on every machine and version of Python
    title = " ".join(WORDS[int(len(WORDS) * random())] for _ in range(7 + int(6 * random()))).capitalize()
    host = f"{WORDS[int(len(WORDS) * random())]}{int(900 * random())}"
    link = f"https://{host}.example.com/{title[:24].strip().replace(' ', '-').lower()}/{position}"
    votes = min(int((1 - random()) ** (-1 / VOTES_EXPONENT)), MAX_VOTES)
    groups = [name for name in LARGE_GROUPS if random() < 0.5]
    if random() < SMALL_GROUP_SHARE:
        groups.append(f"group{_rank(SMALL_GROUPS, random())}")
    poster = f"poster{_rank(POSTERS, random())}"
    return title, link, poster, str(now - NEWEST_AGE_SECONDS - position * SECONDS_BETWEEN), str(votes), " ".join(groups)


def _rank(count: int, fraction: float) -> int:
    """Return a number from 1 to *count*, the k-th with a probability about proportional to 1 / k."""
    return int((count + 1) ** fraction)
