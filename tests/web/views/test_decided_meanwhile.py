"""Moderators who decide about one thing: each is told what another has decided since the form was opened."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests import factories
from tests.store.concurrency import at_once, overtaken
from tests.web.browser import JSON, Browser
from tests.web.conftest import MakeMember
from voteweb.core.comments import CommentId
from voteweb.core.errors import DecidedMeanwhile
from voteweb.core.models import LogAction, LogEntry, Reason, Role
from voteweb.store import Store

Step = Callable[[Store], Any]
COMMENT = CommentId(1, 1)
SPAM = {"reason": "Spam."}


@pytest.fixture
def amir(make_member: MakeMember, store: Store) -> Browser:
    """A moderator, beside an article with a comment, both reported, and eve and zed."""
    factories.article(store, title="On Redis")
    factories.comment(store, 1)
    bob, *_ = (factories.user(store, name) for name in ("bob", "eve", "zed"))
    for thing in (1, COMMENT):
        store.reports.make(thing, bob, Reason.SPAM, "")
    return make_member("amir", Role.MODERATOR)


def dismiss(store: Store, comment: int = 0) -> None:
    """Dismiss the reports of the article, or of its comment, as maya."""
    thing = COMMENT if comment else 1
    store.reports.dismiss(thing, LogEntry(LogAction.DISMISS, "maya", "ann", 1, "On Redis", comment=comment))


def hold(store: Store) -> None:
    draft, poster = factories.draft(link="https://held.example/"), store.users.make("newcomer", "", network="192.0.2.7")
    store.context.put_in_force(replace(store.context.settings, hold_posts=1))
    store.articles.post(draft, poster, factories.token())


def nothing(_: Store) -> None:
    pass


remove = partial(factories.remove, why="Off topic.", by="maya")
restore = partial(factories.restore, by="maya")
ban = partial(factories.ban, why="Rude.", by="maya")
ban_eve = partial(ban, name="eve")

#: What was there before an act, the page with its form, the form, what maya does meanwhile, and her act.
ACTS: dict[str, tuple[Step, str, str, Step, str]] = {
    "remove": (nothing, "/queue", "/a/1/remove", dismiss, "dismissed the reports of “On Redis”"),
    "dismiss": (nothing, "/queue", "/a/1/dismiss", remove, "removed “On Redis”: Off topic."),
    "dismiss on its page": (nothing, "/a/1/reports", "/a/1/dismiss", remove, "removed “On Redis”: Off topic."),
    "restore": (factories.remove, "/a/1", "/a/1/restore", restore, "restored “On Redis”"),
    "release": (hold, "/a/2", "/a/2/release", partial(remove, id=2), "removed “Redis in Action”: Off topic."),
    "ban": (nothing, "/u/eve/ban", "/u/eve/ban", ban_eve, "banned eve: Rude."),
    "ban several": (nothing, "/ban?name=eve&name=zed", "/ban", ban_eve, "banned eve: Rude."),
    "remove comment": (
        nothing, "/a/1/c/1", "/a/1/c/1/remove", partial(dismiss, comment=1),
        "dismissed the reports of a comment by ann on “On Redis”",
    ),
    "dismiss comment": (
        nothing, "/queue", "/a/1/c/1/dismiss", partial(remove, id=COMMENT),
        "removed a comment by ann on “On Redis”: Off topic.",
    ),
    "restore comment": (
        lambda store: factories.remove(store, COMMENT), "/a/1/c/1", "/a/1/c/1/restore", partial(restore, id=COMMENT),
        "restored a comment by ann on “On Redis”",
    ),
}  # fmt: skip


def count(store: Store) -> int:
    """Return how many entries the log has."""
    return int(store.connection.client.llen("log-entries:"))


@pytest.mark.parametrize("name", ACTS)
def test_an_act_names_what_another_moderator_decided(amir: Browser, store: Store, name: str) -> None:
    prepare, page, form, meanwhile, act = ACTS[name]
    prepare(store)
    amir.open(page)
    meanwhile(store)
    logged, done_to_others = count(store), int(name == "ban several")
    amir.submit(form, **SPAM)
    assert (amir.status, amir.heading) == (409, "Decided meanwhile")
    told = f"Somebody else has decided about this since you opened this page: maya {act} ("
    assert (amir.intro[: len(told)], amir.intro[-6:]) == (told, " UTC).")
    assert count(store) == logged + done_to_others
    amir.submit(form)
    assert amir.status == 303
    assert amir.follow().status in (200, 410)


def test_script_learns_it_by_a_code(amir: Browser, store: Store) -> None:
    dismiss(store)
    amir.send("/a/1/remove", headers=JSON, seen="0", **SPAM)
    assert (amir.status, amir.json["error"]["code"]) == (409, "decided-meanwhile")
    assert "maya dismissed the reports of “On Redis” (" in amir.json["error"]["message"]
    assert amir.send("/a/1/remove", headers=JSON, **SPAM).status == 200, "a form that does not say what it has seen"


def test_nobody_is_told_of_their_own_acts(amir: Browser, store: Store) -> None:
    """Nor of acts about other things, nor if the form is sent again after a lost answer."""
    amir.open("/a/1")
    dismiss(store, comment=1)
    factories.ban(store, "ann", by="maya")
    amir.submit("/a/1/remove", **SPAM)
    first = amir.status, amir.location
    assert first[0] == 303
    amir.send("/a/1/remove", seen="0", **SPAM)
    assert ((amir.status, amir.location), count(store)) == (first, 3)
    amir.send("/a/1/restore")
    assert amir.send("/a/1/remove", seen="0", reason="Off topic.").status == 303
    factories.group(store, "eve")
    store.groups.delete("eve", LogEntry(LogAction.DELETE_GROUP, "maya", title="eve"))
    assert amir.send("/u/eve/ban", seen="0", **SPAM).status == 303, "a group of that name"


def test_a_form_that_was_refused_still_knows_what_was_seen(amir: Browser, store: Store) -> None:
    amir.open("/a/1")
    dismiss(store)
    assert amir.submit("/a/1/remove", reason="").status == 422
    assert amir.submit("/a/1/remove", **SPAM).status == 409


def test_an_act_that_overtakes_another_is_named(amir: Browser, store: Store) -> None:
    """It is decided after the form arrived, and before what that does is written."""
    entry = LogEntry(LogAction.DISMISS, "amir", "ann", 1, "On Redis", seen=count(store))
    with overtaken(store, partial(remove, store)):
        assert at_once([partial(store.reports.dismiss, 1, entry, actor=amir.user)]) == [DecidedMeanwhile]


@pytest.mark.parametrize("seen", ["", "x", "-1", "٣", "9" * 15, "9" * 400])
def test_a_number_that_no_page_has_is_not_checked(amir: Browser, store: Store, seen: str) -> None:
    dismiss(store)
    assert amir.send("/a/1/remove", seen=seen, **SPAM).status == 303
