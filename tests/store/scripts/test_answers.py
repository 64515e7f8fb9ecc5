"""The answers of the scripts, case by case."""

from typing import Any

import pytest

from tests.store.examination import run
from tests.store.scripts.calls import CALLS, LINK, OTHER_LINK
from voteweb.store import Store

ANN = {"voter_id": 1, "voter_name": "ann"}

#: The name of a call, the arguments that differ in it, and the answer.
ANSWERS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("cast_vote", ANN, ["already", "1"]),
    ("cast_vote", {"action": "take-back", **ANN}, ["own", "1"]),
    ("cast_vote", {"action": "take-back"}, ["absent", "1"]),
    ("cast_vote", {"known_groups": ""}, ["again", "go"]),
    ("cast_vote", {}, ["counted", "2"]),
    ("cast_vote", {"session_id": "session-2"}, ["logged-out"]),
    ("cast_vote with a limit", {"session_id": "session-2"}, ["logged-out"]),
    ("cast_vote with a limit", {"known_groups": ""}, ["again", "go"]),
    ("cast_vote with a limit", {}, ["counted", "2"]),
    ("set_groups in the log", {}, ["set", "redis"]),
    ("set_groups", {"max_groups": 0, "rest": ("redis", "nothing")}, ["too-many"]),
    ("edit_article", {"editor": "bob", "add_count": 0, "rest": ()}, ["not-yours"]),
    ("edit_article", {"known_link": OTHER_LINK, "add_count": 0, "rest": ()}, ["again", LINK]),
    ("unlist_article to delete", {"deleter": "bob"}, ["not-yours"]),
    ("unlist_article to delete", {"known_link": OTHER_LINK}, ["again"]),
    ("unlist_article to delete", {"deleter": "", "known_poster": "bob"}, ["again"]),
    ("unlist_article to delete", {"deleter": "", "rest": ()}, ["again"]),
    ("unlist_article to delete a removed one", {"deleter": "ann"}, ["already", "removed"]),
    ("unlist_article to delete a removed one", {"status": "removed"}, ["already", "removed"]),
    ("restore_article", {"known_link": OTHER_LINK}, ["again"]),
    ("restore_article", {"known_poster": "bob"}, ["again"]),
    ("restore_article", {"rest": ()}, ["again"]),
    ("dismiss_reports", {}, ["dismissed", "1"]),
    ("make_group", {"name": "go"}, ["exists"]),
    ("make_group", {"action": "change"}, ["unknown"]),
    ("make_user", {}, ["made", "5", "session-2"]),
    ("make_user", {"needs_invitation": 1}, ["no-invitation"]),
    ("change_user", {"condition": "banned", "rest": ("banned", "0")}, ["same"]),
    ("change_user to unban", {"condition": "free", "rest": ("banned", "17")}, ["same"]),
    ("revoke_invitation", {"maker": "ann"}, ["unknown"]),
    ("revoke_invitation", {"maker": ""}, ["revoked"]),
    ("reset_password", {"name": "ann"}, ["unknown"]),
    ("combine_groups", {}, ["made"]),
    ("hit_rate_limit", {}, ["counted"]),
    ("refund_rate_limit", {}, ["done"]),
    ("repair_article", {"vote_score": 432}, ["unchanged"]),
    ("repair_article", {"vote_score": 432, "good_votes": 2}, ["repaired"]),
    ("repair_article", {"vote_score": 432, "known_groups": ""}, ["again"]),
    ("repair_article", {"vote_score": 432, "known_poster": "bob"}, ["again"]),
    ("repair_article", {"vote_score": 432, "known_link": OTHER_LINK}, ["again"]),
    ("repair_voters", {"voting_seconds": 604_800}, ["unchanged"]),
    ("repair_group to make it", {"name": "go"}, ["unchanged"]),
    ("repair_group to make it", {"is_named": 0}, ["unchanged"]),
    ("index_log_entry", {"field": "who"}, ["unchanged"]),
    ("remove_stray_member", {"value": "bob"}, ["again"]),
    ("remove_stray_member", {"member": "article:77"}, ["unchanged"]),
    ("rescore_article", {"vote_score": 432}, ["same"]),
    ("rescore_article", {"vote_score": 432, "good_votes": 2}, ["moved"]),
    ("rescore_article", {"vote_score": 432, "known_groups": ""}, ["again", "go"]),
]


@pytest.mark.parametrize(("name", "changes", "answer"), ANSWERS)
def test_a_script_answers_each_case(site: Store, name: str, changes: dict[str, Any], answer: list[str]) -> None:
    assert run(site, *CALLS[name].changed(**changes).command()) == answer
