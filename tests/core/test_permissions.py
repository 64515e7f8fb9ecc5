"""Permissions: each predicate, for everybody who may ask."""

import inspect
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.rows import check_results
from voteweb.core import config, permissions
from voteweb.core.comments import CommentStatus, Node, Thread
from voteweb.core.models import (
    UNDOING,
    Article,
    ArticleStatus,
    Invitation,
    LogAction,
    LogEntry,
    Note,
    Role,
    User,
    VotingState,
)
from voteweb.core.settings import Settings

POSTED = 1_000_000.0
LATE = POSTED + 900  # the first moment at which the poster is too late
CLOSED = POSTED + 604_800


def user(role: Role = Role.MEMBER, name: str = "bob", id: int = 2, **fields: Any) -> User:
    return User(id=id, name=name, password="", role=role, since=POSTED, session="", **fields)


ARTICLE = Article(id=1, title="t", link="", text="", poster="Ann", time=POSTED, votes=199)
REMOVED = replace(ARTICLE, status=ArticleStatus.REMOVED)
WAITING = replace(ARTICLE, status=ArticleStatus.HELD)
RELEASED = replace(ARTICLE, released=True)
COMMENT = Node(1, 0, 0, 0, POSTED, "ANN")
TAKEN_OFF = replace(COMMENT, status=CommentStatus.REMOVED)
TAKEN_BACK = replace(COMMENT, status=CommentStatus.DELETED)
WITH_REPLIES = replace(TAKEN_BACK, removes_replies=True)
NOTE = Note("1", "mod", POSTED, "A note.")
DELETED = replace(ARTICLE, status=ArticleStatus.DELETED)
SETTINGS = Settings()
BY_INVITATION = Settings(signup="invite")
MEMBERS_INVITE = Settings(signup="invite", members_invite=1)

#: The viewers of each row. The session of a banned member has ended: to the site this is a reader, too.
VIEWERS: dict[str, User | None] = {
    "reader": None,
    "member": user(),
    "poster": user(name="aNN", id=1),
    "moderator": user(Role.MODERATOR, "mod", 3),
    "admin": user(Role.ADMIN, "boss", 4),
}
OTHER_MEMBER, OTHER_MODERATOR = user(name="cid", id=5), user(Role.MODERATOR, "sue", 6)
OTHER_ADMIN, LEFT = user(Role.ADMIN, "root2", 7), user(name="zoe", id=8, left=POSTED)
BANNED = user(name="eve", id=9, banned=POSTED)
HELD = user(name="hal", id=10, held=POSTED, request="Please")
REFUSED = replace(HELD, banned=POSTED)
INVITATION = Invitation("token", "Ann", LATE)
USED, REVOKED = INVITATION._replace(used="cid"), INVITATION._replace(revoked=True)
REMOVAL = LogEntry(LogAction.REMOVE, "MOD", id=1, time=POSTED)
PLAN = LogEntry(LogAction.PLAN_MERGE, "sue", id=1, time=POSTED, until=POSTED + 86_400)

NOBODY = ""
STAFF = "moderator admin"
MEMBERS = "member poster moderator admin"
OTHERS = "member moderator admin"
ALL = "reader member poster moderator admin"

Predicate = Callable[..., object]


def may_vote(viewer: User | None, article: Article, now: float) -> bool:
    return permissions.voting_state(viewer, article, now, SETTINGS) is VotingState.OPEN


def may_vote_for(viewer: User | None, comment: Node, is_open: bool) -> bool:
    return permissions.comment_voting_state(viewer, comment, is_open=is_open) is VotingState.OPEN


def may_read_comment(viewer: User | None, comment: Node, is_covered: bool) -> bool:
    return permissions.may_read_comment(viewer, comment, is_covered=is_covered)


def is_any(predicate: Callable[[User], bool]) -> Predicate:
    return lambda viewer: viewer is not None and predicate(viewer)


#: Each predicate, the viewers for whom it holds, and for nobody else, and what it takes after the viewer.
TABLE: dict[Predicate, dict[str, list[tuple[Any, ...]]]] = {
    permissions.may_moderate: {
        STAFF: [()],
    },
    permissions.may_administer: {
        "admin": [()],
    },
    is_any(permissions.lacks_second_factor): {
        STAFF: [()],
    },
    permissions.is_poster: {
        "poster": [(ARTICLE,)],
    },
    may_vote: {
        f"reader {OTHERS}": [(ARTICLE, POSTED), (ARTICLE, CLOSED - 0.001)],
        NOBODY: [(ARTICLE, CLOSED), (REMOVED, POSTED), (DELETED, POSTED)],
    },
    permissions.may_edit: {
        f"poster {STAFF}": [(ARTICLE, LATE - 0.001, SETTINGS), (WAITING, CLOSED, SETTINGS)],
        STAFF: [(ARTICLE, LATE, SETTINGS), (RELEASED, POSTED, SETTINGS)],
        NOBODY: [(REMOVED, POSTED, SETTINGS), (DELETED, POSTED, SETTINGS)],
    },
    permissions.may_delete: {
        "poster": [(ARTICLE, LATE - 0.001, SETTINGS), (RELEASED, POSTED, SETTINGS), (WAITING, CLOSED, SETTINGS)],
        NOBODY: [(ARTICLE, LATE, SETTINGS), (REMOVED, POSTED, SETTINGS)],
    },
    permissions.may_edit_as_poster: {
        NOBODY: [(RELEASED, POSTED, SETTINGS)],
    },
    permissions.is_author: {
        "poster": [(COMMENT,)],
    },
    may_vote_for: {
        f"reader {OTHERS}": [(COMMENT, True)],
        NOBODY: [(COMMENT, False), (TAKEN_OFF, True)],
    },
    may_read_comment: {
        ALL: [(COMMENT, False)],
        f"poster {STAFF}": [(COMMENT, True), (TAKEN_OFF, False)],
        NOBODY: [(TAKEN_BACK, False)],
    },
    permissions.may_edit_comment: {
        "poster": [(COMMENT, LATE - 0.001, SETTINGS)],
        NOBODY: [(COMMENT, LATE, SETTINGS), (TAKEN_OFF, POSTED, SETTINGS)],
    },
    permissions.may_delete_comment: {
        "poster": [(COMMENT,)],
        NOBODY: [(TAKEN_OFF,)],
    },
    permissions.may_remove_comment: {
        STAFF: [(COMMENT,)],
        NOBODY: [(TAKEN_OFF,)],
    },
    permissions.may_restore_comment: {
        STAFF: [(TAKEN_OFF,), (WITH_REPLIES,)],
        NOBODY: [(COMMENT,)],
    },
    permissions.may_report_comment: {
        OTHERS: [(COMMENT,)],
        NOBODY: [(TAKEN_OFF,)],
    },
    permissions.may_remove: {
        STAFF: [(ARTICLE,)],
        NOBODY: [(REMOVED,), (DELETED,)],
    },
    permissions.may_answer: {
        "poster": [(REMOVED,)],
        NOBODY: [(replace(REMOVED, answer="No."),), (ARTICLE,)],
    },
    permissions.may_restore: {
        STAFF: [(REMOVED,)],
        NOBODY: [(ARTICLE,), (DELETED,)],
    },
    permissions.may_read_comments: {
        ALL: [(ARTICLE,), (DELETED,)],
        f"poster {STAFF}": [(REMOVED,), (WAITING,)],
    },
    permissions.may_read: {
        ALL: [(ARTICLE,)],
        f"poster {STAFF}": [(REMOVED,), (WAITING,)],
        NOBODY: [(DELETED,)],
    },
    permissions.may_report: {
        OTHERS: [(ARTICLE,)],
        NOBODY: [(REMOVED,), (DELETED,)],
    },
    permissions.may_ban: {
        STAFF: [(OTHER_MEMBER,)],
        "admin": [(OTHER_MODERATOR,)],
        NOBODY: [(OTHER_ADMIN,), (LEFT,), (HELD,)],
    },
    permissions.may_set_role: {
        "admin": [(OTHER_MEMBER,), (OTHER_MODERATOR,), (OTHER_ADMIN,)],
        NOBODY: [(LEFT,), (HELD,)],
    },
    permissions.may_invite: {
        NOBODY: [(CLOSED, SETTINGS), (CLOSED, Settings(signup="closed"))],
        STAFF: [(CLOSED, BY_INVITATION), (CLOSED - 0.001, MEMBERS_INVITE)],
        MEMBERS: [(CLOSED, MEMBERS_INVITE)],
    },
    permissions.may_release: {
        STAFF: [(WAITING,)],
        NOBODY: [(ARTICLE,)],
    },
    permissions.may_note: {
        STAFF: [(OTHER_MEMBER,)],
    },
    permissions.may_delete_note: {
        STAFF: [(NOTE,)],
        "admin": [(NOTE._replace(by="sue"),)],
    },
    permissions.may_undo: {
        "moderator": [(REMOVAL, POSTED + 599.9)],
        NOBODY: [
            (REMOVAL, POSTED + config.UNDO_SECONDS),
            (replace(REMOVAL, undone=True), POSTED),
            (replace(REMOVAL, who="sue"), POSTED),
            (replace(REMOVAL, who="bob"), POSTED),
            (replace(PLAN, undone=True), POSTED),
            (PLAN, POSTED + 2 * 86_400),
        ],
        STAFF: [(PLAN, POSTED + 86_401)],  # it may begin late
    },
    permissions.may_undo_all: {
        "admin": [(OTHER_MODERATOR,), (LEFT,)],
        NOBODY: [(OTHER_ADMIN,)],
    },
    permissions.may_judge: {
        STAFF: [(HELD,), (REFUSED,)],
        NOBODY: [(OTHER_MEMBER,), (replace(HELD, left=POSTED),)],
    },
    permissions.may_see: {
        STAFF: [(HELD,)],
        ALL: [(REFUSED,), (OTHER_MEMBER,)],
    },
}


def test_permission_is_given_to_its_viewers_only(subtests: pytest.Subtests) -> None:
    cases = [(predicate, *row) for predicate, rows in TABLE.items() for row in rows.items()]
    for predicate, allowed, arguments in cases:
        for asked in arguments:
            with subtests.test(f"{predicate.__qualname__} {asked}"):
                assert [name for name, viewer in VIEWERS.items() if predicate(viewer, *asked)] == allowed.split()


def test_nobody_bans_notes_or_changes_the_role_of_themselves() -> None:
    for viewer in filter(None, VIEWERS.values()):
        assert not permissions.may_ban(viewer, viewer)
        assert not permissions.may_set_role(viewer, viewer)
        assert not permissions.may_note(viewer, viewer)
        assert permissions.may_undo_all(viewer, viewer) == (viewer.role is Role.ADMIN)


def test_moderators_undo_acts_that_say_what_was_before() -> None:
    always = {
        LogAction.GROUPS,
        LogAction.REMOVE,
        LogAction.BAN,
        LogAction.DISMISS,
        LogAction.CLOSE,
        LogAction.PLAN_MERGE,
    }
    for former, undoable in (("", always), ("{}", set(UNDOING))):
        entries = (replace(REMOVAL, kind=kind, former=former, until=LATE) for kind in LogAction)
        assert {
            entry.kind for entry in entries if permissions.may_undo(VIEWERS["moderator"], entry, POSTED)
        } == undoable


def test_a_held_account_sees_itself_and_acts_for_nobody() -> None:
    assert permissions.may_see(HELD, HELD)
    assert not may_vote(HELD, ARTICLE, POSTED)
    assert not may_vote_for(HELD, COMMENT, True)
    assert not permissions.may_report(HELD, ARTICLE)
    assert not permissions.may_report_comment(HELD, COMMENT)
    assert not permissions.may_invite(HELD, CLOSED, MEMBERS_INVITE)


def may_join(signup: str, invited: bool) -> bool:
    return permissions.may_join(Settings(signup=signup), invited=invited)


ENDS = int(POSTED) + SETTINGS.commenting_seconds
#: Rules that ask for no viewer, what they take, and what they say.
RULES = {
    permissions.may_log_in: [(OTHER_MEMBER, True), (BANNED, False), (LEFT, False)],
    # Of those who are banned, the ones who were let in.
    permissions.may_answer_ban: [
        (OTHER_MEMBER, False),
        (replace(OTHER_MEMBER, banned=POSTED), True),
        (REFUSED, False),
    ],
    # Once, in time, while the inviter is there.
    permissions.may_use_invitation: [
        (INVITATION, OTHER_MEMBER, LATE - 0.001, True),
        (INVITATION, OTHER_MEMBER, LATE, False),
        *((invitation, OTHER_MEMBER, POSTED, False) for invitation in (USED, REVOKED)),
        *((INVITATION, inviter, POSTED, False) for inviter in (LEFT, BANNED, None)),
    ],
    permissions.least_inviter_role: [
        (OTHER_MEMBER, CLOSED, MEMBERS_INVITE, Role.MEMBER),
        (OTHER_MEMBER, CLOSED, BY_INVITATION, Role.MODERATOR),
    ],
    permissions.is_good: [(ARTICLE, Settings(good_votes=199), True), (ARTICLE, SETTINGS, False)],
    may_join: [
        ("open", False, True),
        ("approve", False, True),
        ("invite", False, False),
        ("invite", True, True),
        ("closed", True, False),
    ],
    permissions.usual_voting_state: [
        (ARTICLE, CLOSED - 0.001, SETTINGS, (VotingState.OPEN, CLOSED)),
        (ARTICLE, CLOSED, SETTINGS, (VotingState.CLOSED, math.inf)),
        (REMOVED, POSTED, SETTINGS, (VotingState.CLOSED, math.inf)),
    ],
    permissions.closing_time: [(ARTICLE, Thread(1), SETTINGS, ENDS), (ARTICLE, Thread(1, closes=7), SETTINGS, 7)],
    permissions.is_open: [
        (ARTICLE, Thread(1), ENDS - 0.001, SETTINGS, True),
        (ARTICLE, Thread(1), ENDS, SETTINGS, False),
        (ARTICLE, Thread(1, closed=POSTED), POSTED, SETTINGS, False),
        (REMOVED, Thread(1), POSTED, SETTINGS, False),
    ],
}


def test_rules_for_everybody(subtests: pytest.Subtests) -> None:
    check_results(subtests, RULES)


def test_every_permission_is_tested() -> None:
    source = inspect.getsource(sys.modules[__name__])
    functions = inspect.getmembers(permissions, inspect.isfunction)
    names = [name for name, function in functions if function.__module__ == permissions.__name__]
    assert [name for name in names if f"permissions.{name}" not in source] == []
