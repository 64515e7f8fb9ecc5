"""The export of a member's data."""

import json
from itertools import chain
from typing import Any

from tests import factories
from tests.store.examination import run
from tests.store.test_programs import give_token
from voteweb.core.comments import CommentId
from voteweb.core.models import LogAction, LogEntry, Reason, Right
from voteweb.store import Store
from voteweb.store.accounts.secret_feeds import SecretFeed
from voteweb.store.schema.fields import ARTICLE_WORDS, MEMBER_FIELDS, End, ended_by
from voteweb.store.schema.key_forms import KeyOfMember
from voteweb.store.schema.keys import FORMS, NOUNS
from voteweb.web.pages import data_export

#: The parts of a member's download, and the nouns of which each tells the member's share.
DOWNLOAD = {
    "account": ("user", "signup", "former-mail"),
    "recovery codes left": ("user",),
    "sessions": ("sessions",),
    "programs": ("programs",),
    "log-ins": ("log-ins",),
    "articles": ("article", "was", "posted", "gone"),
    "comments": ("thread", "words", "commented"),
    "inbox": ("inbox", "unread"),
    "inbox has a feed": ("inbox-feed",),
    "front page shows the groups followed": ("user",),
    "theme": ("user",),
    "order of comments": ("user",),
    "groups followed": ("follows",),
    "hidden": ("hides",),
    "saved": ("saved",),
    "saved articles have a feed": ("saved-feed",),
    "conversations seen": ("seen",),
    "reports": ("report", "reported"),
    "reports of comments": ("comment-report", "reported-comments"),
    "invitations": ("invite", "invites"),
    "votes": ("open-votes",),
    "votes that a ban took back": ("revoked-votes",),
}


#: Fields of the entries of some parts, and what they are on the site of the next test.
ENTRIES: dict[str, tuple[tuple[str, ...], list[tuple[Any, ...]]]] = {
    "articles": (
        ("id", "title", "groups", "gone", "reason"),
        [(1, "The story", ["go"], None, None), (2, "Redis in Action", [], "removed", "spam")],
    ),
    "comments": (
        ("comment", "article", "title", "answers", "text", "votes", "gone"),
        [("3.2", 3, "Bob's", {"comment": "3.1", "by": "bob"}, "An answer", 0, None)],
    ),
    "inbox": (
        ("kind", "comment", "by", "account", "read"),
        [
            ("account", None, None, "program", False),
            ("account", None, None, "feed", False),
            ("reply", "3.3", "bob", None, False),
            ("removed", None, None, None, False),
        ],
    ),
    "conversations seen": (("article", "newest comment", "not shown yet"), [(3, 4, [])]),
    "reports": (("article", "reason", "note"), [(3, "topic", "a note")]),
    "reports of comments": (("comment", "note"), [("3.1", "a note")]),
    "invitations": (("used by", "withdrawn"), [("cid", False)]),
    "hidden": (("kind", "name"), [("member", "bob")]),
    "programs": (("name", "rights", "last used"), [("bot", ["read", "vote"], None)]),
}


def test_export_has_everything_of_a_member(store: Store) -> None:
    ann, bob = store.users.make("Ann", "the hash of a password"), factories.user(store, "bob")
    token = store.invitations.make(ann)
    store.users.make("cid", "", invitation=token)
    words = {name: f"https://{name}.example/" for name in ARTICLE_WORDS}
    factories.article(store, ann, **words, groups=("go",))
    factories.remove(store, factories.article(store, ann).id, "spam", by="Mod")
    link = factories.article(store, bob, title="Bob's").link
    edited = words | {"title": "The story"}
    store.articles.edit(1, factories.draft(**edited, groups=("go",)), ann)
    store.users.describe(ann, "I am Ann.")
    for author, parent, text in ((bob, 0, "A question"), (ann, 1, "An answer"), (bob, 2, "Thanks"), (ann, 0, "Gone")):
        factories.comment(store, 3, author, parent=parent, text=text)
    store.removals.delete(CommentId(3, 4), ann)
    store.votes.cast(3, ann)
    for id in (3, CommentId(3, 1)):
        store.reports.make(id, ann, Reason.TOPIC, "a note")
    pipeline = store.pipeline()
    store.threads.queue_read(pipeline, 3, visitor="Ann")
    pipeline.execute()
    store.feeds.renew(SecretFeed.INBOX, ann)
    secret = give_token(store, ann, (Right.READ, Right.VOTE)).partition(".")[2]
    factories.choices(store, ann, group="go", hidden="bob", article=3)
    store.my_sites.save(factories.article(store, bob, title="Removed since").id, ann)
    factories.remove(store, 4, "spam")
    data = data_export.export_member(store, store.users.get("ann"))
    text = json.dumps(data)
    assert json.loads(text) == data
    assert not [secret for secret in ("the hash of a password", ann.session, token, secret) if secret in text]
    assert [data["account"][name] for name in ("name", "role", "about")] == ["Ann", "member", "I am Ann."]
    for part, (names, entries) in ENTRIES.items():
        assert [tuple(entry[name] for name in names) for entry in data[part]] == entries
    article, (earlier,) = data["articles"][0], data["articles"][0]["earlier versions"]
    assert [{name: part.get(name) for name in ARTICLE_WORDS} for part in (article, earlier)] == [edited, words]
    assert (data["inbox has a feed"], data["saved articles have a feed"]) == (True, False)
    assert (data["groups followed"], data["front page shows the groups followed"]) == (["go"], False)
    voted = {"article": 3, "title": "Bob's", "link": link}
    assert (data["votes"], data["saved"]) == ([voted], [{"article": 4}, voted])
    store.reports.dismiss(3, LogEntry(LogAction.DISMISS, "Mod", article=3))
    data = data_export.export_member(store, store.users.get("ann"))
    assert data["reports"] == [{"article": 3, "settled": True}]
    assert data_export.export_member(store, store.users.get("cid"))["account"]["invited by"] == "Ann"


def test_export_has_all_words_of_a_member(store: Store) -> None:
    ann = factories.user(store, "ann")
    factories.ban(store, "ann")
    words = {name: f"https://{name}.example/" for name in ended_by(End.ACCOUNT, MEMBER_FIELDS)}
    words = {name: text for name, text in words.items() if MEMBER_FIELDS[name].check(text)}
    run(store, "HSET", "user:ann", *chain.from_iterable(words.items()))
    exported = data_export.export_member(store, store.users.get(ann.name))["account"]
    assert [name for name, text in words.items() if text not in str(exported)] == []


def test_export_tells_of_every_noun_of_a_member(store: Store) -> None:
    assert list(data_export.export_member(store, factories.user(store, "Ann"))) == list(DOWNLOAD)
    # Notes are for moderators only, and the log is public.
    untold = {"notes", "log-by", "log-about"}
    nouns = {form.noun for form in FORMS if isinstance(form, KeyOfMember)}
    assert nouns - untold <= set(chain.from_iterable(DOWNLOAD.values())) <= set(NOUNS) - untold
