"""Races: one action by many threads at once; the database holds what the callers were told."""

import time
from collections import Counter
from functools import partial

import pytest

from tests import factories
from tests.store.concurrency import at_once
from tests.store.examination import ids, run
from tests.store.queries import add_stories, page
from voteweb.core.errors import AlreadyVoted, CodeUsed, GroupExists, InvitationUsed, LoggedOut, NameTaken, NoInvitation
from voteweb.core.models import LogAction, Order, Voter
from voteweb.core.passwords import read
from voteweb.store import Store
from voteweb.store.accounts.sessions import digest
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.schema.values import digest_of

pytestmark = pytest.mark.usefixtures("sound")


def test_forty_concurrent_votes_of_one_member_count_once(store: Store) -> None:
    article, bob = factories.article(store, groups=("go",)), factories.user(store, "bob")
    answers = at_once([partial(store.votes.cast, article.id, bob)] * 40)
    assert Counter(answers) == {2: 1, AlreadyVoted: 39}
    assert store.articles.get(article.id).votes == 2


def test_one_form_and_one_name_sent_twenty_times_make_one_article_and_one_member(store: Store) -> None:
    names = ["ann", "Ann", "ANN", "aNN"] * 5
    members = at_once([partial(store.users.make, name, f"hash of {name}") for name in names])
    ann = store.users.get("ann")
    assert [member for member in members if member is not NameTaken] == [ann]
    (id,) = set(at_once([partial(store.articles.post, factories.draft(), ann, "form-0001")] * 20))
    assert ids(store, "time:") == [id]


def test_one_recovery_code_sets_one_password(store: Store) -> None:
    ann = factories.user(store)
    first, second = (read(code) for code in store.passwords.renew_codes(ann)[:2])
    answers = at_once([partial(store.passwords.use_code, ann, first, f"hash {number}") for number in range(20)])
    assert answers.count(CodeUsed) == 19
    (used,) = [number for number, answer in enumerate(answers) if answer is not CodeUsed]
    now = store.users.get("ann")
    assert (answers[used], now.password) == ((now.session, 9), f"hash {used}")
    assert store.passwords.use_code(ann, second, "last hash")[1] == 8


def test_of_sessions_that_end_all_others_at_once_one_stays(store: Store) -> None:
    ann = factories.user(store)
    voters = [Voter(ann.id, ann.name, ann.session, f"token {number}") for number in range(10)]
    for voter in voters:
        store.sessions.open(ann, voter.token)
    answers = at_once([partial(store.sessions.end_others, voter) for voter in voters])
    (stays,) = [number for number, answer in enumerate(answers) if answer is not LoggedOut]
    (session,) = store.read(store.sessions.queue_all, store.users.get("ann"))
    assert (session.digest, store.users.get("ann").session) == (digest(voters[stays].token), answers[stays])


def test_one_group_created_by_twenty_has_one_creator(store: Store) -> None:
    entries = [NewLogEntry(LogAction.GROUP, f"mod{i}", title="go") for i in range(20)]
    answers = at_once([partial(store.groups.make, "go", f"Title by {entry.who}", "", entry) for entry in entries])
    assert Counter(answers) == {None: 1, GroupExists: 19}
    creator = entries[answers.index(None)].who
    assert run(store, "HGET", "group-info:go", "title") == f"Title by {creator}"
    assert run(store, "LLEN", f"log-by:{creator}") == 1


def test_an_invitation_is_either_used_or_revoked(store: Store) -> None:
    ann = factories.user(store)
    for number in range(8):
        token = store.invitations.make(ann)
        join = partial(store.users.make, f"guest{number}", "", invitation=token)
        joined, revoked = at_once([join, partial(store.invitations.revoke, digest_of(token), ann)])
        invitation = store.invitations.find(token)
        assert invitation is not None
        assert (joined is NoInvitation) == invitation.revoked
        assert (revoked is InvitationUsed) == (invitation.used != "")
        assert (store.users.find(f"guest{number}") is None) == invitation.revoked


def test_a_combined_ranking_is_built_once_for_concurrent_readers(store: Store) -> None:
    add_stories(store, [(time.time() - 100_000 + i, 9) for i in range(30)], groups=("go", "redis"))
    ranking = store.rankings.groups(["go", "redis"], Order.TIME)
    members = factories.users(store, 10)
    article = factories.article(store, groups=("go", "redis"))
    reads = [partial(page, store, ranking)] * 10
    votes = [partial(store.votes.cast, article.id, member) for member in members]
    pages = [answer for answer in at_once([*reads, *votes]) if not isinstance(answer, int)]
    assert {listed.as_of for listed in pages} == {pages[0].as_of}
    assert {tuple(row.id for row in listed.rows) for listed in pages} == {tuple(range(31, 6, -1))}
    assert factories.stored_article(store, article.id).votes == 11
