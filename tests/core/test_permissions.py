"""Permissions: each predicate, for everybody who may ask."""

import inspect
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from voteweb.core import config, permissions
from voteweb.core.comments import CommentStatus, Node, Thread
from voteweb.core.models import Article, ArticleStatus, Invitation, LogAction, LogEntry, Note, Role, User, VotingState
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

#: The viewers of each row. The session of a banned member has ended: to the site this is a reader.
VIEWERS: dict[str, User | None] = {
    "reader": None,
    "banned": None,
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
REMOVAL = LogEntry(1, LogAction.REMOVE, "MOD", POSTED)

NOBODY = ""
STAFF = "moderator admin"
MEMBERS = "member poster moderator admin"
OTHERS = "member moderator admin"
ALL = "reader banned member poster moderator admin"

Predicate = Callable[..., object]


def may_vote(viewer: User | None, article: Article, now: float) -> bool:
    return permissions.voting_state(viewer, article, now, SETTINGS) is VotingState.OPEN


def may_vote_for(viewer: User | None, comment: Node, is_open: bool) -> bool:
    return permissions.comment_voting_state(viewer, comment, is_open=is_open) is VotingState.OPEN


def may_read_comment(viewer: User | None, comment: Node, is_covered: bool) -> bool:
    return permissions.may_read_comment(viewer, comment, is_covered=is_covered)


def is_any(predicate: Callable[[User], bool]) -> Predicate:
    return lambda viewer: viewer is not None and predicate(viewer)


#: Each case, its predicate, what it takes after the viewer, and the viewers for whom it holds, and for nobody else.
TABLE: list[tuple[str, Predicate, tuple[Any, ...], str]] = [
    ("moderate", permissions.may_moderate, (), STAFF),
    ("administer", permissions.may_administer, (), "admin"),
    ("have a second factor", is_any(permissions.may_have_second_factor), (), STAFF),
    ("lack one that is required", is_any(permissions.lacks_second_factor), (), STAFF),
    ("is the poster", permissions.is_poster, (ARTICLE,), "poster"),
    # votes: readers are redirected to log-in
    ("vote", may_vote, (ARTICLE, POSTED), f"reader banned {OTHERS}"),
    ("vote at the last moment", may_vote, (ARTICLE, CLOSED - 0.001), f"reader banned {OTHERS}"),
    ("vote when closed", may_vote, (ARTICLE, CLOSED), NOBODY),
    ("vote for a removed article", may_vote, (REMOVED, POSTED), NOBODY),
    ("vote for a deleted article", may_vote, (DELETED, POSTED), NOBODY),
    # editing and deleting
    ("edit in time", permissions.may_edit, (ARTICLE, LATE - 0.001, SETTINGS), f"poster {STAFF}"),
    ("edit late", permissions.may_edit, (ARTICLE, LATE, SETTINGS), STAFF),
    ("edit a removed article", permissions.may_edit, (REMOVED, POSTED, SETTINGS), NOBODY),
    ("edit a deleted article", permissions.may_edit, (DELETED, POSTED, SETTINGS), NOBODY),
    ("delete in time", permissions.may_delete, (ARTICLE, LATE - 0.001, SETTINGS), "poster"),
    ("edit what was released", permissions.may_edit, (RELEASED, POSTED, SETTINGS), STAFF),
    ("edit it as poster", permissions.may_edit_as_poster, (RELEASED, POSTED, SETTINGS), NOBODY),
    ("delete what was released", permissions.may_delete, (RELEASED, POSTED, SETTINGS), "poster"),
    ("delete late", permissions.may_delete, (ARTICLE, LATE, SETTINGS), NOBODY),
    ("delete a removed article", permissions.may_delete, (REMOVED, POSTED, SETTINGS), NOBODY),
    # comments, of the person who is the poster, too
    ("is the author", permissions.is_author, (COMMENT,), "poster"),
    ("vote for a comment", may_vote_for, (COMMENT, True), f"reader banned {OTHERS}"),
    ("vote for a comment late", may_vote_for, (COMMENT, False), NOBODY),
    ("vote for a removed comment", may_vote_for, (TAKEN_OFF, True), NOBODY),
    ("read", may_read_comment, (COMMENT, False), ALL),
    ("read below", may_read_comment, (COMMENT, True), f"poster {STAFF}"),
    ("read removed", may_read_comment, (TAKEN_OFF, False), f"poster {STAFF}"),
    ("read deleted", may_read_comment, (TAKEN_BACK, False), NOBODY),
    ("edit a comment", permissions.may_edit_comment, (COMMENT, LATE - 0.001, SETTINGS), "poster"),
    ("edit a comment late", permissions.may_edit_comment, (COMMENT, LATE, SETTINGS), NOBODY),
    ("edit a removed comment", permissions.may_edit_comment, (TAKEN_OFF, POSTED, SETTINGS), NOBODY),
    ("delete a comment", permissions.may_delete_comment, (COMMENT,), "poster"),
    ("delete a removed comment", permissions.may_delete_comment, (TAKEN_OFF,), NOBODY),
    ("remove a comment", permissions.may_remove_comment, (COMMENT,), STAFF),
    ("remove a removed comment", permissions.may_remove_comment, (TAKEN_OFF,), NOBODY),
    ("restore a comment", permissions.may_restore_comment, (TAKEN_OFF,), STAFF),
    ("restore what hides replies", permissions.may_restore_comment, (WITH_REPLIES,), STAFF),
    ("restore what is there", permissions.may_restore_comment, (COMMENT,), NOBODY),
    ("report a comment", permissions.may_report_comment, (COMMENT,), OTHERS),
    ("report a removed comment", permissions.may_report_comment, (TAKEN_OFF,), NOBODY),
    # removing and restoring
    ("remove", permissions.may_remove, (ARTICLE,), STAFF),
    ("remove again", permissions.may_remove, (REMOVED,), NOBODY),
    ("remove a deleted article", permissions.may_remove, (DELETED,), NOBODY),
    ("answer a removal", permissions.may_answer, (REMOVED,), "poster"),
    ("answer a removal again", permissions.may_answer, (replace(REMOVED, answer="No."),), NOBODY),
    ("answer without a removal", permissions.may_answer, (ARTICLE,), NOBODY),
    ("restore", permissions.may_restore, (REMOVED,), STAFF),
    ("restore a listed article", permissions.may_restore, (ARTICLE,), NOBODY),
    ("restore a deleted article", permissions.may_restore, (DELETED,), NOBODY),
    ("read", permissions.may_read, (ARTICLE,), ALL),
    ("read a removed article", permissions.may_read, (REMOVED,), f"poster {STAFF}"),
    ("read a deleted article", permissions.may_read, (DELETED,), NOBODY),
    # reports
    ("report", permissions.may_report, (ARTICLE,), OTHERS),
    ("report a removed article", permissions.may_report, (REMOVED,), NOBODY),
    ("report a deleted article", permissions.may_report, (DELETED,), NOBODY),
    # members
    ("ban a member", permissions.may_ban, (OTHER_MEMBER,), STAFF),
    ("ban a moderator", permissions.may_ban, (OTHER_MODERATOR,), "admin"),
    ("ban an admin", permissions.may_ban, (OTHER_ADMIN,), NOBODY),
    ("ban a member who has left", permissions.may_ban, (LEFT,), NOBODY),
    ("set a member's role", permissions.may_set_role, (OTHER_MEMBER,), "admin"),
    ("set a moderator's role", permissions.may_set_role, (OTHER_MODERATOR,), "admin"),
    ("set an admin's role", permissions.may_set_role, (OTHER_ADMIN,), "admin"),
    ("set the role of a member who has left", permissions.may_set_role, (LEFT,), NOBODY),
    # invitations
    ("invite to an open site", permissions.may_invite, (CLOSED, SETTINGS), NOBODY),
    ("invite to a closed site", permissions.may_invite, (CLOSED, Settings(signup="closed")), NOBODY),
    ("invite", permissions.may_invite, (CLOSED, BY_INVITATION), STAFF),
    ("invite after a week", permissions.may_invite, (CLOSED, MEMBERS_INVITE), MEMBERS),
    ("invite within a week", permissions.may_invite, (CLOSED - 0.001, MEMBERS_INVITE), STAFF),
    # what waits for a moderator, and notes
    ("read what waits", permissions.may_read, (WAITING,), "poster moderator admin"),
    ("edit what waits", permissions.may_edit, (WAITING, CLOSED, SETTINGS), "poster moderator admin"),
    ("delete what waits", permissions.may_delete, (WAITING, CLOSED, SETTINGS), "poster"),
    ("release what waits", permissions.may_release, (WAITING,), STAFF),
    ("release what is listed", permissions.may_release, (ARTICLE,), NOBODY),
    ("write a note", permissions.may_note, (OTHER_MEMBER,), STAFF),
    ("delete a note", permissions.may_delete_note, (NOTE,), STAFF),
    ("delete another's note", permissions.may_delete_note, (NOTE._replace(by="sue"),), "admin"),
    # undoing: a moderator's own act, for ten minutes
    ("undo one's own act", permissions.may_undo, (REMOVAL, POSTED + 599.9), "moderator"),
    ("undo late", permissions.may_undo, (REMOVAL, POSTED + config.UNDO_SECONDS), NOBODY),
    ("undo twice", permissions.may_undo, (replace(REMOVAL, undone=True), POSTED), NOBODY),
    ("undo another's act", permissions.may_undo, (replace(REMOVAL, who="sue"), POSTED), NOBODY),
    ("undo as a member", permissions.may_undo, (replace(REMOVAL, who="bob"), POSTED), NOBODY),
    ("undo all of a moderator", permissions.may_undo_all, (OTHER_MODERATOR,), "admin"),
    ("undo all of who has left", permissions.may_undo_all, (LEFT,), "admin"),
    ("undo all of another admin", permissions.may_undo_all, (OTHER_ADMIN,), NOBODY),
    # held accounts: they are let in or refused, and act for nobody until then
    ("let in who waits", permissions.may_judge, (HELD,), STAFF),
    ("let in who was refused", permissions.may_judge, (REFUSED,), STAFF),
    ("let in who does not wait", permissions.may_judge, (OTHER_MEMBER,), NOBODY),
    ("let in who has left", permissions.may_judge, (replace(HELD, left=POSTED),), NOBODY),
    ("ban who waits", permissions.may_ban, (HELD,), NOBODY),
    ("give who waits a role", permissions.may_set_role, (HELD,), NOBODY),
    ("see who waits", permissions.may_see, (HELD,), STAFF),
    ("see who was refused", permissions.may_see, (REFUSED,), ALL),
    ("see a member", permissions.may_see, (OTHER_MEMBER,), ALL),
]


@pytest.mark.parametrize(("case", "predicate", "asked", "allowed"), TABLE, ids=[case for case, *_ in TABLE])
def test_permission_is_given_to_its_viewers_only(
    case: str, predicate: Predicate, asked: tuple[Any, ...], allowed: str
) -> None:
    assert [name for name, viewer in VIEWERS.items() if predicate(viewer, *asked)] == allowed.split()


def test_nobody_bans_notes_or_changes_the_role_of_themselves() -> None:
    for viewer in filter(None, VIEWERS.values()):
        assert not permissions.may_ban(viewer, viewer)
        assert not permissions.may_set_role(viewer, viewer)
        assert not permissions.may_note(viewer, viewer)


def test_moderators_undo_four_kinds_of_acts() -> None:
    moderator = VIEWERS["moderator"]
    undoable = {kind for kind in LogAction if permissions.may_undo(moderator, replace(REMOVAL, kind=kind), POSTED)}
    assert undoable == {LogAction.GROUPS, LogAction.REMOVE, LogAction.BAN, LogAction.DISMISS}


def test_the_ban_of_a_member_who_was_let_in_can_be_answered() -> None:
    members = (OTHER_MEMBER, replace(OTHER_MEMBER, banned=POSTED), REFUSED)
    assert list(map(permissions.may_answer_ban, members)) == [False, True, False]


def test_a_held_account_sees_itself_and_acts_for_nobody() -> None:
    assert permissions.may_see(HELD, HELD)
    assert not may_vote(HELD, ARTICLE, POSTED)
    assert not may_vote_for(HELD, COMMENT, True)
    assert not permissions.may_report(HELD, ARTICLE)
    assert not permissions.may_report_comment(HELD, COMMENT)
    assert not permissions.may_invite(HELD, CLOSED, MEMBERS_INVITE)


def test_all_log_in_but_those_who_are_banned_or_have_left() -> None:
    assert [permissions.may_log_in(user) for user in (OTHER_MEMBER, BANNED, LEFT)] == [True, False, False]


def test_an_invitation_is_used_once_in_time_while_the_inviter_is_there() -> None:
    may_use = permissions.may_use_invitation
    assert may_use(INVITATION, OTHER_MEMBER, LATE - 0.001)
    assert not may_use(INVITATION, OTHER_MEMBER, LATE)
    assert not any(may_use(invitation, OTHER_MEMBER, POSTED) for invitation in (USED, REVOKED))
    assert not any(may_use(INVITATION, inviter, POSTED) for inviter in (LEFT, BANNED, None))
    assert permissions.least_inviter_role(OTHER_MEMBER, CLOSED, MEMBERS_INVITE) is Role.MEMBER
    assert permissions.least_inviter_role(OTHER_MEMBER, CLOSED, BY_INVITATION) is Role.MODERATOR


def test_an_article_is_good_from_so_many_votes_on() -> None:
    assert [permissions.is_good(ARTICLE, Settings(good_votes=votes)) for votes in (199, 200)] == [True, False]


@pytest.mark.parametrize(
    ("signup", "invited", "expected"),
    [
        ("open", False, True),
        ("approve", False, True),
        ("invite", False, False),
        ("invite", True, True),
        ("closed", True, False),
    ],
)
def test_joining_depends_on_the_signup_setting(signup: str, invited: bool, expected: bool) -> None:
    assert permissions.may_join(Settings(signup=signup), invited=invited) is expected


def test_usual_state_of_voting_stays_until_voting_ends() -> None:
    assert permissions.is_voting_open(ARTICLE, CLOSED - 0.001, SETTINGS)
    assert not permissions.is_voting_open(ARTICLE, CLOSED, SETTINGS)
    state = partial(permissions.usual_voting_state, settings=SETTINGS)
    assert state(ARTICLE, POSTED) == (VotingState.OPEN, CLOSED)
    assert state(ARTICLE, CLOSED) == state(REMOVED, POSTED) == (VotingState.CLOSED, math.inf)


def test_a_conversation_is_open_until_its_time_ends_or_it_is_closed() -> None:
    ends = permissions.closing_time(ARTICLE, Thread(1), SETTINGS)
    assert ends == POSTED + SETTINGS.commenting_seconds
    assert permissions.closing_time(ARTICLE, Thread(1, closes=7), SETTINGS) == 7
    is_open = partial(permissions.is_open, settings=SETTINGS)
    assert is_open(ARTICLE, Thread(1), ends - 0.001)
    assert not is_open(ARTICLE, Thread(1), ends)
    assert not is_open(ARTICLE, Thread(1, closed=POSTED), POSTED)
    assert not is_open(REMOVED, Thread(1), POSTED)


def test_every_permission_is_tested() -> None:
    source = inspect.getsource(sys.modules[__name__])
    functions = inspect.getmembers(permissions, inspect.isfunction)
    names = [name for name, function in functions if function.__module__ == permissions.__name__]
    assert [name for name in names if f"permissions.{name}" not in source] == []
