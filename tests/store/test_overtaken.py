"""Acts that another overtakes after they have read: each is decided anew, and one of two is logged."""

import time
from collections.abc import Callable
from functools import partial

import pytest

from tests import factories
from tests.store.concurrency import at_once, overtaken
from tests.store.examination import run
from voteweb.core import errors, passwords
from voteweb.core.comments import CommentId
from voteweb.core.models import LogAction, Reason, Role, User, Voter
from voteweb.store import Store
from voteweb.store.accounts.secret_links import SecretFeed
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.schema.values import digest_of

NONCE = "0" * 32
FIRST = CommentId(1, 1)
Act = Callable[[Store], object]


@pytest.fixture
def site(store: Store, mod: User, sound: None) -> Store:
    """A site of the admins Boss and root: ann's article 1, reported by cid, its comment, and 2, which was removed.

    Bob is banned, hal waits, and ann says something about herself, which cid has reported.
    """
    for name in ("boss", "root"):
        factories.user(store, name, Role.ADMIN)
    ann, cid = factories.user(store, password_hash="hash"), factories.user(store, "cid")
    factories.article(store, groups=("go",))
    factories.remove(store, factories.article(store, link="").id)
    factories.comment(store)
    factories.group(store, "empty")
    factories.ban(store, factories.user(store, "bob").name)
    store.users.make("hal", "", network="", request="Please")
    for id in (1, FIRST):
        store.reports.make(id, cid, Reason.SPAM, "")
    store.users.describe(ann, "I am Ann.")
    store.waiting.report_about("ann", cid)
    return store


def entry(kind: LogAction, about: str = "ann", article: int = 0, why: str = "spam") -> NewLogEntry:
    return NewLogEntry(kind, "mod", about=about, article=article, why=why)


def judge(kind: LogAction) -> Act:
    return lambda store: store.waiting.judge_account("hal", entry(kind, "hal"))


def demote(name: str) -> Act:
    return lambda store: store.users.set_role(name, Role.MEMBER, entry(LogAction.ROLE, name))


def leave(name: str) -> Act:
    return lambda store: store.account_deletion.start(store.users.get(name), delete_articles=False)


def ban(name: str) -> Act:
    return lambda store: factories.ban(store, name)


def report(store: Store) -> object:
    return store.reports.make(1, store.users.get("boss"), Reason.RULES, "")


def undo_all(store: Store) -> object:
    return store.undoing.start("mod", 0, store.users.get("root"))


#: What is done, what overtakes it, and what it answers: its refusal, or what it returns.
ACTS: dict[str, tuple[Act, Act, object]] = {
    "edit": (
        lambda store: store.articles.edit(1, factories.draft(title="Changed"), store.users.get("ann")),
        lambda store: store.removals.delete(1),
        errors.ArticleGone,
    ),
    "remove, voted for": (factories.remove, lambda store: store.votes.cast(1, store.users.get("cid")), None),
    "remove, reported": (factories.remove, report, None),
    "restore": (*[lambda store: factories.restore(store, 2)] * 2, None),
    "remove a comment": (
        lambda store: factories.remove(store, FIRST), lambda store: store.removals.delete(FIRST), errors.CommentGone
    ),
    "report": (report, factories.remove, errors.ArticleGone),
    "report a comment": (
        lambda store: store.reports.make(FIRST, store.users.get("boss"), Reason.RULES, ""),
        factories.remove,
        errors.CommentGone,
    ),
    "dismiss": (
        lambda store: store.reports.dismiss(1, entry(LogAction.DISMISS, article=1)), factories.remove, False
    ),
    "answer a removal": (
        lambda store: store.waiting.answer(2, store.users.get("ann"), "It is no spam."),
        lambda store: factories.restore(store, 2),
        errors.NotRemoved,
    ),
    "answer a ban": (
        lambda store: store.bans.answer("bob", "It was not me."),
        lambda store: factories.lift(store, "bob"),
        errors.FormExpired,
    ),
    "judge lines": (
        lambda store: store.waiting.judge_about("ann", "I am Ann.", entry(LogAction.ABOUT)),
        lambda store: store.users.describe(store.users.get("ann"), "Changed."),
        errors.AboutChanged,
    ),
    "refuse": (judge(LogAction.REFUSE), judge(LogAction.ADMIT), False),
    "demote": (demote("boss"), ban("root"), errors.LastAdmin),
    "ban": (ban("boss"), leave("root"), errors.LastAdmin),
    "leave": (leave("boss"), demote("root"), errors.LastAdmin),
    "ban who leaves": (ban("cid"), leave("cid"), errors.NoSuchMember),
    "undo": (
        lambda store: store.undoing.undo(1, store.users.get("mod")),
        lambda store: factories.restore(store, 2),
        errors.NothingToUndo,
    ),
    "undo all": (undo_all, undo_all, errors.NothingToUndo),
    "make a group": (*[lambda store: store.groups.make("lua", "Lua", "")] * 2, errors.GroupExists),
    "delete a group": (
        lambda store: store.groups.delete("empty", entry(LogAction.DELETE)),
        lambda store: store.articles.set_groups(1, ["empty"], []),
        errors.GroupNotEmpty,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ACTS)
def test_an_act_is_decided_anew(site: Store, name: str) -> None:
    act, rival, answer = ACTS[name]
    logged = run(site, "LLEN", "log-entries:")
    with overtaken(site, partial(rival, site)):
        assert at_once([partial(act, site)]) == [answer]
    assert run(site, "LLEN", "log-entries:") <= logged + 1


def test_what_is_used_once_is_not_used_after_another(site: Store) -> None:
    """Each of these is used, or the other ends it, while it is used for the first time."""
    ann, users, links = site.users.get("ann"), site.users, site.passwords
    boss = users.get("boss")
    recovery = passwords.read(links.renew_codes(boss)[0])
    tokens = [site.invitations.make(ann) for _ in range(3)]
    join = [partial(users.make, f"guest{number}", "", invitation=token) for number, token in enumerate(tokens)]
    revoke = [partial(site.invitations.revoke, digest_of(token), ann) for token in tokens]
    again = partial(users.make, "other", "", invitation=tokens[0])
    link, other_link = links.make_link("ann"), links.make_link("ann")
    mod = users.get("mod")
    site.second_factors.turn_on(mod, NONCE, code := site.second_factors.authenticator(mod, NONCE).at(time.time()))
    run(site, "HSET", "user:mod", "second-factor", f"{NONCE} 0")
    verify = partial(site.second_factors.use_code, mod, code)
    voters = [Voter(mod.id, mod.name, mod.session, token) for token in ("one", "two")]
    for voter in voters:
        site.sessions.open(mod, voter.token)
    end = [partial(site.sessions.end_others, voter) for voter in voters]
    for act, rival, refusal in (
        (partial(users.make, "New", ""), partial(users.make, "NEW", ""), errors.NameTaken),
        (join[0], again, errors.NoInvitation),
        (join[1], revoke[1], errors.NoInvitation),
        (revoke[2], join[2], errors.InvitationUsed),
        (partial(links.use_code, boss, recovery, "a"), partial(links.use_code, boss, recovery, "b"), errors.CodeUsed),
        (partial(links.use_link, link, "c"), partial(links.use_link, other_link, "d"), errors.LinkUsed),
        (
            partial(users.set_password, "ann", "e", verified="d"),
            partial(users.set_password, "ann", "f"),
            errors.PasswordChanged,
        ),
        (verify, verify, errors.CodeNeeded),
        (*end, errors.LoggedOut),
    ):
        with overtaken(site, rival):
            assert at_once([act]) == [refusal]
    assert users.get("ann").password == "f"


def test_of_addresses_of_a_feed_made_at_once_one_works(site: Store) -> None:
    renew = partial(site.feeds.renew, SecretFeed.INBOX, site.users.get("ann"))
    with overtaken(site, renew):
        token = renew()
    assert site.feeds.name_of(SecretFeed.INBOX, token) == "ann"
    assert len(run(site, "KEYS", "inbox-feed:*")) == 1
