"""The order of what is found among 18,056 real stories, of which people can tell which they would look for."""

import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from flask import Flask

from tests.web.browser import Browser
from voteweb.cli.imports import parse_story, read_rows
from voteweb.core import config
from voteweb.core.settings import Settings
from voteweb.search.files import IndexFolder
from voteweb.search.index import SearchIndex
from voteweb.search.indexer import Indexer
from voteweb.store import Store
from voteweb.store.comments.imports import Story

pytestmark = pytest.mark.heavy

#: How many of the first ten by relevance may be among the newest ten. Of 22 articles about self driving cars, ten have
#: more than 3 votes, and six of these are among the newest.
SAME_AS_NEWEST = {"rust": 4, "snowden": 4, "deep learning": 4, "privacy": 4, "self driving cars": 6}
#: Parts of titles that stand among the first by relevance, and how many these are.
FIRST = [
    ("rust", 5, ["rewrite of the GNU coreutils", "Inside font-rs"]),
    ("snowden", 1, ["Pardon"]),
    ("snowden pardon", 2, ["Pardon Snowden", "give the man a medal"]),
    ("deep learning", 5, ["Grokking", "How to Get a Job in"]),
    ("privacy", 5, ["is important, and having nothing to hide"]),
    ("postgres replication", 1, ["Bidirectional Replication is coming to PostgreSQL 9.6"]),
    ("homebrew", 1, ["Homebrew 1.0.0"]),
    ("snowdn", 1, ["Pardon"]),
]


@pytest.fixture
def stories_reader(
    app: Flask, store: Store, real_stories: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Browser:
    """A reader of a site with these stories, the newest of which is of now."""
    with real_stories.open(newline="", encoding="utf-8") as file:
        rows = read_rows(file, ".csv", lambda row: parse_story(row, Settings().max_groups))
        stories = [story for _, story in rows if isinstance(story, Story)]
    shift, remaining = time.time() - max(story.time for story in stories), iter(stories)
    while batch := list(islice(remaining, 500)):
        store.imports.add([replace(story, time=story.time + shift) for story in batch])
    Indexer(IndexFolder(tmp_path), store.search).catch_up()
    app.extensions["voteweb.search"] = SearchIndex(tmp_path)
    monkeypatch.setattr(config, "SEARCH_SECONDS", 60.0)  # a busy machine is no failing test
    return Browser(app)


def test_relevance_prefers_what_many_have_voted_for(stories_reader: Browser) -> None:
    for typed, most in SAME_AS_NEWEST.items():
        best, newest = (
            stories_reader.open("/search", query_string={"q": typed, "sort": order}).titles[:10]
            for order in ("relevance", "new")
        )
        assert len(set(best) & set(newest)) <= most, typed
    for typed, count, parts in FIRST:
        titles = stories_reader.open("/search", query_string={"q": typed}).titles[:count]
        assert all(any(part in title for title in titles) for part in parts), (typed, titles)
