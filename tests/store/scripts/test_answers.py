"""The answers of the scripts, case by case."""

from typing import Any
from unittest.mock import ANY

import pytest

from tests.store.scripts.calls import CALLS
from voteweb.store import Store

ANN = {"voter_id": 1, "voter": "ann", "digest": ""}

#: The name of a call, the arguments that differ in it, and the answer.
ANSWERS: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("cast_vote", ANN, ["already", "1"]),
    ("cast_vote", {"action": "take-back", **ANN}, ["own", "1"]),
    ("cast_vote", {"action": "take-back"}, ["absent", "1"]),
    ("import_article", {}, ["imported"]),
    ("repair_top", {}, ["repaired"]),
    ("merge_days", {}, ["made"]),
    ("merge_days", {"BEST_STEP": 1}, ["more"]),
    ("merge_days", {"days_before": 1}, ["more"]),
    ("merge_days", {"days_in_all": 3}, ["more"]),
    ("rank_since", {}, ["made"]),
    ("rank_since", {"BEST_STEP": 1}, ["more"]),
    ("repair_top", {"MAX_RANKED": 250}, ["unchanged"]),
    ("cast_vote", {}, ["counted", "2", ANY, ANY]),
    ("cast_vote", {"session": "session-2"}, ["logged-out"]),
    ("cast_vote", {"digest": "nothing"}, ["logged-out"]),
    ("cast_vote", {"digest": "ended"}, ["logged-out"]),
    ("cast_vote", {"digest": "too old"}, ["logged-out"]),
    ("cast_vote", {"idle_seconds": 60}, ["logged-out"]),
    ("cast_vote", {"MAX_SESSION_SECONDS": 60}, ["logged-out"]),
    ("cast_vote", {"digest": ""}, ["counted", "2", ANY, ANY]),
    ("use_session", {"digest": "nothing"}, ["ended"]),
    ("use_session", {"digest": "too old"}, ["ended"]),
    ("use_session", {"session": "session-2"}, ["ended"]),
    ("cast_vote with a limit", {"session": "session-2"}, ["logged-out"]),
    ("cast_vote with a limit", {}, ["counted", "2", ANY, ANY]),
    ("import_comment", {}, ["imported"]),
    ("import_comment", {"number": 6}, ["again"]),
    ("import_comment", {"parent": 1}, ["again"]),
    ("import_comment", {"MAX_COMMENTS": 4}, ["full"]),
    ("write_comment", {}, ["written", "comment:3.5"]),
    ("write_comment", {"author_id": 7}, ["logged-out"]),
    ("write_comment", {"known_block": 1}, ["again", "0", "ann", ""]),
    ("write_comment", {"known_poster": "bob"}, ["again", "0", "ann", ""]),
    ("write_comment", {"parent": 1}, ["again", "0", "ann", "ann"]),
    ("write_comment", {"parent": 3}, ["parent-gone"]),
    ("write_comment", {"parent": 7}, ["parent-gone"]),
    ("write_comment", {"MAX_COMMENTS": 4}, ["full"]),
    ("write_comment as an answer", {}, ["written", "comment:3.5"]),
    ("write_comment as an answer", {"MAX_COMMENT_LEVEL": 1}, ["too-deep"]),
    ("write_comment as an answer", {"MAX_COMMENT_LEVEL": 2}, ["written", "comment:3.5"]),
    ("write_comment in a new conversation", {}, ["written", "comment:2.1"]),
    ("vote_comment", {}, ["counted", "1"]),
    ("vote_comment", {"action": "take-back"}, ["absent", "0"]),
    ("vote_comment", {"number": 2}, ["own", "0"]),
    ("vote_comment", {"number": 4}, ["already", "1"]),
    ("vote_comment", {"number": 3}, ["comment-gone"]),
    ("vote_comment", {"number": 7}, ["comment-unknown"]),
    ("vote_comment", {"session": "session-2"}, ["logged-out"]),
    ("vote_comment", {"digest": "ended"}, ["logged-out"]),
    ("vote_comment with a limit", {}, ["counted", "1"]),
    ("vote_comment to take back", {}, ["counted", "0"]),
    ("post_article", {"domains": "x.ad.example ad.example example"}, ["domain-refused", "ad.example", "ads"]),
    ("post_article", {"domains": "look.example"}, ["waits", "article:9"]),
    ("combine_groups", {}, ["made"]),
    ("combine_groups", {"MAX_COMBINATIONS": 0}, ["unkept", "0", "whole"]),
    ("combine_groups", {"groups": "go nowhere"}, ["no-group"]),
    ("hit_rate_limit", {}, ["counted"]),
    ("hit_rate_limit", {"mode": "asked"}, ["counted"]),
    ("hit_rate_limit", {"limits": ("few-spent",), "mode": "asked"}, ["rate-limited", "1", ANY, ANY]),
    ("refund_rate_limit", {}, ["done"]),
]


@pytest.mark.parametrize(("name", "changes", "answer"), ANSWERS)
def test_a_script_answers_each_case(site: Store, name: str, changes: dict[str, Any], answer: list[str]) -> None:
    assert CALLS[name].changed(**changes).run(site) == answer
