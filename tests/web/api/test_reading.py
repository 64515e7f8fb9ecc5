"""Programs read the site, groups, members and searches, and see no more than their member does on the pages."""

import pytest
from flask import Flask

from tests import factories
from tests.store.examination import run
from tests.web.api.program import Program
from tests.web.browser import Browser
from tests.web.conftest import MakeApp
from tests.web.fixed_index import FixedIndex
from voteweb.core.comments import CommentId
from voteweb.core.models import Right
from voteweb.search.models import SearchBusy, SearchTooSlow
from voteweb.store import Store

#: All that strangers can read, with what hides things in it.
PUBLIC = (
    "/articles", "/articles?order=new", "/articles?member=ann", "/articles?domain=example.com",
    "/articles?order=top&period=all", "/articles?group=python", "/articles/1", "/articles/1/comments",
    "/articles/1/comments/1", "/search?q=Elm", "/search?q=Elm+in:comments", "/members/ann",
)  # fmt: skip


def test_site_has_its_rules_and_not_its_version(make_app: MakeApp) -> None:
    site = Program(make_app(site_name="Lemon", signup="closed", comments=0)).get("/site")
    assert (site["name"], site["signup_open"], site["has_comments"]) == ("Lemon", False, False)
    assert "version" not in site
    Program(make_app(comments=0)).get("/articles/1/comments", 404)


def test_groups_and_members_are_as_on_their_pages(app: Flask, store: Store, ann: Browser) -> None:
    factories.article(store, groups=("python",))
    factories.comment(store)
    store.groups.change("python", "Python", "About snakes.", aliases=["snakes"])
    python = Program(app).get("/groups/Snakes")
    assert (python["description"], python["articles"]) == ("About snakes.", 1)
    assert Program(app).get("/groups") == {"groups": [python]}
    store.users.choose(ann.user, about="I *write*.")
    member = Program(app).get("/members/ANN")
    assert {"name": "ann", "articles": 1, "comments": 1, "about": "I *write*."}.items() <= member.items()
    for path in ("/groups/none", "/groups/a%2Fb", "/members/nobody", "/members/%20", "/nothing"):
        Program(app).get(path, 404)


def test_search_is_that_of_the_page(app: Flask, store: Store, index: FixedIndex, bob: Browser) -> None:
    for _ in range(30):
        factories.article(store)
    factories.comment(store, 1, text="A word.")
    index.articles, index.comments = tuple(range(1, 31)), (CommentId(1, 1),)
    bob.send("/a/2/hide")
    pages = Program(app).pages("/search?q=word&order=new")
    assert (list(map(len, pages)), {order for _, _, order in index.asked}) == ([25, 5], {"new"})
    for right, found in ((Right.READ, 24), (Right.VOTE, 25)):  # what the member hides, only the first knows
        rows = Program(app, "bob", right).get("/search?q=word&order=new")["articles"]
        assert (len(rows), "own" in rows[0]) == (found, right is Right.READ)
    (comment,) = Program(app).get("/search?q=word+in:comments")["comments"]
    assert (comment["text"], comment["title"]) == ("A word.", "Redis in Action")
    for query in ("q=", "", "q=word&order=best", "q=word&within=x"):
        Program(app).get(f"/search?{query}", 422)
    for error, status in ((SearchTooSlow(), 422), (SearchBusy(), 503)):
        index.error = error
        answer = Program(app).send("GET /search?q=word")
        assert (answer.problem[0], answer.headers.get("Retry-After")) == (status, "5" if status == 503 else None)


@pytest.mark.parametrize("way", ["removed", "hidden title", "held", "deleted"])
def test_strangers_see_nothing_of_what_is_gone(
    way: str, app: Flask, store: Store, mod: Browser, index: FixedIndex
) -> None:
    factories.article(store, title="Zoe lives in Elm Street", groups=("python",), text="Elm text.")
    factories.comment(store, 1, text="Elm comment.")
    index.articles, index.comments = (1,), (CommentId(1, 1),)
    bob = Program(app, "bob")
    bob.send("PUT /articles/1/save")
    _hide(way, app, store)
    strangers = ("",), ("bob",), ("ann", Right.VOTE), ("mod", Right.READ)
    for program in (Program(app, *stranger) for stranger in strangers):
        for path in PUBLIC:
            text = program.send(f"GET {path}").text
            keeps_comment = way == "deleted" and "comments" in path  # of others, as on its page
            assert "Elm" not in (text.replace("Elm comment.", "") if keeps_comment else text), path
        program.get("/articles/1", 410)
    assert way != "hidden title" or "Elm" not in bob.send("GET /me/saved").text
    if way != "deleted":
        status, reason = ("held", None) if way == "held" else ("removed", "Private.")
        for member in (("ann", Right.READ), ("mod", Right.READ, Right.MODERATE)):
            article = Program(app, *member).get("/articles/1")
            assert (article["title"], article["status"]) == ("Zoe lives in Elm Street", status)
            assert article.get("reason") == reason


def _hide(way: str, app: Flask, store: Store) -> None:
    if way == "held":
        store.connection.command("HSET", store.keys.article(1), "gone", "held")
        for name in ("by_time", "by_score", "top"):
            store.connection.command("ZREM", getattr(store.keys, name)(), "article:1")
    elif way == "deleted":
        store.removals.delete(1, actor=store.users.get("ann"))
    else:
        body = {"reason": "Private.", "hide_title": way == "hidden title"}
        assert Program(app, "mod").send("POST /articles/1/remove", body).status == 204


def test_strangers_see_nothing_of_members_who_are_banned_or_wait(app: Flask, store: Store, mod: Browser) -> None:
    bad = factories.user(store, "bad")
    store.users.choose(bad, about="Buy this.")
    factories.ban(store, "bad")
    member = Program(app).get("/members/bad")
    assert (member["banned"], "about" in member) == (True, False)
    store.users.make("new", "", request="Please.", network="198.51.100.0/24")
    Program(app).get("/members/new", 404)
    Program(app).get("/articles?member=new", 404)
    assert Program(app, "mod", Right.READ, Right.MODERATE).get("/members/new")["name"] == "new"


def test_program_is_told_whose_it_is(app: Flask, store: Store, bob: Browser) -> None:
    factories.group(store, "python")
    bob.send("/g/python/follow")
    me = Program(app, "bob", Right.READ, Right.VOTE).get("/me")
    assert (me["name"], me["follows"], me["program"]["rights"]) == ("bob", ["python"], ["read", "vote"])


def test_inbox_has_each_entry_once_and_marks_none_as_read(app: Flask, store: Store, bob: Browser) -> None:
    program = Program(app, "bob", Right.READ, Right.OWN)
    run(store, "DEL", store.keys.inbox("bob"), store.keys.unread("bob"))  # which tell of the token
    factories.article(store, bob.user)
    for number in range(1, 6):
        factories.comment(store, 1, text=f"Answer {number}")
    first = program.get("/me/inbox?limit=3")
    factories.comment(store, 1, text="Later")
    factories.remove(store, CommentId(1, 3))
    rest = program.get(f"/me/inbox?next={first['next']}")
    entries = [*first["entries"], *rest["entries"]]
    assert [entry["comment"]["text"] for entry in entries] == [f"Answer {number}" for number in (5, 4, 3, 2, 1)]
    assert all(entry["unread"] for entry in entries)
    program.get("/me/inbox?next=zz", 404)
    assert program.get("/me")["unread"] == 5
    program.send("POST /me/inbox/read", {"until": entries[1]["id"]})
    assert program.get("/me")["unread"] == len(program.get("/me/inbox?unread=true")["entries"]) == 2
    factories.remove(store, 1)
    (entry,) = program.get("/me/inbox?limit=1")["entries"]
    assert (entry["kind"], entry["article"], entry["text"]) == ("removed", 1, "mod removed “Redis in Action”")
