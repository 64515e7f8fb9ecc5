"""The actor of a script: what the caller knows of the member may be out of date, so the script checks it again."""

import ast
import inspect
from pathlib import Path

import pytest

import voteweb.web
from tests.prepared import restoring
from tests.store.examination import run, unchanged
from tests.store.scripts.calls import CALLS
from voteweb.store import Store
from voteweb.store.connection import scripts

#: The scripts that check a member whom they name for another reason too.
CHECKING = ("cast_vote", "post_article", "vote_comment", "write_comment")
#: All others but those that the operator's repairs and conversions run, and why they need no actor.
WITHOUT_ACTOR = {
    "combine_groups": "a page that is read keeps its ranking",
    "merge_days": "a page that is read keeps its ranking",
    "rank_since": "a page that is read keeps its ranking",
    "count_comments": "it only reads",
    "count_new": "it only reads",
    "count_unread": "it only reads",
    "hit_rate_limit": "it counts what anybody tries",
    "import_article": "the operator imports; whether the poster has left is checked",
    "import_comment": "the operator imports; whether the poster has left is checked",
    "list_comments": "it only reads",
    "note_shown": "a page that the member reads notes it",
    "note_visit": "a page that the member reads notes it",
    "own_votes": "it only reads",
    "read_comments": "it only reads",
    "read_inbox": "it only reads",
    "read_neighbours": "it only reads",
    "read_reports": "it only reads",
    "read_log": "it only reads",
    "read_rows": "it only reads",
    "read_unsorted": "it only reads",
    "read_thread": "it only reads",
    "read_voters": "it only reads",
    "refund_rate_limit": "it counts what anybody tries",
    "use_session": "it only notes that the session is used",
}
#: Those that check the session instead of the member's id.
CHECKING_SESSION = ("cast_vote", "vote_comment")


def test_every_script_for_a_member_checks_its_actor() -> None:
    others = {name for name in scripts.scripts() if not name.startswith(("repair_", "convert_"))}
    assert {"commit", *CHECKING, *WITHOUT_ACTOR} == others


def test_each_call_in_a_view_names_the_actor(store: Store) -> None:
    """An act without one is the operator's, which nobody checks."""
    acts = {
        f"{part}.{name}"
        for part, room in vars(store).items()
        for name, act in inspect.getmembers(room, inspect.ismethod)
        if (actor := inspect.signature(act).parameters.get("actor")) and actor.default is None
    }
    trees = [ast.parse(file.read_text()) for file in Path(voteweb.web.__path__[0]).rglob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    of_acts = [call for call in calls if ".".join(ast.unparse(call.func).split(".")[-2:]) in acts]
    assert len(of_acts) > 10
    assert [ast.unparse(call) for call in of_acts if "actor" not in {word.arg for word in call.keywords}] == []


@pytest.mark.parametrize("name", ["commit", *CHECKING])
def test_script_of_somebody_who_may_not_act_changes_nothing(site: Store, name: str) -> None:
    key = next(key for key in reversed(CALLS[name].all_keys()) if key.startswith("user:"))
    restore = restoring(site)
    identity = "session" if name in CHECKING_SESSION else "id"
    for field, value in (("banned", "1"), ("left", "1"), (identity, "999"), ("held", "1")):
        restore()
        run(site, "HSET", key, field, value)
        with unchanged(site):
            assert CALLS[name].run(site) == ["held" if field == "held" else "logged-out"]
