"""Tokens of programs: made, used within their rights, and ended with what lets their member in."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from tests import factories
from tests.store.examination import refused, run, snapshot, unchanged
from tests.store.test_site_switches import set_switch
from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.errors import Held, LoggedOut, NoRight, NotAllowed, TooManyPrograms, VotewebError
from voteweb.core.models import LogAction, LogEntry, Program, ProgramCall, Right, Role, User
from voteweb.core.site_switches import ON, SwitchName
from voteweb.store import Store
from voteweb.store.accounts.programs import new_token, split_token
from voteweb.store.accounts.sessions import digest
from voteweb.store.schema.values import format_program

pytestmark = pytest.mark.usefixtures("sound")

END = LogEntry(LogAction.PROGRAM, "root", about="bob")
#: An act of each script that checks a program, with the right that it needs.
ACTS: dict[str, tuple[Right, Callable[[Store, User], object]]] = {
    "cast_vote": (Right.VOTE, lambda store, bob: store.votes.cast(1, bob)),
    "vote_comment": (Right.VOTE, lambda store, bob: store.votes.cast(CommentId(1, 1), bob)),
    "post_article": (Right.POST, lambda store, bob: factories.article(store, bob)),
    "write_comment": (Right.POST, lambda store, bob: factories.comment(store, 1, bob)),
    "commit": (Right.OWN, lambda store, bob: store.my_sites.save(1, bob)),
    "commit by a role": (Right.MODERATE, lambda store, bob: factories.remove(store, 1, by="bob", actor=bob)),
}


def give_token(store: Store, member: User, rights: tuple[Right, ...] = tuple(Right), name: str = "bot") -> str:
    token = new_token(member.name)
    store.programs.add(member, token, name, rights, 30)
    return token


def program_of(token: str) -> str:
    return digest(split_token(token)[1])


def acting(member: User, token: str, right: Right) -> User:
    """Return *member* as one of their programs acts for them."""
    return replace(member, call=ProgramCall(program_of(token), right))


def programs(store: Store, name: str = "bob") -> list[Program]:
    return store.read(store.programs.queue_all, name)


@contextmanager
def nothing_but(store: Store, error: type[VotewebError], match: str | None = None) -> Iterator[None]:
    """Check that *error* is raised and nothing written, but for an id of an article that is left out."""
    before = snapshot(store)
    with pytest.raises(error, match=match):
        yield
    assert snapshot(store) | {"article:": ""} == before | {"article:": ""}


@pytest.fixture
def bob(store: Store) -> User:
    """A moderator, on a site with an article and a comment of others."""
    factories.comment(store, factories.article(store))
    return factories.user(store, "bob", Role.MODERATOR)


@pytest.mark.parametrize("act", ACTS)
def test_each_script_asks_for_the_right_it_needs(store: Store, bob: User, act: str) -> None:
    right, do = ACTS[act]
    lacking = give_token(store, bob, tuple(other for other in Right if other is not right))
    with nothing_but(store, NoRight, match=right):
        do(store, acting(bob, lacking, right))
    do(store, acting(bob, give_token(store, bob, (right,)), right))


def _end_of_days(store: Store, bob: User, token: str) -> None:
    past = programs(store)[0]._replace(until=int(time.time()))
    run(store, "HSET", "programs:bob", program_of(token), format_program(past))


#: Whatever ends the token of a program of bob's.
ENDS: dict[str, Callable[[Store, User, str], Any]] = {
    "withdrawal": lambda store, bob, token: store.programs.withdraw(program_of(token), actor=bob),
    "an admin": lambda store, bob, token: store.programs.end_of_other(
        "Bob", program_of(token), END, actor=factories.user(store, "root", Role.ADMIN)
    ),
    "new password": lambda store, bob, token: store.users.set_password("bob", "hash"),
    "log-out everywhere": lambda store, bob, token: store.users.end_sessions("bob"),
    "ban": lambda store, bob, token: factories.ban(store, "bob"),
    "deletion": lambda store, bob, token: store.account_deletion.start(bob, delete_articles=False),
    "end of days": _end_of_days,
}


@pytest.mark.parametrize("end", ENDS)
def test_a_token_ends_with_what_lets_its_member_in(store: Store, bob: User, end: str) -> None:
    token = give_token(store, bob)
    voter = store.read(store.programs.queue_find_voter, token)
    assert voter
    ENDS[end](store, bob, token)
    assert store.read(store.programs.queue_find_voter, token) is None
    assert programs(store) == []
    for right, do in ACTS.values():
        with nothing_but(store, LoggedOut):
            do(store, acting(bob, token, right))
    assert store.programs.count() == 0
    if end == "deletion":
        assert not run(store, "EXISTS", "programs:bob")


@pytest.fixture
def root(store: Store) -> User:
    """An admin."""
    return factories.user(store, "root", Role.ADMIN)


def test_a_role_and_a_second_factor_count_at_each_act(store: Store, bob: User, root: User) -> None:
    moderating = acting(bob, give_token(store, bob), Right.MODERATE)
    set_switch(store, root, SwitchName.SECOND_FACTOR, ON)
    with refused(store, NotAllowed):
        factories.remove(store, 1, by="bob", actor=moderating)
    run(store, "HDEL", "site:", "second-factor")
    store.users.set_role("bob", Role.MEMBER)
    with refused(store, NotAllowed):
        factories.remove(store, 1, by="bob", actor=moderating)


def test_a_member_has_twenty_and_only_digests_are_stored(store: Store, bob: User) -> None:
    tokens = [give_token(store, bob, (Right.READ,), f"bot {number}") for number in range(config.MAX_PROGRAMS)]
    with refused(store, TooManyPrograms):
        give_token(store, bob)
    assert not [token for token in tokens if split_token(token)[1] in str(snapshot(store))]
    store.programs.withdraw(program_of(tokens[7]), actor=bob)
    give_token(store, bob, name="another")
    names = {program.name for program in programs(store)}
    assert (len(names), "another" in names, "bot 7" in names) == (config.MAX_PROGRAMS, True, False)


def test_one_who_waits_or_whose_session_has_ended_gets_none(store: Store, bob: User) -> None:
    run(store, "HSET", "user:bob", "held", 1)
    with refused(store, Held):
        give_token(store, bob)
    run(store, "HDEL", "user:bob", "held")
    store.users.end_sessions("bob")
    with refused(store, LoggedOut):
        give_token(store, bob)


def test_an_address_without_a_program_ends_nothing(store: Store, bob: User, root: User) -> None:
    give_token(store, bob)
    with unchanged(store):
        for name in ("of", "", "x" * 20):  # the first is the field with the session id
            assert not store.programs.withdraw(name, actor=bob)
            assert not store.programs.end_of_other("bob", name, END, actor=root)


def test_only_admins_end_those_of_others(store: Store, bob: User) -> None:
    token, mod = give_token(store, bob), factories.user(store, "mod", Role.MODERATOR)
    with refused(store, NotAllowed):
        store.programs.end_of_other("bob", program_of(token), END, actor=mod)


def test_the_first_use_is_noted_and_then_one_a_day(store: Store, bob: User) -> None:
    program = program_of(give_token(store, bob))
    made = programs(store)[0]
    assert made.used == made.made
    assert [store.programs.note_use("bob", program) for _ in range(2)] == [True, False]
    used = programs(store)[0]
    assert used.used > used.made
    earlier = used._replace(made=used.made - 90_000, used=used.used - 90_000)
    run(store, "HSET", "programs:bob", program, format_program(earlier))
    assert [store.programs.note_use("bob", program) for _ in range(2)] == [True, False]
    assert not store.programs.note_use("bob", "of")


def test_a_stored_field_is_no_call_of_a_program(store: Store, bob: User) -> None:
    run(store, "HSET", "user:bob", "call", "x")
    assert store.users.get("bob") == bob
