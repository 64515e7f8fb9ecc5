"""Answers of the scripts in cases that no act of the store is a test of."""

from typing import Any
from unittest.mock import ANY

import pytest

from tests.store.scripts.calls import CALLS
from voteweb.store import Store

#: The name of a call, the arguments that differ in it, and the answer.
ANSWERS: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("merge_days", {}, ["made"]),
    ("merge_days", {"BEST_STEP": 1}, ["more"]),
    ("merge_days", {"days_before": 1}, ["more"]),
    ("merge_days", {"days_in_all": 3}, ["more"]),
    ("rank_since", {}, ["made"]),
    ("rank_since", {"BEST_STEP": 1}, ["more"]),
    ("repair_top", {"MAX_RANKED": 250}, ["unchanged"]),
    ("cast_vote", {"digest": "nothing"}, ["logged-out"]),
    ("cast_vote", {"digest": "ended"}, ["logged-out"]),
    ("cast_vote", {"digest": "too old"}, ["logged-out"]),
    ("cast_vote", {"idle_seconds": 60}, ["logged-out"]),
    ("cast_vote", {"MAX_SESSION_SECONDS": 60}, ["logged-out"]),
    ("use_session", {"digest": "nothing"}, ["ended"]),
    ("use_session", {"digest": "too old"}, ["ended"]),
    ("import_comment", {"number": 6}, ["again"]),
    ("import_comment", {"parent": 1}, ["again"]),
    ("import_comment", {"MAX_COMMENTS": 4}, ["full"]),
    ("write_comment", {"known_block": 1}, ["again", "0", "ann", ""]),
    ("write_comment", {"known_poster": "bob"}, ["again", "0", "ann", ""]),
    ("write_comment", {"parent": 1}, ["again", "0", "ann", "ann"]),
    ("write_comment as an answer", {"MAX_COMMENT_LEVEL": 1}, ["too-deep"]),
    ("write_comment as an answer", {"MAX_COMMENT_LEVEL": 2}, ["written", "comment:3.5"]),
    ("cast_vote by a ban", {"ban": "7 restoring"}, ["logged-out"]),
    ("cast_vote by a ban", {"ban": "77 removing"}, ["logged-out"]),
    ("cast_vote by a ban", {"action": "cast", "article": 1}, ["absent", "0"]),
    ("vote_comment by a ban", {"action": "cast", "number": 1}, ["absent", "0"]),
    ("combine_groups", {"MAX_COMBINATIONS": 0}, ["unkept", "0", "whole"]),
    ("combine_groups", {"groups": "go nowhere"}, ["no-group"]),
    ("hit_rate_limit", {"mode": "asked"}, ["counted", "0"]),
    ("hit_rate_limit", {"limits": ("few-spent",), "mode": "asked"}, ["rate-limited", "1", ANY, ANY]),
]


@pytest.mark.parametrize(("name", "changes", "answer"), ANSWERS)
def test_a_script_answers_each_case(site: Store, name: str, changes: dict[str, Any], answer: list[str]) -> None:
    assert CALLS[name].changed(**changes).run(site) == answer
