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
USED, REVOKED = replace(INVITATION, used="cid"), replace(INVITATION, revoked=True)
REMOVAL = LogEntry(1, LogAction.REMOVE, "MOD", POSTED)

NOBODY = ""
STAFF = "moderator admin"
MEMBERS = "member poster moderator admin"
OTHERS = "member moderator admin"
ALL = "reader banned member poster moderator admin"

Predicate = Callable[[User | None], bool]


def may_vote(viewer: User | None, article: Article, now: float) -> bool:
    return permissions.voting_state(viewer, article, now, SETTINGS) is VotingState.OPEN


def may_vote_for(viewer: User | None, comment: Node, *, is_open: bool) -> bool:
    return permissions.comment_voting_state(viewer, comment, is_open=is_open) is VotingState.OPEN


def may_do_to_themselves(predicate: Callable[[User, User], bool], viewer: User | None) -> bool:
    return viewer is not None and predicate(viewer, viewer)


def may_undo_at_once(entry: LogEntry, viewer: User | None) -> bool:
    return permissions.may_undo(viewer, entry, POSTED)


def may_log_in(viewer: User | None, **changes: Any) -> bool:
    return viewer is not None and permissions.may_log_in(replace(viewer, **changes))


def least_inviter_role(viewer: User | None, settings: Settings) -> Role | None:
    return permissions.least_inviter_role(viewer, CLOSED, settings) if viewer else None


#: Each case, its predicate, and the viewers for whom it holds; it holds for nobody else.
TABLE: list[tuple[str, Predicate, str]] = [
    ("moderate", permissions.may_moderate, STAFF),
    ("administer", permissions.may_administer, "admin"),
    ("is the poster", lambda viewer: permissions.is_poster(viewer, ARTICLE), "poster"),
    # votes: readers are redirected to log-in
    ("vote", lambda viewer: may_vote(viewer, ARTICLE, POSTED), f"reader banned {OTHERS}"),
    ("vote at the last moment", lambda viewer: may_vote(viewer, ARTICLE, CLOSED - 0.001), f"reader banned {OTHERS}"),
    ("vote when closed", lambda viewer: may_vote(viewer, ARTICLE, CLOSED), NOBODY),
    ("vote for a removed article", lambda viewer: may_vote(viewer, REMOVED, POSTED), NOBODY),
    ("vote for a deleted article", lambda viewer: may_vote(viewer, DELETED, POSTED), NOBODY),
    # editing and deleting
    ("edit in time", lambda viewer: permissions.may_edit(viewer, ARTICLE, LATE - 0.001, SETTINGS), f"poster {STAFF}"),
    ("edit late", lambda viewer: permissions.may_edit(viewer, ARTICLE, LATE, SETTINGS), STAFF),
    ("edit a removed article", lambda viewer: permissions.may_edit(viewer, REMOVED, POSTED, SETTINGS), NOBODY),
    ("edit a deleted article", lambda viewer: permissions.may_edit(viewer, DELETED, POSTED, SETTINGS), NOBODY),
    ("delete in time", lambda viewer: permissions.may_delete(viewer, ARTICLE, LATE - 0.001, SETTINGS), "poster"),
    ("edit what was released", lambda viewer: permissions.may_edit(viewer, RELEASED, POSTED, SETTINGS), STAFF),
    ("edit it as poster", lambda viewer: permissions.may_edit_as_poster(viewer, RELEASED, POSTED, SETTINGS), NOBODY),
    ("delete what was released", lambda viewer: permissions.may_delete(viewer, RELEASED, POSTED, SETTINGS), "poster"),
    ("delete late", lambda viewer: permissions.may_delete(viewer, ARTICLE, LATE, SETTINGS), NOBODY),
    ("delete a removed article", lambda viewer: permissions.may_delete(viewer, REMOVED, POSTED, SETTINGS), NOBODY),
    # comments, of the person who is the poster, too
    ("is the author", lambda viewer: permissions.is_author(viewer, COMMENT), "poster"),
    ("vote for a comment", lambda viewer: may_vote_for(viewer, COMMENT, is_open=True), f"reader banned {OTHERS}"),
    ("vote for a comment late", lambda viewer: may_vote_for(viewer, COMMENT, is_open=False), NOBODY),
    ("vote for a removed comment", lambda viewer: may_vote_for(viewer, TAKEN_OFF, is_open=True), NOBODY),
    ("vote for a comment while held", lambda _: may_vote_for(HELD, COMMENT, is_open=True), NOBODY),
    ("read", lambda viewer: permissions.may_read_comment(viewer, COMMENT, is_covered=False), ALL),
    ("read below", lambda viewer: permissions.may_read_comment(viewer, COMMENT, is_covered=True), f"poster {STAFF}"),
    (
        "read removed",
        lambda viewer: permissions.may_read_comment(viewer, TAKEN_OFF, is_covered=False),
        f"poster {STAFF}",
    ),
    ("read deleted", lambda viewer: permissions.may_read_comment(viewer, TAKEN_BACK, is_covered=False), NOBODY),
    ("edit a comment", lambda viewer: permissions.may_edit_comment(viewer, COMMENT, LATE - 0.001, SETTINGS), "poster"),
    ("edit a comment late", lambda viewer: permissions.may_edit_comment(viewer, COMMENT, LATE, SETTINGS), NOBODY),
    (
        "edit a removed comment",
        lambda viewer: permissions.may_edit_comment(viewer, TAKEN_OFF, POSTED, SETTINGS),
        NOBODY,
    ),
    ("delete a comment", lambda viewer: permissions.may_delete_comment(viewer, COMMENT), "poster"),
    ("delete a removed comment", lambda viewer: permissions.may_delete_comment(viewer, TAKEN_OFF), NOBODY),
    ("remove a comment", lambda viewer: permissions.may_remove_comment(viewer, COMMENT), STAFF),
    ("remove a removed comment", lambda viewer: permissions.may_remove_comment(viewer, TAKEN_OFF), NOBODY),
    ("restore a comment", lambda viewer: permissions.may_restore_comment(viewer, TAKEN_OFF), STAFF),
    ("restore what hides replies", lambda viewer: permissions.may_restore_comment(viewer, WITH_REPLIES), STAFF),
    ("restore what is there", lambda viewer: permissions.may_restore_comment(viewer, COMMENT), NOBODY),
    ("report a comment", lambda viewer: permissions.may_report_comment(viewer, COMMENT), OTHERS),
    ("report a removed comment", lambda viewer: permissions.may_report_comment(viewer, TAKEN_OFF), NOBODY),
    ("report a comment while held", lambda _: permissions.may_report_comment(HELD, COMMENT), NOBODY),
    # removing and restoring
    ("remove", lambda viewer: permissions.may_remove(viewer, ARTICLE), STAFF),
    ("remove again", lambda viewer: permissions.may_remove(viewer, REMOVED), NOBODY),
    ("remove a deleted article", lambda viewer: permissions.may_remove(viewer, DELETED), NOBODY),
    ("answer a removal", lambda viewer: permissions.may_answer(viewer, REMOVED), "poster"),
    ("answer a removal again", lambda viewer: permissions.may_answer(viewer, replace(REMOVED, answer="No.")), NOBODY),
    ("answer without a removal", lambda viewer: permissions.may_answer(viewer, ARTICLE), NOBODY),
    ("restore", lambda viewer: permissions.may_restore(viewer, REMOVED), STAFF),
    ("restore a listed article", lambda viewer: permissions.may_restore(viewer, ARTICLE), NOBODY),
    ("restore a deleted article", lambda viewer: permissions.may_restore(viewer, DELETED), NOBODY),
    ("read", lambda viewer: permissions.may_read(viewer, ARTICLE), ALL),
    ("read a removed article", lambda viewer: permissions.may_read(viewer, REMOVED), f"poster {STAFF}"),
    ("read a deleted article", lambda viewer: permissions.may_read(viewer, DELETED), NOBODY),
    # reports
    ("report", lambda viewer: permissions.may_report(viewer, ARTICLE), OTHERS),
    ("report a removed article", lambda viewer: permissions.may_report(viewer, REMOVED), NOBODY),
    ("report a deleted article", lambda viewer: permissions.may_report(viewer, DELETED), NOBODY),
    # members
    ("ban a member", lambda viewer: permissions.may_ban(viewer, OTHER_MEMBER), STAFF),
    ("ban a moderator", lambda viewer: permissions.may_ban(viewer, OTHER_MODERATOR), "admin"),
    ("ban an admin", lambda viewer: permissions.may_ban(viewer, OTHER_ADMIN), NOBODY),
    ("ban a member who has left", lambda viewer: permissions.may_ban(viewer, LEFT), NOBODY),
    ("ban oneself", partial(may_do_to_themselves, permissions.may_ban), NOBODY),
    ("set a member's role", lambda viewer: permissions.may_set_role(viewer, OTHER_MEMBER), "admin"),
    ("set a moderator's role", lambda viewer: permissions.may_set_role(viewer, OTHER_MODERATOR), "admin"),
    ("set an admin's role", lambda viewer: permissions.may_set_role(viewer, OTHER_ADMIN), "admin"),
    ("set the role of a member who has left", lambda viewer: permissions.may_set_role(viewer, LEFT), NOBODY),
    ("set one's own role", partial(may_do_to_themselves, permissions.may_set_role), NOBODY),
    # invitations
    ("invite to an open site", lambda viewer: permissions.may_invite(viewer, CLOSED, SETTINGS), NOBODY),
    (
        "invite to a closed site",
        lambda viewer: permissions.may_invite(viewer, CLOSED, Settings(signup="closed")),
        NOBODY,
    ),
    ("invite", lambda viewer: permissions.may_invite(viewer, CLOSED, BY_INVITATION), STAFF),
    ("invite after a week", lambda viewer: permissions.may_invite(viewer, CLOSED, MEMBERS_INVITE), MEMBERS),
    ("invite within a week", lambda viewer: permissions.may_invite(viewer, CLOSED - 0.001, MEMBERS_INVITE), STAFF),
    (
        "invite as any member",
        lambda viewer: least_inviter_role(viewer, MEMBERS_INVITE) is Role.MEMBER,
        MEMBERS,
    ),
    (
        "invite as a moderator only",
        lambda viewer: least_inviter_role(viewer, BY_INVITATION) is Role.MODERATOR,
        MEMBERS,
    ),
    # what waits for a moderator, and notes
    ("read what waits", lambda viewer: permissions.may_read(viewer, WAITING), "poster moderator admin"),
    (
        "edit what waits",
        lambda viewer: permissions.may_edit(viewer, WAITING, CLOSED, SETTINGS),
        "poster moderator admin",
    ),
    ("delete what waits", lambda viewer: permissions.may_delete(viewer, WAITING, CLOSED, SETTINGS), "poster"),
    ("release what waits", lambda viewer: permissions.may_release(viewer, WAITING), STAFF),
    ("release what is listed", lambda viewer: permissions.may_release(viewer, ARTICLE), NOBODY),
    ("write a note", lambda viewer: permissions.may_note(viewer, OTHER_MEMBER), STAFF),
    ("write a note on oneself", partial(may_do_to_themselves, permissions.may_note), NOBODY),
    ("delete a note", lambda viewer: permissions.may_delete_note(viewer, NOTE), STAFF),
    ("delete another's note", lambda viewer: permissions.may_delete_note(viewer, replace(NOTE, by="sue")), "admin"),
    # undoing: a moderator's own act, for ten minutes
    ("undo one's own act", lambda viewer: permissions.may_undo(viewer, REMOVAL, POSTED + 599.9), "moderator"),
    ("undo late", lambda viewer: permissions.may_undo(viewer, REMOVAL, POSTED + config.UNDO_SECONDS), NOBODY),
    ("undo twice", lambda viewer: permissions.may_undo(viewer, replace(REMOVAL, undone=True), POSTED), NOBODY),
    ("undo another's act", lambda viewer: permissions.may_undo(viewer, replace(REMOVAL, who="sue"), POSTED), NOBODY),
    ("undo as a member", lambda viewer: permissions.may_undo(viewer, replace(REMOVAL, who="bob"), POSTED), NOBODY),
    *(
        (
            f"undo: {kind}",
            partial(may_undo_at_once, replace(REMOVAL, kind=kind)),
            "moderator" if kind in (LogAction.GROUPS, LogAction.REMOVE, LogAction.BAN) else NOBODY,
        )
        for kind in LogAction
    ),
    # held accounts: they are let in or refused, and act for nobody until then
    ("let in who waits", lambda viewer: permissions.may_judge(viewer, HELD), STAFF),
    ("let in who was refused", lambda viewer: permissions.may_judge(viewer, REFUSED), STAFF),
    ("let in who does not wait", lambda viewer: permissions.may_judge(viewer, OTHER_MEMBER), NOBODY),
    ("let in who has left", lambda viewer: permissions.may_judge(viewer, replace(HELD, left=POSTED)), NOBODY),
    ("ban who waits", lambda viewer: permissions.may_ban(viewer, HELD), NOBODY),
    ("give who waits a role", lambda viewer: permissions.may_set_role(viewer, HELD), NOBODY),
    ("see who waits", lambda viewer: permissions.may_see(viewer, HELD), STAFF),
    ("see who was refused", lambda viewer: permissions.may_see(viewer, REFUSED), ALL),
    ("see a member", lambda viewer: permissions.may_see(viewer, OTHER_MEMBER), ALL),
    ("see oneself while waiting", lambda _: permissions.may_see(HELD, HELD), ALL),
    ("report while waiting", lambda _: permissions.may_report(HELD, ARTICLE), NOBODY),
    ("vote while waiting", lambda _: may_vote(HELD, ARTICLE, POSTED), NOBODY),
    ("invite while waiting", lambda _: permissions.may_invite(HELD, CLOSED, MEMBERS_INVITE), NOBODY),
    ("log in", may_log_in, MEMBERS),
    ("log in when banned", partial(may_log_in, banned=POSTED), NOBODY),
    ("log in after leaving", partial(may_log_in, left=POSTED), NOBODY),
    # predicates that do not depend on the viewer
    ("use an invitation", lambda _: permissions.may_use_invitation(INVITATION, OTHER_MEMBER, LATE - 0.001), ALL),
    ("use an expired invitation", lambda _: permissions.may_use_invitation(INVITATION, OTHER_MEMBER, LATE), NOBODY),
    ("use a used invitation", lambda _: permissions.may_use_invitation(USED, OTHER_MEMBER, POSTED), NOBODY),
    ("use a revoked invitation", lambda _: permissions.may_use_invitation(REVOKED, OTHER_MEMBER, POSTED), NOBODY),
    ("use an invitation of who has left", lambda _: permissions.may_use_invitation(INVITATION, LEFT, POSTED), NOBODY),
    (
        "use an invitation of who is banned",
        lambda _: permissions.may_use_invitation(INVITATION, BANNED, POSTED),
        NOBODY,
    ),
    ("use an invitation of nobody", lambda _: permissions.may_use_invitation(INVITATION, None, POSTED), NOBODY),
    ("voting is open", lambda _: permissions.is_voting_open(ARTICLE, CLOSED - 0.001, SETTINGS), ALL),
    ("voting is closed", lambda _: permissions.is_voting_open(ARTICLE, CLOSED, SETTINGS), NOBODY),
    ("is good", lambda _: permissions.is_good(ARTICLE, Settings(good_votes=199)), ALL),
    ("is not good", lambda _: permissions.is_good(ARTICLE, Settings(good_votes=200)), NOBODY),
]


@pytest.mark.parametrize(("case", "predicate", "allowed"), TABLE, ids=[case for case, *_ in TABLE])
def test_permission_is_given_to_its_viewers_only(case: str, predicate: Predicate, allowed: str) -> None:
    answers = {name: predicate(viewer) for name, viewer in VIEWERS.items()}
    assert answers == {name: name in allowed.split() for name in VIEWERS}


@pytest.mark.parametrize(
    ("signup", "invited", "expected"),
    [
        ("open", False, True),
        ("open", True, True),
        ("approve", False, True),
        ("invite", False, False),
        ("invite", True, True),
        ("closed", False, False),
        ("closed", True, False),
    ],
)
def test_joining_depends_on_the_signup_setting(signup: str, invited: bool, expected: bool) -> None:
    assert permissions.may_join(Settings(signup=signup), invited=invited) is expected


def test_usual_state_of_voting_stays_until_voting_ends() -> None:
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
