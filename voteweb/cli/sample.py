"""Sample data: articles, comments, groups and a moderator for an empty site, so that a new site shows something."""

import json
import secrets
from contextlib import suppress
from importlib.resources import files
from typing import Any

from voteweb.cli.imports import parse_story
from voteweb.cli.users import make_member
from voteweb.core import passwords
from voteweb.core.comments import CommentId
from voteweb.core.errors import GroupExists
from voteweb.core.models import Role
from voteweb.core.names import name_key
from voteweb.core.settings import Settings
from voteweb.core.validation import new_submission_token
from voteweb.store import Store
from voteweb.store.comments.imports import ImportedComment

#: Name of the moderator of a sample site.
MODERATOR_NAME = "editor"


def import_sample(store: Store, settings: Settings, now: float) -> str | None:
    """Put the sample, as of unix time *now*, into an empty database and return its moderator's password.

    Returns None, and changes nothing, if anybody has ever posted or joined.
    """
    if not store.health.is_empty():
        return None
    for name, group in json.loads(_read_data("sample-groups.json")).items():
        with suppress(GroupExists):  # of an earlier attempt that was stopped
            store.groups.make(name, group["title"], group["description"])
    rows = sorted(_read_rows("sample.jsonl"), key=lambda row: -row["hours"])
    # The sample's groups are allowed on any site.
    store.imports.add([parse_story(row | {"time": _time(row, now)}, len(row["groups"])) for row in rows])
    password = readable_password()
    make_member(store, MODERATOR_NAME, passwords.hash_password(password), Role.MODERATOR)
    if settings.comments:
        # The site was empty: the articles have the first ids.
        _converse(store, {row["title"]: id for id, row in enumerate(rows, 1)}, now)
    return password


def readable_password() -> str:
    """Return a random password that can be read aloud: eight syllables, 50 bits."""
    syllables = [consonant + vowel for consonant in "bdfghjklmnprstvz" for vowel in "aeiou"]
    return "-".join("".join(secrets.choice(syllables) for _ in range(2)) for _ in range(4))


def _converse(store: Store, articles: dict[str, int], now: float) -> None:
    """Import the comments of the sample that have an age, then write the others, so that the moderator is told of them.

    *articles* are the ids by title.
    """
    rows = _read_rows("sample-comments.jsonl")
    aged = [row for row in rows if row["hours"]]
    store.imports.add_comments([_comment(row, articles[row["title"]], now) for row in aged])
    ids = [articles[row["title"]] for row in aged]
    store.imports.order_lists({name_key(row["poster"]) for row in aged}, dict.fromkeys(ids))
    for row in rows:
        id = CommentId(articles[row["title"]], row["n"])
        if row.get("deleted"):
            store.removals.delete(id)
        if not row["hours"]:
            article, author = store.articles.get(id.article), store.users.get(row["poster"])
            thread = store.threads.get(id.article)
            store.comments.write(article, thread, row["parent"], row["text"], author, new_submission_token())


def _comment(row: dict[str, Any], article: int, now: float) -> ImportedComment:
    digest, parent = (f"sample {article}.{number}" for number in (row["n"], row["parent"]))
    answered = parent if row["parent"] else ""
    return ImportedComment(article, row["text"], row["poster"], _time(row, now), row["votes"], digest, answered)


def _time(row: dict[str, Any], now: float) -> float:
    """Return the time of *row*, whose age is in hours."""
    return float(now - row["hours"] * 3600)


def _read_rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _read_data(name).splitlines()]


def _read_data(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
