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

#: The scripts that write and need no actor: imports are the operator's, all others note what anybody reads or tries.
UNCHECKED = {
    "combine_groups", "hit_rate_limit", "import_article", "import_comment", "merge_days", "note_shown", "note_visit",
    "rank_since", "refund_rate_limit", "repair_top", "use_session",
}  # fmt: skip
#: Those that check the session instead of the member's id.
CHECKING_SESSION = ("cast_vote", "vote_comment")


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


@pytest.mark.parametrize("name", sorted({call.script for call in CALLS.values()} - UNCHECKED))
def test_script_of_somebody_who_may_not_act_changes_nothing(site: Store, name: str) -> None:
    key = next(key for key in reversed(CALLS[name].all_keys()) if key.startswith("user:"))
    restore = restoring(site)
    identity = "session" if name in CHECKING_SESSION else "id"
    for field, value in (("banned", "1"), ("left", "1"), (identity, "999"), ("held", "1")):
        restore()
        run(site, "HSET", key, field, value)
        with unchanged(site):
            assert CALLS[name].run(site) == ["held" if field == "held" else "logged-out"]
