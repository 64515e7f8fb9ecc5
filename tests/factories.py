"""Make valid objects in one call."""

import time
from contextlib import suppress
from typing import Any
from uuid import uuid4

from voteweb.core.comments import CommentId, Thread
from voteweb.core.errors import GroupExists
from voteweb.core.models import Article, Draft, Group, LogAction, LogEntry, Role, User
from voteweb.core.my_site import hidden_member
from voteweb.store import Store
from voteweb.store.comments.imports import Story
from voteweb.store.schema.nodes import parse_thread


def user(store: Store, name: str = "ann", role: Role = Role.MEMBER, password_hash: str = "") -> User:
    """Return the member *name*, created unless it exists."""
    return store.users.find(name) or store.users.make(name, password_hash, role)


def users(store: Store, count: int) -> list[User]:
    """Return this many members."""
    return [user(store, f"member{i}") for i in range(count)]


def group(store: Store, name: str, title: str = "", description: str = "") -> Group:
    """Return the group *name*, created unless it exists."""
    with suppress(GroupExists):
        store.groups.make(name, title or name.title(), description)
    groups = store.read(store.groups.queue_get, [name])
    assert groups[0] is not None
    return groups[0]


def draft(**changes: Any) -> Draft:
    """Return the checked fields of an article."""
    fields: dict[str, Any] = {
        "title": "Redis in Action",
        "link": "https://example.com/redis",
        "text": "",
        "groups": (),
    } | changes
    return Draft(**fields)


def ban(store: Store, name: str, why: str = "Spam.", by: str = "mod", **options: Any) -> None:
    """Ban the member *name*."""
    store.bans.ban(name, LogEntry(LogAction.BAN, by, about=name, why=why), **options)


def lift(store: Store, name: str, by: str = "mod", *, undoes: int = 0, **options: Any) -> None:
    """Lift the ban of the member *name*."""
    store.bans.lift(name, LogEntry(LogAction.UNBAN, by, about=name, undoes=undoes), **options)


def remove(store: Store, id: int | CommentId = 1, why: str = "Spam.", by: str = "mod", **options: Any) -> None:
    """Remove an article or a comment, with the log entry of the site's own form."""
    store.removals.remove(id, _log_entry(store, LogAction.REMOVE, id, by, why), **options)


def restore(store: Store, id: int | CommentId = 1, by: str = "mod", *, undoes: int = 0, **options: Any) -> None:
    """Restore an article or a comment, with the log entry of the site's own form."""
    store.removals.restore(id, _log_entry(store, LogAction.RESTORE, id, by, undoes=undoes), **options)


def _log_entry(store: Store, kind: LogAction, id: int | CommentId, by: str, why: str = "", undoes: int = 0) -> LogEntry:
    article, comment = id if isinstance(id, CommentId) else (id, 0)
    stored = store.read(store.articles.queue_get, article)
    node = thread(store, article).nodes.get(comment)
    about = node.author if node else stored.poster if stored else ""
    return LogEntry(kind, by, about, article, stored.title if stored else "", why, undoes, comment)


def choices(store: Store, member: User, *, group: str, hidden: str, article: int) -> None:
    """Make *member* choose once all that can be chosen: follow a group, hide a member, save an article."""
    store.my_sites.follow(group, member)
    store.my_sites.hide(hidden_member(hidden), member)
    store.my_sites.save(article, member)


def token() -> str:
    """Return a form token that is used once."""
    return uuid4().hex


def article(store: Store, poster: User | None = None, **changes: Any) -> Article:
    """Return a posted article, by the member "ann" unless another *poster* is given; its groups are created too."""
    for name in changes.get("groups", ()):
        group(store, name)
    id = store.articles.post(draft(**changes), poster or user(store), token(), allow_duplicate=True)
    return store.articles.get(id)


def stored_article(store: Store, id: int = 1) -> Article:
    """Return an article as it is stored, listed or not."""
    article = store.read(store.articles.queue_get, id)
    assert article is not None
    return article


def comment(
    store: Store, article: Article | int = 1, author: User | None = None, *, parent: int = 0, text: str = "Well said."
) -> CommentId:
    """Return a comment on an article, or the answer to its comment number *parent*, by "ann" unless by another."""
    article = store.articles.get(article) if isinstance(article, int) else article
    return store.comments.write(article, Thread(article.id), parent, text, author or user(store), token())


def thread(store: Store, article: int = 1) -> Thread:
    """Return the conversation of an article as it is stored."""
    return parse_thread(article, store.connection.command("HGETALL", store.keys.thread(article)))


def stored_node(
    parent: int = 0, votes: int = 0, base: int = 0, at: float | None = None, state: str = "-", author: str = "ann"
) -> str:
    """Return a comment as ``thread:<id>`` holds it, for data that no script would write."""
    return f"{parent} {votes} {base} {time.time() if at is None else at:.6f} {state} {author}"


def story(**changes: Any) -> Story:
    """Return a story to import, by default one of eight days ago: voting on it is closed."""
    fields: dict[str, Any] = {"poster": "ann", "time": time.time() - 8 * 86_400, "votes": 7, "digest": uuid4().hex}
    fields |= {name: changes.pop(name) for name in fields if name in changes}
    return Story(draft=draft(**changes), **fields)


def imported(store: Store, **changes: Any) -> Article:
    """Return an imported article, of any time and with any votes."""
    assert store.imports.add([story(**changes)]).count("imported") == 1
    return store.articles.get(int(store.connection.command("GET", store.keys.last_article_id())))
