"""The order of what is found: rule by rule among 60 stories, and among 18,056 real ones, of which people can judge."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from flask import Flask

from tests import factories
from tests.web.browser import Browser
from voteweb.cli.imports import parse_story, read_rows
from voteweb.core import config
from voteweb.core.settings import Settings
from voteweb.search.files import IndexFolder
from voteweb.search.index import SearchIndex
from voteweb.search.indexer import Indexer
from voteweb.store import Store
from voteweb.store.comments.imports import Story

#: Titles with their votes and ages in days, the oldest first; the groups of a rule stand together.
STORIES = [
    ("A raytracer in one file", 30, 900), ("Raytracer of last year", 30, 400), ("Raytracer of this year", 30, 20),
    ("Sorting networks drawn", 100, 50), ("On sorting", 100, 49), ("Sorted at last: a story of shelves", 100, 48),
    ("We sort of like networks for sorting", 100, 47),
    ("Voting by mail", 20, 44), ("They vote", 20, 43), ("Nobody votes", 20, 42), ("Who voted", 20, 41),
    ("Go 1.30 is out", 5, 40), ("Where we are going", 900, 39),
    ("How to learn chess", 10, 38), ("Learning chess", 40, 37), ("To be or not to be", 3, 36), ("Being there", 90, 35),
    ("Kubernetware for pilots", 4, 34), ("Kubernetix released", 4, 33), ("Kubernet", 1, 32),
    ("Apples in winter", 80, 31), ("Apple pie and phones", 10, 30), ("Apple pie and a phone", 10, 29),
    ("Databases of the world", 60, 28), ("Elm for lunch", 7, 27), ("Haskell at work", 9, 26),
    ("数据库入门", 6, 25), ("编程 语言 设计", 6, 24),
    ("A lighthouse with a long title about many other things", 50, 23),
    ("A lighthouse", 50, 22), ("Lighthouse keepers", 50, 21),
    ("Bees", 4, 13), ("Bees", 300, 14), ("Bees", 40, 12),
    *((f"Weekly notes, part {number}", number % 3, 11) for number in range(1, 27)),
]  # fmt: skip
#: What is typed, and all that is found, in this order; each row is a rule.
RULES = {
    "votes": ("bees", ["Bees 300", "Bees 40", "Bees 4"]),
    "a year is half the votes": (
        "raytracer", ["Raytracer of this year 30", "Raytracer of last year 30", "A raytracer in one file 30"],
    ),
    "the exact word before its stem": (
        "sorting", ["Sorting networks drawn 100", "On sorting 100", "We sort of like networks for sorting 100",
                    "Sorted at last: a story of shelves 100"],
    ),
    "the beginning of a title, and short ones": (
        "lighthouse", ["Lighthouse keepers 50", "A lighthouse 50",
                       "A lighthouse with a long title about many other things 50"],
    ),
    "words in a row": ("sorting networks", ["Sorting networks drawn 100", "We sort of like networks for sorting 100"]),
    "the title before the text": ("chess", ["Learning chess 40", "How to learn chess 10", "Elm for lunch 7"]),
    "a short word has no forms": ("go", ["Go 1.30 is out 5"]),
    "small words need not be found, but count": ("how to learn chess", ["How to learn chess 10", "Learning chess 40"]),
    "signs of a comparison are small words": ("haskell vs work", ["Haskell at work 9"]),
    "small words alone": ("to be or not to be", ["To be or not to be 3"]),
    "words in quotes have no forms": ('"votes"', ["Nobody votes 20"]),
    "no form of an excluded word": ("apple -phones", ["Apples in winter 80"]),
    "one word or the other": ("elm OR haskell", ["Haskell at work 9", "Elm for lunch 7"]),
    "beginnings after what was typed": (
        "kubernet", ["Kubernet 1", "Kubernetix released 4", "Kubernetware for pilots 4"],
    ),
    "a misspelt word": ("databses", ["Databases of the world 60"]),
    "Chinese without blanks": ("数据库", ["数据库入门 6"]),
    "Chinese with blanks": ("语言 编程", ["编程 语言 设计 6"]),
}  # fmt: skip


class Finder:
    """A reader of a site with *stories*, who reads all pages of results."""

    def __init__(self, app: Flask, store: Store, stories: Sequence[Story], folder: Path) -> None:
        self._store = store
        remaining = iter(stories)
        while batch := list(islice(remaining, 500)):
            store.imports.add(batch)
        Indexer(IndexFolder(folder), store.search).catch_up()
        app.extensions["voteweb.search"] = SearchIndex(folder)
        self.reader = Browser(app)

    def find(self, typed: str, order: str = "relevance") -> list[str]:
        """Return the titles of all results, each with its votes at the end."""
        ids: list[int] = []
        for number in range(1, config.MAX_COUNTED):
            page = self.reader.open("/search", query_string={"q": typed, "sort": order, "page": number}).page
            ids += [int(row["id"][1:]) for row in page.all("li", class_="article")]
            if not page.all("a", rel="next"):
                break
        articles = self._store.read(self._store.listings.queue_articles, ids)
        return [f"{article.title} {article.votes}" for article in articles]


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give searches as much time as a busy machine needs."""
    monkeypatch.setattr(config, "SEARCH_SECONDS", 60.0)


def test_results_are_in_the_order_of_the_rules(app: Flask, store: Store, tmp_path: Path) -> None:
    now, texts = time.time(), {"Elm for lunch": "A text about chess."}
    stories = [
        factories.story(title=title, votes=votes, time=now - days * 86_400, link="", text=texts.get(title, "A text."))
        for title, votes, days in STORIES
    ]
    find = Finder(app, store, stories, tmp_path).find
    assert {rule: find(typed) for rule, (typed, _) in RULES.items()} == {rule: all for rule, (_, all) in RULES.items()}
    assert len({frozenset(find(typed)) for typed in ("vote", "votes", "vote's", "voting", "title:voted")}) == 1
    assert find("bees", "new") == ["Bees 40", "Bees 4", "Bees 300"]


#: For these, most of the best are not the newest, and the most voted with all words in the title is among the best.
COMMON = ("rust", "snowden", "deep learning", "privacy", "self driving cars")
#: Among how many of the first results parts of titles, or votes at their end, must stand.
JUDGED: list[tuple[str, int, tuple[str, ...]]] = [
    ("rust", 5, ("rewrite of the GNU coreutils", "Inside font-rs")),
    ("snowden pardon", 2, ("Pardon Snowden", "give the man a medal")),
    ("deep learning", 5, ("Grokking", "How to Get a Job in")),
    ('"machine learning"', 5, (" 823", " 403")),
    ("privacy", 5, ("is important, and having nothing to hide",)),
    ("self-driving car", 5, ("Baidu",)),
    ("postgres replication", 1, ("Bidirectional Replication is coming to PostgreSQL 9.6",)),
    ("postgresql", 3, (" 763", " 521")),
    ("who is hiring", 1, ("Ask HN: Who is hiring? (August 2016)",)),
    ("how to learn programming", 5, ("Learn Functional Programming Using", "Learning systems programming with")),
    ("elon musk spacex", 3, ("Engines off",)),
    ("title:linux kernel", 3, (" 281",)),
    ("https://sqlite.org/whentouse.html", 1, ("Appropriate Uses for SQLite",)),
    ("elasticsearch OR solr", 5, ("Elasticsearch Service", "Solr")),
    ("snowdn", 1, ("Pardon Snowden",)),
    ("javascrpt framework", 5, ("JavaScript framework",)),
]
#: The least number of results, and what each title has or none has.
ALL = [
    ("rust", 54, ""), ("c++", 60, r"C\+\+"), ("apple -iphone", 200, r"^(?!.*iphone)"),
    ('"machine learning"', 50, "machine.learning"), ("by:robin_reala", 13, ""), ("domain:sqlite.org", 3, "SQLite"),
]  # fmt: skip
SAME = [("self driving car", "self driving cars", "self-driving car"), ("vote", "votes")]
MESSAGES = [
    ("postgres replication", "words that begin like them: postgres* replication*"),
    ("how to learn programming", "Small words were left out: how to."),
    ("snowdn", "Showing results for snowden . Search only for snowdn ."),
]


@pytest.mark.heavy
def test_real_stories_are_found_in_the_order_that_was_judged(
    app: Flask, store: Store, real_stories: Path, tmp_path: Path
) -> None:
    with real_stories.open(newline="", encoding="utf-8") as file:
        rows = read_rows(file, ".csv", lambda row: parse_story(row, Settings().max_groups))
        stories = [story for _, story in rows if isinstance(story, Story)]
    shift = time.time() - max(story.time for story in stories)
    stories = [replace(story, time=story.time + shift) for story in stories]
    finder = Finder(app, store, stories, tmp_path)
    find = finder.find
    for typed in COMMON:
        best, newest, voted = (find(typed, order) for order in ("relevance", "new", "votes"))
        assert len(set(best[:10]) & set(newest[:10])) <= 4, typed
        titled = [title for title in voted if all(word in title.lower() for word in typed.split())]
        assert titled[0] in best[:5], typed
    for typed, count, parts in JUDGED:
        titles = find(typed)[:count]
        assert all(any(part in title for title in titles) for part in parts), (typed, titles)
    for typed, least, pattern in ALL:
        titles = find(typed)
        assert len(titles) >= least, typed
        assert all(re.search(pattern, title, re.IGNORECASE) for title in titles), typed
    for same in SAME:
        assert len({frozenset(find(typed)) for typed in same}) == 1, same
    language = [title for title in find("go")[:5] if re.search(r"\bGo (?!to )", title) and "Pok" not in title]
    assert len(language) >= 3
    for typed, message in MESSAGES:
        assert message in finder.reader.open("/search", query_string={"q": typed}).main, typed
