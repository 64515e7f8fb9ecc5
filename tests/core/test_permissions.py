"""Who may do what: every predicate of ``rules.py`` for everybody who may ask."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from voteweb.core import config, permissions
from voteweb.core.config import Settings
from voteweb.core.models import Article, ArticleStatus, Invitation, LogAction, LogEntry, Role, User, VotingState

POSTED = 1_000_000.0
LATE = POSTED + 900  # the first moment at which the poster is late
CLOSED = POSTED + 604_800


def someone(role: Role = Role.MEMBER, name: str = "bob", id: int = 2, **more: Any) -> User:
    return User(id=id, name=name, password="", role=role, since=POSTED, session="", **more)


ARTICLE = Article(id=1, title="t", link="", text="", poster="Ann", time=POSTED, votes=199)
REMOVED = replace(ARTICLE, gone=ArticleStatus.REMOVED)
DELETED = replace(ARTICLE, gone=ArticleStatus.DELETED)
SETTINGS = Settings()
INVITING = Settings(signup="invite", members_invite=1)

#: Who asks. The session of a banned member has ended: to the site this is a reader.
WHO: dict[str, User | None] = {
    "reader": None,
    "banned": None,
    "member": someone(),
    "poster": someone(name="aNN", id=1),
    "moderator": someone(Role.MODERATOR, "mod", 3),
    "admin": someone(Role.ADMIN, "boss", 4),
}
MEMBER, OTHER_MOD = someone(name="cid", id=5), someone(Role.MODERATOR, "sue", 6)
OTHER_ADMIN, LEFT = someone(Role.ADMIN, "root2", 7), someone(name="zoe", id=8, left=POSTED)
BARRED = someone(name="eve", id=9, banned=POSTED)
INVITATION = Invitation("token", "Ann", LATE)
REMOVAL = LogEntry(1, LogAction.REMOVE, "MOD", POSTED)

NOBODY = ""
MODS = "moderator admin"
MEMBERS = "member poster moderator admin"
OTHERS = "member moderator admin"
ALL = "reader banned member poster moderator admin"

Question = Callable[[User | None], bool]

#: Each question, and who is answered with yes; nobody else is.
TABLE: list[tuple[str, Question, str]] = [
    ("moderate", permissions.may_moderate, MODS),
    ("administer", permissions.may_administer, "admin"),
    ("post", permissions.may_post, MEMBERS),
    ("is the poster", lambda who: permissions.is_poster(who, ARTICLE), "poster"),
    # votes: readers are led to log in
    (
        "vote",
        lambda who: permissions.voting_state(who, ARTICLE, POSTED, SETTINGS) is VotingState.OPEN,
        "reader banned member moderator admin",
    ),
    (
        "vote at the last moment",
        lambda who: permissions.voting_state(who, ARTICLE, CLOSED - 0.001, SETTINGS) is VotingState.OPEN,
        f"reader banned {OTHERS}",
    ),
    ("vote when closed", lambda who: permissions.voting_state(who, ARTICLE, CLOSED, SETTINGS) is VotingState.OPEN, NOBODY),
    ("vote for what is removed", lambda who: permissions.voting_state(who, REMOVED, POSTED, SETTINGS) is VotingState.OPEN, NOBODY),
    ("vote for what is deleted", lambda who: permissions.voting_state(who, DELETED, POSTED, SETTINGS) is VotingState.OPEN, NOBODY),
    # the own article
    ("edit in time", lambda who: permissions.may_edit(who, ARTICLE, LATE - 0.001, SETTINGS), "poster moderator admin"),
    ("edit late", lambda who: permissions.may_edit(who, ARTICLE, LATE, SETTINGS), MODS),
    ("edit what is removed", lambda who: permissions.may_edit(who, REMOVED, POSTED, SETTINGS), NOBODY),
    ("edit what is deleted", lambda who: permissions.may_edit(who, DELETED, POSTED, SETTINGS), NOBODY),
    ("delete in time", lambda who: permissions.may_delete(who, ARTICLE, LATE - 0.001, SETTINGS), "poster"),
    ("delete late", lambda who: permissions.may_delete(who, ARTICLE, LATE, SETTINGS), NOBODY),
    ("delete what is removed", lambda who: permissions.may_delete(who, REMOVED, POSTED, SETTINGS), NOBODY),
    # removing and restoring
    ("remove", lambda who: permissions.may_remove(who, ARTICLE), MODS),
    ("remove again", lambda who: permissions.may_remove(who, REMOVED), NOBODY),
    ("remove what is deleted", lambda who: permissions.may_remove(who, DELETED), NOBODY),
    ("restore", lambda who: permissions.may_restore(who, REMOVED), MODS),
    ("restore what is there", lambda who: permissions.may_restore(who, ARTICLE), NOBODY),
    ("restore what is deleted", lambda who: permissions.may_restore(who, DELETED), NOBODY),
    ("read", lambda who: permissions.may_read(who, ARTICLE), ALL),
    ("read what is removed", lambda who: permissions.may_read(who, REMOVED), "poster moderator admin"),
    ("read what is deleted", lambda who: permissions.may_read(who, DELETED), NOBODY),
    # reports
    ("report", lambda who: permissions.may_report(who, ARTICLE), OTHERS),
    ("report what is removed", lambda who: permissions.may_report(who, REMOVED), NOBODY),
    ("report what is deleted", lambda who: permissions.may_report(who, DELETED), NOBODY),
    # members
    ("ban a member", lambda who: permissions.may_ban(who, MEMBER), MODS),
    ("ban a moderator", lambda who: permissions.may_ban(who, OTHER_MOD), "admin"),
    ("ban an admin", lambda who: permissions.may_ban(who, OTHER_ADMIN), NOBODY),
    ("ban who has left", lambda who: permissions.may_ban(who, LEFT), NOBODY),
    ("ban oneself", lambda who: who is not None and permissions.may_ban(who, who), NOBODY),
    ("give a member a role", lambda who: permissions.may_set_role(who, MEMBER), "admin"),
    ("give a moderator a role", lambda who: permissions.may_set_role(who, OTHER_MOD), "admin"),
    ("give an admin a role", lambda who: permissions.may_set_role(who, OTHER_ADMIN), "admin"),
    ("give a role to who has left", lambda who: permissions.may_set_role(who, LEFT), NOBODY),
    ("give oneself a role", lambda who: who is not None and permissions.may_set_role(who, who), NOBODY),
    # invitations
    ("invite to an open site", lambda who: permissions.may_invite(who, CLOSED, SETTINGS), NOBODY),
    ("invite to a closed site", lambda who: permissions.may_invite(who, CLOSED, Settings(signup="closed")), NOBODY),
    ("invite", lambda who: permissions.may_invite(who, CLOSED, Settings(signup="invite")), MODS),
    ("invite after a week", lambda who: permissions.may_invite(who, CLOSED, INVITING), MEMBERS),
    ("invite before a week is over", lambda who: permissions.may_invite(who, CLOSED - 0.001, INVITING), MODS),
    # undoing: the own act of a moderator, for ten minutes
    ("undo the own", lambda who: permissions.may_undo(who, REMOVAL, POSTED + 599.9), "moderator"),
    ("undo when late", lambda who: permissions.may_undo(who, REMOVAL, POSTED + config.UNDO_SECONDS), NOBODY),
    ("undo twice", lambda who: permissions.may_undo(who, replace(REMOVAL, undone=True), POSTED), NOBODY),
    ("undo another's", lambda who: permissions.may_undo(who, replace(REMOVAL, who="sue"), POSTED), NOBODY),
    ("undo as a mere member", lambda who: permissions.may_undo(who, replace(REMOVAL, who="bob"), POSTED), NOBODY),
    (
        "undo a change of groups",
        lambda who: permissions.may_undo(who, replace(REMOVAL, kind=LogAction.GROUPS), POSTED),
        "moderator",
    ),
    *(
        (f"undo: {kind}", lambda who, kind=kind: permissions.may_undo(who, replace(REMOVAL, kind=kind), POSTED), NOBODY)  # type: ignore[misc]
        for kind in LogAction
        if kind not in (LogAction.GROUPS, LogAction.REMOVE)
    ),
    ("log in", lambda who: who is not None and permissions.may_log_in(who), MEMBERS),
    ("log in when banned", lambda who: who is not None and permissions.may_log_in(replace(who, banned=POSTED)), NOBODY),
    ("log in after leaving", lambda who: who is not None and permissions.may_log_in(replace(who, left=POSTED)), NOBODY),
    # what depends on nobody
    ("use an invitation", lambda who: permissions.may_use_invitation(INVITATION, MEMBER, LATE - 0.001), ALL),
    ("use an invitation past its end", lambda who: permissions.may_use_invitation(INVITATION, MEMBER, LATE), NOBODY),
    ("use a used invitation", lambda who: permissions.may_use_invitation(replace(INVITATION, used="cid"), MEMBER, POSTED), NOBODY),
    (
        "use a withdrawn invitation",
        lambda who: permissions.may_use_invitation(replace(INVITATION, revoked=True), MEMBER, POSTED),
        NOBODY,
    ),
    ("use an invitation of who has left", lambda who: permissions.may_use_invitation(INVITATION, LEFT, POSTED), NOBODY),
    ("use an invitation of who is banned", lambda who: permissions.may_use_invitation(INVITATION, BARRED, POSTED), NOBODY),
    ("use an invitation of nobody", lambda who: permissions.may_use_invitation(INVITATION, None, POSTED), NOBODY),
    ("votes are open", lambda who: permissions.is_voting_open(ARTICLE, CLOSED - 0.001, SETTINGS), ALL),
    ("votes are closed", lambda who: permissions.is_voting_open(ARTICLE, CLOSED, SETTINGS), NOBODY),
    ("is good", lambda who: permissions.is_good(ARTICLE, Settings(good_votes=199)), ALL),
    ("is not good", lambda who: permissions.is_good(ARTICLE, Settings(good_votes=200)), NOBODY),
]


@pytest.mark.parametrize("name", WHO)
@pytest.mark.parametrize(("act", "may", "allowed"), TABLE, ids=[row[0] for row in TABLE])
def test_an_act_is_for_those_it_is_for_and_nobody_else(act: str, may: Question, allowed: str, name: str) -> None:
    assert may(WHO[name]) is (name in allowed.split())


@pytest.mark.parametrize(
    ("signup", "invited", "may"),
    [
        ("open", False, True),
        ("open", True, True),
        ("invite", False, False),
        ("invite", True, True),
        ("closed", False, False),
        ("closed", True, False),
    ],
)
def test_who_may_join(signup: str, invited: bool, may: bool) -> None:
    assert permissions.may_join(Settings(signup=signup), invited=invited) is may


def test_every_rule_is_asked_here() -> None:
    text = inspect.getsource(inspect.getmodule(someone))  # type: ignore[arg-type]
    names = [name for name, each in inspect.getmembers(permissions, inspect.isfunction) if each.__module__ == permissions.__name__]
    assert [name for name in names if f"rules.{name}" not in text] == []
