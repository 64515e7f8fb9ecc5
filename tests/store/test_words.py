"""Words that people write: the tables of fields say what ends them, and then they are neither stored nor backed up."""

import dataclasses
from collections.abc import Callable, Mapping

import pytest

from tests import factories
from tests.store.backup.copying import back_up
from tests.store.examination import run, snapshot
from voteweb.core.comments import CommentId
from voteweb.core.models import Draft, LogAction, LogEntry, Reason, Role
from voteweb.store import Store
from voteweb.store.schema import fields, values
from voteweb.store.schema.fields import ARTICLE_WORDS, End, Field, ended_by

TABLES: dict[str, Mapping[str, Field]] = {
    "article": fields.ARTICLE_FIELDS,
    "comment": fields.COMMENT_FIELDS,
    "conversation": fields.THREAD_FIELDS,
    "group": fields.GROUP_FIELDS,
    "invitation": fields.INVITATION_FIELDS,
    "log": fields.LOG_FIELDS,
    "member": fields.MEMBER_FIELDS,
}
#: The fields of a member whose words no act below writes.
STORED = ("request",)
BAN, LIFT, CLOSE, REOPEN = LogAction.BAN, LogAction.UNBAN, LogAction.CLOSE, LogAction.REOPEN


def word(table: str, field: str) -> str:
    """Return the words in a field, which a link may be, too."""
    return f"https://{table}-{field}.example/"


def words(table: str, end: End) -> list[str]:
    """Return the words in the fields of *table* that *end* ends."""
    names = ended_by(end, TABLES[table])
    return [word(table, name) for name in names if TABLES[table][name].check(word(table, name))]


#: The words of ann's article before her edit, and before that of a moderator, which are in backups too.
EARLIER, POSTED = ([word(when, name) for name in ARTICLE_WORDS] for when in ("earlier", "posted"))


def draft(table: str) -> Draft:
    """Return a draft with the words of *table* in each of its fields."""
    return factories.draft(**{name: word(table, name) for name in ARTICLE_WORDS}, groups=("go",))


def entry(kind: LogAction, why: str = "") -> LogEntry:
    return LogEntry(kind, "mod", about="ann", article=1, title=word("article", "title"), why=why)


def stored_texts(store: Store, *, without_log: bool) -> list[str]:
    """Return what is stored and what is backed up, as texts; without the log if it is left out."""
    left_out = {"log-entries"} if without_log else set()
    stored = [content for key, content in snapshot(store).items() if key.partition(":")[0] not in left_out]
    lines = [line for line in back_up(store) if line.noun not in left_out]
    return [str(texts).replace("\\", "") for texts in (stored, lines)]  # Lua's JSON escapes slashes


@pytest.fixture
def site(store: Store) -> Store:
    """A site on which each field for words has words of its own, some of earlier versions of ann's article too."""
    ann, bob = factories.user(store), factories.user(store, "bob")
    mod = factories.user(store, "mod", Role.MODERATOR)
    store.groups.make("go", word("group", "title"), word("group", "description"))
    store.articles.post(draft("earlier"), ann, factories.token())
    store.articles.edit(1, draft("posted"), ann)
    store.articles.edit(1, draft("article"), mod, entry(LogAction.EDIT))
    assert [word in text for text in stored_texts(store, without_log=True) for word in POSTED] == [True] * 6
    for text in (word("comment", "text"), "Well said."):
        factories.comment(store, 1, bob, text=text)
    store.reports.make(CommentId(1, 2), ann, Reason.SPAM, word("comment", "report"))
    store.removals.remove(CommentId(1, 1), entry(LogAction.REMOVE, word("comment", "reason")))
    store.threads.set_closed(1, entry(CLOSE, word("conversation", "close-reason")), actor=None, closes=True)
    store.removals.remove(1, entry(LogAction.REMOVE, word("article", "reason")))
    store.waiting.answer(1, ann, word("article", "answer"))
    store.users.describe(ann, word("member", "about"))
    store.notes.add("ann", word("member", "note"), mod)
    store.bans.ban("ann", entry(BAN, word("member", "ban-reason")))
    store.bans.answer("ann", word("member", "ban-answer"))
    for name in STORED:
        run(store, "HSET", "user:ann", name, word("member", name))
    run(store, "HSET", "article:1", "hidden-title", word("article", "hidden-title"))  # as a restore that is cut off
    stored, _ = stored_texts(store, without_log=True)
    ending = [word for table in TABLES if table != "log" for end in End for word in words(table, end)]
    others = [*EARLIER, *POSTED, word("comment", "report"), word("member", "note")]
    assert [word for word in ending + others if word not in stored] == [], "write the words of this field, too"
    return store


def test_every_field_that_takes_any_words_says_what_ends_them() -> None:
    lasting = [
        (table, name)
        for table, rows in TABLES.items()
        for name, field in rows.items()
        if field.ends is None and field.check is not values.is_foreign_name and field.check("Words, by a person.")
    ]
    assert lasting == []


def test_drafts_have_the_words_of_the_table() -> None:
    assert {field.name for field in dataclasses.fields(Draft)} == {*ARTICLE_WORDS, "groups"}


def delete_article(store: Store) -> None:
    store.removals.delete(1)


def leave(store: Store, *, delete_articles: bool = True) -> None:
    store.account_deletion.start(store.users.get("ann"), delete_articles=delete_articles)
    store.account_deletion.finish("ann")


def leave_articles(store: Store) -> None:
    leave(store, delete_articles=False)


def delete_comments(store: Store) -> None:
    for number in (1, 2):
        store.removals.delete(CommentId(1, number))


def reopen(store: Store) -> None:
    store.threads.set_closed(1, entry(REOPEN), actor=None, closes=False)


def delete_group(store: Store) -> None:
    store.groups.delete("go", LogEntry(LogAction.DELETE_GROUP, "mod", title="go"))


def restore_article(store: Store) -> None:
    store.removals.restore(1, entry(LogAction.RESTORE))


ARTICLE = words("article", End.DELETION)


@pytest.mark.parametrize(
    ("act", "ended"),
    [
        (delete_article, [*ARTICLE, *EARLIER, *POSTED]),
        (leave_articles, [*EARLIER, *POSTED]),
        (leave, [*ARTICLE, *EARLIER, *POSTED, *words("member", End.ACCOUNT), word("member", "note")]),
        (leave, [word("comment", "report")]),
        (delete_comments, [*words("comment", End.DELETION), word("comment", "report")]),
        (lambda store: store.bans.lift("ann", entry(LIFT)), words("member", End.ACT)),
        (lambda store: [restore_article(store), reopen(store)], words("conversation", End.ACT)),
        (delete_group, words("group", End.DELETION)),
    ],
    ids="deletion kept account reports comments ban conversation group".split(),
)
def test_what_is_deleted_has_no_words_left(site: Store, act: Callable[[Store], object], ended: list[str]) -> None:
    act(site)
    assert ended
    assert [[word for word in ended if word in text] for text in stored_texts(site, without_log=True)] == [[], []]


def test_a_purge_takes_words_out_of_the_log_too(site: Store) -> None:
    assert ended_by(End.PURGE, fields.LOG_FIELDS) == ("title", "hidden")
    site.removals.remove(1, dataclasses.replace(entry(LogAction.REMOVE), title="", hidden=word("article", "title")))
    assert '"https://article-title.example/"' in stored_texts(site, without_log=False)[0]
    list(site.removals.purge(1, LogEntry(LogAction.PURGE, "mod", about="ann", article=1), with_comments=True))
    ended = [*(word("article", name) for name in ARTICLE_WORDS), *EARLIER, *POSTED, word("comment", "text")]
    assert [[word for word in ended if word in text] for text in stored_texts(site, without_log=False)] == [[], []]
