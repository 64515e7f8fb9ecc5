"""Acts that another overtakes after they have read: each is decided anew, and one of two is logged.

Of those whose methods decide, conftest.py watches that they read nothing but what their commits compare.
"""

from collections.abc import Callable
from functools import partial

import pytest

from tests import factories
from tests.store.concurrency import at_once, overtaken
from tests.store.examination import run
from voteweb.core import errors, passwords
from voteweb.core.models import Reason, Role, User, Voter
from voteweb.store import Store
from voteweb.store.schema.values import digest_of

Act = Callable[[Store], object]


@pytest.fixture
def site(store: Store, mod: User, sound: None) -> Store:
    """A site of the admin root: ann's article 1, and 2, which mod has removed."""
    for name in ("root", "boss"):
        factories.user(store, name, Role.ADMIN)
    for _ in range(2):
        factories.article(store)
    factories.remove(store, 2)
    return store


def undo_all(store: Store, by: str = "root") -> object:
    return store.undoing.start("mod", 0, store.users.get(by))


#: What is done, what overtakes it, and what it answers: its refusal, or what it returns.
ACTS: dict[str, tuple[Act, Act, object]] = {
    "edit": (
        lambda store: store.articles.edit(1, factories.draft(title="Changed"), store.users.get("ann")),
        lambda store: store.removals.delete(1),
        errors.ArticleGone,
    ),
    "remove": (
        factories.remove, lambda store: store.reports.make(1, store.users.get("root"), Reason.RULES, ""), None
    ),
    "restore": (*[lambda store: factories.restore(store, 2)] * 2, None),
    "undo": (
        lambda store: store.undoing.undo(1, store.users.get("mod")),
        lambda store: factories.restore(store, 2),
        errors.NothingToUndo,
    ),
    "undo all": (undo_all, lambda store: undo_all(store, "boss"), errors.NothingToUndo),
}  # fmt: skip


@pytest.mark.parametrize("name", ACTS)
def test_an_act_is_decided_anew(site: Store, name: str) -> None:
    act, rival, answer = ACTS[name]
    logged = run(site, "LLEN", "log-entries:")
    with overtaken(site, partial(rival, site)):
        assert at_once([partial(act, site)]) == [answer]
    assert run(site, "LLEN", "log-entries:") <= logged + 1


def test_what_is_used_once_is_not_used_after_another(site: Store, mod: User) -> None:
    """Each of these is used, or the other ends it, while it is used for the first time."""
    users, links = site.users, site.passwords
    ann = users.get("ann")
    recovery = passwords.read(links.renew_codes(mod)[0])
    tokens = [site.invitations.make(ann) for _ in range(3)]
    join = [partial(users.make, f"guest{number}", "", invitation=token) for number, token in enumerate(tokens)]
    revoke = [partial(site.invitations.revoke, digest_of(token), ann) for token in tokens]
    again = partial(users.make, "other", "", invitation=tokens[0])
    link, other_link = links.make_link("ann"), links.make_link("ann")
    voters = [Voter(ann.id, ann.name, ann.session, token) for token in ("one", "two")]
    for voter in voters:
        site.sessions.open(ann, voter.token)
    end = [partial(site.sessions.end_others, voter) for voter in voters]
    for act, rival, refusal in (
        (partial(users.make, "New", ""), partial(users.make, "NEW", ""), errors.NameTaken),
        (join[0], again, errors.NoInvitation),
        (join[1], revoke[1], errors.NoInvitation),
        (revoke[2], join[2], errors.InvitationUsed),
        (*end, errors.LoggedOut),
        (partial(links.use_code, mod, recovery, "a"), partial(links.use_code, mod, recovery, "b"), errors.CodeUsed),
        (partial(links.use_link, link, "c"), partial(links.use_link, other_link, "d"), errors.LinkUsed),
    ):
        with overtaken(site, rival):
            assert at_once([act]) == [refusal]
    assert users.get("ann").password == "d"
