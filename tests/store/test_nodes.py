"""Comments as a thread stores them, read in Python as the scripts read them."""

import pytest

from voteweb.core.comments import CommentStatus, Node
from voteweb.store.schema.nodes import format_node, parse_node

VISIBLE, DELETED, REMOVED = CommentStatus.VISIBLE, CommentStatus.DELETED, CommentStatus.REMOVED


@pytest.mark.parametrize(
    ("state", "status", "covers", "is_quiet", "is_edited", "named"),
    [
        ("-", VISIBLE, False, False, False, ""),
        ("qe", VISIBLE, False, True, True, ""),
        ("d", DELETED, False, False, False, ""),
        ("dR", DELETED, True, False, False, ""),
        ("r", REMOVED, False, False, False, ""),
        ("RqeABZ", REMOVED, True, True, True, "ABZ"),
    ],
)
def test_a_stored_comment_is_read_and_written_alike(
    state: str, status: CommentStatus, covers: bool, is_quiet: bool, is_edited: bool, named: str
) -> None:
    stored = f"3 12 -1 1700000000.000001 {state} {'' if status is DELETED else 'ann'}"
    node = parse_node(7, stored)
    assert node == Node(
        7,
        3,
        12,
        -1,
        1_700_000_000.000001,
        "" if status is DELETED else "ann",
        status,
        covers,
        is_quiet,
        is_edited,
        named,
    )
    assert format_node(node) == stored


@pytest.mark.parametrize(
    "stored", ["", "3 12 0 1700000000 -", "x 0 0 1 - ann", "0 0 0 nan - ann", "0 0 0 1.2.3 - ann", "0 0 0 4e9 z ann"]
)
def test_what_another_program_wrote_is_no_comment(stored: str) -> None:
    assert parse_node(7, stored) is None
