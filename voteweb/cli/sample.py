"""The sample: articles, groups and a moderator for an empty site, so that there is something to look at."""

import json
import secrets
from contextlib import suppress
from importlib.resources import files
from typing import Any, NamedTuple

from voteweb.cli import import_file
from voteweb.core import passwords
from voteweb.core.config import COMMAND_LINE, Settings
from voteweb.core.errors import GroupExists
from voteweb.core.models import LogAction, Role
from voteweb.store import Store
from voteweb.store.imports import Story
from voteweb.store.moderation_log import NewLogEntry

#: The name of the moderator of a sample site.
EDITOR = "editor"


class Account(NamedTuple):
    """How to log in to the sample site."""

    name: str
    password: str


def import_sample(store: Store, settings: Settings, now: float) -> Account | None:
    """Put the sample into an empty database, as of the unix time *now*; return its moderator.

    A database in which anybody has ever posted or joined is left as it is, and the answer is None.
    """
    if not store.server_info.is_empty():
        return None
    for name, words in json.loads(_source("sample-groups.json")).items():
        with suppress(GroupExists):  # somebody stopped us in the middle before
            store.groups.make(name, words["title"], words["description"])
    records = [json.loads(line) for line in _source("sample.jsonl").splitlines()]
    store.imports.add([_story(record, settings, now) for record in sorted(records, key=lambda each: -each["hours"])])
    account = Account(EDITOR, readable_password())
    entry = NewLogEntry(LogAction.ROLE, COMMAND_LINE, about=account.name, why=Role.MODERATOR.value)
    store.users.make(account.name, passwords.hash_password(account.password), Role.MODERATOR, entry=entry)
    return account


def readable_password() -> str:
    """Return a random password that can be read aloud: eight syllables, 50 bits."""
    syllables = [first + second for first in "bdfghjklmnprstvz" for second in "aeiou"]
    return "-".join("".join(secrets.choice(syllables) for _ in range(2)) for _ in range(4))


def _story(record: dict[str, Any], settings: Settings, now: float) -> Story:
    hours = record.pop("hours")
    return import_file.parse_story(record | {"time": now - hours * 3600}, max(settings.max_groups, len(record["groups"])))


def _source(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
