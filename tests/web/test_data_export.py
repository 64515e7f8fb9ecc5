"""The export of a member's data."""

import json
from itertools import chain

from tests import factories
from voteweb.core.comments import CommentId
from voteweb.core.models import LogAction, Reason
from voteweb.core.my_site import hidden_member
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.accounts.secret_links import SecretFeed
from voteweb.store.schema.key_forms import KeyOfMember
from voteweb.store.schema.keys import FORMS, NOUNS
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.web import data_export

#: The parts of a member's download, and the nouns of which each tells the member's share.
DOWNLOAD = {
    "account": ("user", "signup"),
    "recovery codes left": ("user",),
    "sessions": ("sessions",),
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


def test_export_has_everything_of_a_member(store: Store, settings: Settings) -> None:
    ann, bob = store.users.make("Ann", "the hash of a password"), factories.user(store, "bob")
    token = store.invitations.make(ann)
    store.users.make("cid", "", invitation=token)
    first = factories.article(store, ann, title="A story", groups=("go",))
    removed = factories.article(store, ann)
    factories.remove(store, removed.id, "spam", by="Mod")
    other = factories.article(store, bob, title="Bob's")
    store.articles.edit(first.id, factories.draft(title="The story", groups=("go",)), ann)
    store.votes.cast(other.id, ann)
    store.users.describe(ann, "I am Ann.")
    store.reports.make(other.id, ann, Reason.TOPIC, "a note")
    data = data_export.export_member(store, store.users.get("ann"))
    text = json.dumps(data)
    assert json.loads(text) == data
    assert not [secret for secret in ("the hash of a password", ann.session, token) if secret in text]
    assert (data["account"]["name"], data["account"]["role"], data["account"]["about"]) == (
        "Ann",
        "member",
        "I am Ann.",
    )
    fields = ("id", "title", "groups", "gone", "reason")
    assert [tuple(article[name] for name in fields) for article in data["articles"]] == [
        (first.id, "The story", ["go"], None, None),
        (removed.id, "Redis in Action", [], "removed", "spam"),
    ]
    assert [version["title"] for version in data["articles"][0]["earlier versions"]] == ["A story"]
    (report,) = data["reports"]
    assert (report["article"], report["reason"], report["note"]) == (3, "topic", "a note")
    store.reports.dismiss(other.id, NewLogEntry(LogAction.DISMISS, "Mod", article=other.id))
    data = data_export.export_member(store, store.users.get("ann"))
    assert data["reports"] == [{"article": 3, "settled": True}]
    assert [(invitation["used by"], invitation["withdrawn"]) for invitation in data["invitations"]] == [("cid", False)]
    assert data["votes"] == [{"article": 3, "title": "Bob's", "link": other.link}]
    assert data_export.export_member(store, store.users.get("cid"))["account"]["invited by"] == "Ann"


def test_export_tells_of_every_noun_of_a_member(store: Store) -> None:
    assert list(data_export.export_member(store, factories.user(store, "Ann"))) == list(DOWNLOAD)
    # Notes are for moderators only, and the log is public.
    untold = {"notes", "log-by", "log-about"}
    nouns = {form.noun for form in FORMS if isinstance(form, KeyOfMember)}
    assert nouns - untold <= set(chain.from_iterable(DOWNLOAD.values())) <= set(NOUNS) - untold


def test_export_has_comments_with_their_context(store: Store, settings: Settings) -> None:
    ann, bob = factories.user(store, "Ann"), factories.user(store, "bob")
    factories.article(store, bob, title="Bob's")
    factories.comment(store, 1, bob, text="A question")
    factories.comment(store, 1, ann, parent=1, text="An answer")
    factories.comment(store, 1, bob, parent=2, text="Thanks")
    factories.comment(store, 1, ann, text="Deleted")
    store.removals.delete(CommentId(1, 4), ann)
    store.reports.make(CommentId(1, 1), ann, Reason.TOPIC, "a note")
    pipeline = store.pipeline()
    store.threads.queue_read(pipeline, 1, visitor="Ann")
    pipeline.execute()
    store.feeds.renew(SecretFeed.INBOX, ann)
    store.groups.make("go", "Go", "")
    store.my_sites.follow("go", ann)
    store.my_sites.hide(hidden_member(factories.user(store, "cid").name), ann)
    store.my_sites.save(1, ann)
    removed = factories.article(store, bob, title="Removed since").id
    store.my_sites.save(removed, ann)
    factories.remove(store, removed, "spam")
    data = data_export.export_member(store, store.users.get("ann"))
    (comment,) = data["comments"]
    fields = ("comment", "article", "title", "answers", "text", "votes", "gone")
    assert tuple(comment[name] for name in fields) == (
        "1.2", 1, "Bob's", {"comment": "1.1", "by": "bob"}, "An answer", 0, None
    )  # fmt: skip
    assert [(notice["kind"], notice["comment"], notice["by"], notice["read"]) for notice in data["inbox"]] == [
        ("reply", "1.3", "bob", False)
    ]
    (visit,) = data["conversations seen"]
    assert (visit["article"], visit["newest comment"], visit["not shown yet"]) == (1, 4, [])
    assert [(report["comment"], report["note"]) for report in data["reports of comments"]] == [("1.1", "a note")]
    assert (data["inbox has a feed"], data["saved articles have a feed"]) == (True, False)
    assert (data["groups followed"], data["front page shows the groups followed"]) == (["go"], False)
    assert [(hidden["kind"], hidden["name"]) for hidden in data["hidden"]] == [("member", "cid")]
    link = store.articles.get(1).link
    assert data["saved"] == [{"article": removed}, {"article": 1, "title": "Bob's", "link": link}]
