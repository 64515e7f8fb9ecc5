"""Valid things in one call."""

import time
from contextlib import suppress
from typing import Any
from uuid import uuid4

from voteweb.core.errors import GroupExists
from voteweb.core.models import Article, Draft, Group, Role, User
from voteweb.store import Store
from voteweb.store.imports import Story


def user(store: Store, name: str = "ann", role: Role = Role.MEMBER, password_hash: str = "") -> User:
    """Return the member *name*, made unless there."""
    return store.users.find(name) or store.users.make(name, password_hash, role)


def users(store: Store, count: int) -> list[User]:
    """Return this many members."""
    return [user(store, f"member{i}") for i in range(count)]


def group(store: Store, name: str, title: str = "", description: str = "") -> Group:
    """Return the group *name*, made unless there."""
    with suppress(GroupExists):
        store.groups.make(name, title or name.title(), description)
    pipeline = store.pipeline()
    found = store.groups.queue_get(pipeline, [name])
    pipeline.execute()
    assert found.result[0] is not None
    return found.result[0]


def draft(**over: Any) -> Draft:
    """Return the checked fields of an article."""
    fields: dict[str, Any] = {
        "title": "Redis in Action",
        "link": "https://example.com/redis",
        "text": "",
        "groups": (),
    } | over
    return Draft(**fields)


def token() -> str:
    """Return what makes a form one of its kind."""
    return uuid4().hex


def article(store: Store, poster: User | None = None, **over: Any) -> Article:
    """Return a posted article, by the member "ann" unless another *poster* is given; its groups are made too."""
    for name in over.get("groups", ()):
        group(store, name)
    return store.articles.get(store.articles.post(draft(**over), poster or user(store), token(), allow_duplicate=True))


def story(**over: Any) -> Story:
    """Return a story to import, by default one of eight days ago: voting on it is closed."""
    fields: dict[str, Any] = {"poster": "ann", "time": time.time() - 8 * 86_400, "votes": 7, "digest": uuid4().hex}
    mine = {name: over.pop(name) for name in fields if name in over}
    return Story(draft=draft(**over), **(fields | mine))


def imported(store: Store, **over: Any) -> Article:
    """Return an article from elsewhere, of any time and with any votes."""
    assert store.imports.add([story(**over)]) == 1
    return store.articles.get(int(store.connection.command("GET", "article:")))
