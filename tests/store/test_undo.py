"""Undoing: it reverts what the moderator did, and nothing that somebody decided later."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import pytest

from tests import factories
from tests.store.cuts import cut_everywhere
from tests.store.examination import broken, ids, refused, run
from tests.store.queries import log_page, logged_act, reported
from voteweb.core.comments import CommentId
from voteweb.core.errors import NoSuchMember, NotAllowed, NothingToUndo, VotewebError
from voteweb.core.models import DomainAction, Group, LogAction, LogEntry, Reason, Role
from voteweb.store import Store
from voteweb.store.moderation.bans import Span
from voteweb.store.moderation.undoing import KeptReason
from voteweb.store.schema.fields import pack, unpack

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def site(store: Store) -> Store:
    """An article in "go" among the groups "go", "lua" and "redis"; and bob."""
    for name in ("lua", "redis"):
        factories.group(store, name)
    factories.article(store, groups=("go",))
    factories.user(store, "bob")
    return store


def entry(kind: LogAction, who: str = "Mod", undoes: int = 0) -> LogEntry:
    return LogEntry(kind, who, about="ann", article=1, why="spam", undoes=undoes)


def set_groups(store: Store, add: str, remove: str, undoes: int = 0, who: str = "Mod") -> None:
    store.articles.set_groups(1, add.split(), remove.split(), entry(LogAction.GROUPS, who, undoes))


Act = Callable[[Store], object]


def groups(add: str, remove: str, undoes: int = 0, who: str = "Mod") -> Act:
    return lambda site: set_groups(site, add, remove, undoes, who)


def no_group(site: Store) -> None:
    site.articles.set_groups(1, [], [], entry(LogAction.GROUPS), no_group=True)


def edit_groups(site: Store) -> None:
    """Take article 1 out of "lua" and put it there again as Sue, by its form."""
    sue = factories.user(site, "Sue", Role.MODERATOR)
    for names in (("go",), ("go", "lua")):
        site.articles.edit(1, factories.draft(groups=names), sue, entry(LogAction.EDIT, "Sue"))


def merge(site: Store) -> None:
    site.group_merges.start("go", "lua", LogEntry(LogAction.MERGE_GROUP, "Mod", title="go"))


#: Acts, each of which the log has, and one that undoes the first or the last of them, though it is not in force.
OVERRULED: dict[str, tuple[list[Act], Act]] = {
    "removed again": (
        [factories.remove, partial(factories.restore, by="Sue"), partial(factories.remove, by="Sue")],
        partial(factories.restore, undoes=1),
    ),
    "banned again": (
        [partial(act, name="bob", by="Sue") for act in (factories.ban, factories.lift, factories.ban)],
        partial(factories.lift, name="bob", undoes=1),
    ),
    "no group fits, undone": ([groups("", "go"), no_group, groups("", "", 2)], groups("", "", 2)),
    "sorted out and in": (
        [groups("lua", "go"), groups("", "lua", who="Sue"), groups("lua", "", who="Sue")], groups("go", "lua", 1)
    ),
    "edited": ([groups("lua", ""), edit_groups], groups("", "lua", 1)),
    "in a group that took in another": ([groups("lua", ""), merge], groups("", "lua", 1)),
    "changed in part": ([groups("lua", "go"), groups("go redis", "lua")], groups("go", "lua", 1)),
    "an undoing undone": (
        [
            groups("lua", ""), groups("redis", "lua"), groups("lua", "redis", 2), groups("redis", "lua", 3),
            groups("lua", "", who="Sue"),
        ],
        groups("", "lua", 1),
    ),
    "no act": ([factories.remove], partial(factories.restore, undoes=77)),
}  # fmt: skip


@pytest.mark.parametrize("name", OVERRULED)
def test_what_is_not_in_force_cannot_be_undone(site: Store, name: str) -> None:
    acts, undo = OVERRULED[name]
    for act in acts:
        act(site)
    with refused(site, NothingToUndo):
        undo(site)


def test_acts_are_undone_in_turn_unhindered_by_other_articles(site: Store) -> None:
    other = factories.article(site, groups=("lua",))
    set_groups(site, "lua", "go")
    set_groups(site, "go redis", "lua")
    factories.remove(site, other.id, by="Sue")
    set_groups(site, "lua", "go redis", undoes=2)
    set_groups(site, "go", "lua", undoes=1)
    assert site.articles.get(1).groups == ("go",)


def act_of_every_kind(site: Store) -> None:
    """Make Mod sort article 1, remove article 2 and a comment, ban bob, dismiss reports, edit, and promote cid."""
    mod, bob = factories.user(site, "Mod", Role.MODERATOR), factories.user(site, "bob")
    factories.article(site)
    for author in (bob, factories.user(site)):
        factories.comment(site, 1, author)
    set_groups(site, "lua", "go")
    factories.remove(site, 2, by="Mod")
    factories.remove(site, CommentId(1, 2), by="Mod")
    factories.ban(site, "bob", by="Mod", comments=Span.ALL)
    list(site.bans.steps())
    site.reports.make(1, factories.user(site, "cid"), Reason.SPAM, "a note")
    site.reports.dismiss(1, entry(LogAction.DISMISS))
    site.articles.edit(1, factories.draft(title="Edited", groups=("lua",)), mod, entry(LogAction.EDIT))
    site.users.set_role("cid", Role.MODERATOR, LogEntry(LogAction.ROLE, "Mod", about="cid", why="moderator"))


def readable(site: Store) -> tuple[list[int], tuple[str, ...], list[int], int]:
    """Return the listed articles, groups and readable comments of the first, and since when bob is banned."""
    list(site.bans.steps())
    visible = [node.number for node in factories.thread(site).nodes.values() if not node.status]
    return sorted(ids(site, "time:")), factories.stored_article(site).groups, visible, site.users.get("bob").banned


def undo_all(site: Store) -> Iterator[None]:
    site.undoing.start("Mod", 0, factories.user(site, "Una", Role.ADMIN))
    yield from site.undoing.steps()


def test_one_act_of_an_admin_undoes_all_a_moderator_did(site: Store) -> None:
    act_of_every_kind(site)
    found = site.undoing.find("mod", 0)
    assert [act.id for act in found.acts] == [6, 5, 4, 3, 2, 1]
    assert [(act.id, why) for act, why in found.kept] == [(7, KeptReason.KIND)]
    list(undo_all(site))
    assert readable(site) == ([1, 2], ("go",), [1, 2], 0)
    order = logged_act(site, 8)
    assert (order.kind, order.who, order.about, order.acts, order.kept) == (LogAction.UNDO, "Una", "Mod", 6, 1)
    assert [logged_act(site, id).undone for id in range(1, 8)] == [True] * 6 + [False]
    assert log_page(site).total == 8
    assert [row.reports.rows[0].note for row in reported(site)] == ["a note"]
    newest = {name: run(site, "LINDEX", f"inbox:{name}", 0).rpartition(" ")[0] for name in ("una", "ann")}
    assert newest == {"una": "undone log-8", "ann": "removed log-8"}
    other = factories.user(site, "Ida", Role.ADMIN)
    with refused(site, NothingToUndo):
        site.undoing.start("Mod", 0, other)


def test_undoing_all_leaves_what_somebody_decided_later(site: Store) -> None:
    act_of_every_kind(site)
    since = logged_act(site, 2).time
    factories.restore(site, 2, by="Sue")
    factories.remove(site, 2, by="Sue")
    site.removals.delete(CommentId(1, 2))
    undoing = undo_all(site)
    assert [why for _, why in site.undoing.find("Mod", since).kept] == [KeptReason.KIND, KeptReason.OVERRULED]
    next(undoing)
    set_groups(site, "redis", "lua", who="Sue")
    list(undoing)
    assert readable(site) == ([1], ("redis",), [1], 0)
    assert (logged_act(site, 10).acts, logged_act(site, 10).kept) == (3, 4)


def test_only_acts_since_the_time_are_undone(site: Store) -> None:
    act_of_every_kind(site)
    site.undoing.start("Mod", logged_act(site, 3).time, factories.user(site, "Una", Role.ADMIN))
    factories.remove(site, 1, by="Mod")  # after the admin's act
    list(site.undoing.steps())
    assert [logged_act(site, id).undone for id in range(1, 8)] == [False, False, True, True, False, False, False]
    assert not logged_act(site, 9).undone


@pytest.mark.parametrize(
    ("name", "admin", "refusal"),
    [
        ("Mod", "Sue", NotAllowed),  # who is a moderator
        ("Una", "Eva", NotAllowed),  # another admin
        ("nobody", "Una", NoSuchMember),
    ],
)
def test_undoing_all_is_refused(site: Store, name: str, admin: str, refusal: type[VotewebError]) -> None:
    act_of_every_kind(site)
    for who, role in (("Una", Role.ADMIN), ("Eva", Role.ADMIN), ("Sue", Role.MODERATOR)):
        factories.user(site, who, role)
    with refused(site, refusal):
        site.undoing.start(name, 0, site.users.get(admin))


def sort_edit_and_remove(store: Store) -> None:
    factories.user(store, "Mod", Role.MODERATOR)
    factories.group(store, "lua")
    for _ in range(2):
        factories.article(store, groups=("go",))
    set_groups(store, "lua", "go")
    for title in ("First", "Second"):
        mod, groups = store.users.get("Mod"), ("lua",)
        store.articles.edit(1, factories.draft(title=title, groups=groups), mod, entry(LogAction.EDIT))
    factories.remove(store, 2, by="Mod")


def test_undoing_all_ends_whole_though_cut_off_between_any_trips(store: Store) -> None:
    for _ in cut_everywhere(store, sort_edit_and_remove, undo_all):
        list(store.undoing.steps())
        assert (run(store, "EXISTS", "undoing:"), broken(store)) == (0, [])
        listed, article = ids(store, "time:"), factories.stored_article(store)
        if (order := store.log.get(5)) is None:  # cut off before it had begun
            assert (listed, article.title, article.groups) == ([1], "Second", ("lua",))
        else:
            assert (sorted(listed), article.title, article.groups) == ([1, 2], "Redis in Action", ("go",))
            assert (order.acts, order.kept, log_page(store).total) == (4, 0, 5)


def edit_as(site: Store, name: str, title: str) -> None:
    """Give article 1 another title as the moderator *name*, or, as ann, within her first minutes."""
    editor = factories.user(site, name, Role.MEMBER if name == "ann" else Role.MODERATOR)
    site.articles.edit(1, factories.draft(title=title), editor, None if name == "ann" else entry(LogAction.EDIT, name))


def vandalise(site: Store) -> None:
    """Edit, rename, close, open, and change rules as Mod, after Sue had decided all of it."""
    sue, mod = (factories.user(site, name, Role.MODERATOR) for name in ("Sue", "Mod"))
    factories.article(site)
    sites = [(DomainAction.HOLD, "held.example"), (DomainAction.REFUSE, "refused.example")]
    for action, domain in sites:
        site.domain_rules.set(domain, action, rule("Sue", domain, "Spam."), actor=sue)
    site.groups.change("go", "Go", "The language.", group("Sue"), aliases=("golang",), actor=sue)
    site.threads.set_closed(2, closing("Sue", 2), actor=sue, closes=True)
    for number in range(1, 8):
        edit_as(site, "Mod", f"Vandal {number}")
    site.groups.change("go", "Rust", "", group("Mod"), aliases=(), actor=mod)
    site.threads.set_closed(1, closing("Mod", 1), actor=mod, closes=True)
    site.threads.set_closed(2, LogEntry(LogAction.REOPEN, "Mod", article=2), actor=mod, closes=False)
    site.domain_rules.set("held.example", DomainAction.REFUSE, rule("Mod", "held.example", "No."), actor=mod)
    site.domain_rules.set("fair.example", DomainAction.REFUSE, rule("Mod", "fair.example", "No."), actor=mod)
    undomain = LogEntry(LogAction.UNDOMAIN, "Mod", title="refused.example")
    site.domain_rules.delete("refused.example", undomain, actor=mod)


def rule(who: str, domain: str, why: str) -> LogEntry:
    return LogEntry(LogAction.DOMAIN, who, title=domain, why=why)


def group(who: str) -> LogEntry:
    return LogEntry(LogAction.GROUP, who, title="go")


def closing(who: str, id: int) -> LogEntry:
    return LogEntry(LogAction.CLOSE, who, article=id, why="Heated.")


def decided(site: Store) -> tuple[object, ...]:
    """Return the first article with its versions, the group "go", why conversations are closed, and the rules."""
    article, versions = site.articles.get(1), site.read(site.articles.queue_earlier, 1)
    words = (article.title, article.groups, *(version.title for version in versions))
    aliases = site.read(site.groups.queue_aliases)
    reasons = [factories.thread(site, id).close_reason for id in (1, 2)]
    rules = [(one.domain, one.action, one.why) for one in site.read(site.domain_rules.queue_all)]
    return words, factories.group(site, "go"), aliases, reasons, rules


def test_undoing_all_brings_back_words_groups_rules_and_conversations(site: Store) -> None:
    vandalise(site)
    before = (
        ("Redis in Action", ("go",)),
        Group("go", "Go", "The language.", 1),
        {"golang": "go"},
        ["", "Heated."],
        [("held.example", DomainAction.HOLD, "Spam."), ("refused.example", DomainAction.REFUSE, "Spam.")],
    )
    assert decided(site) != before
    assert site.undoing.find("Mod", 0).kept == ()
    list(undo_all(site))
    assert decided(site) == before
    assert run(site, "HGET", "article:1", "as-posted") is None
    order = logged_act(site, site.undoing.find("Mod", 0).undone or log_page(site).total)
    assert (order.kind, order.acts, order.kept) == (LogAction.UNDO, 13, 0)


@pytest.mark.parametrize(
    ("later", "kept", "title"),
    [
        ([], [], "Redis in Action"),
        ([("Sue", "Sue's")], [KeptReason.OVERRULED] * 2, "Sue's"),
        ([("ann", "Ann's")], [KeptReason.OVERRULED] * 2, "Ann's"),  # which the log does not tell
        ([("Sue", "Sue's"), ("Mod", "Mod's")], [KeptReason.OVERRULED] * 2, "Sue's"),
    ],
    ids="nobody another poster both".split(),
)
def test_edits_are_undone_up_to_those_of_another(
    site: Store, later: list[tuple[str, str]], kept: list[KeptReason], title: str
) -> None:
    for name, words in (("Mod", "First"), ("Mod", "Second"), *later):
        edit_as(site, name, words)
    assert [why for _, why in site.undoing.find("Mod", 0).kept] == kept
    with suppress(NothingToUndo):
        list(undo_all(site))
    assert site.articles.get(1).title == title


def test_edits_whose_words_before_are_gone_stay_and_say_so(site: Store) -> None:
    for number in range(1, 9):
        edit_as(site, "Mod", f"Vandal {number}")
    found = site.undoing.find("Mod", logged_act(site, 3).time)
    assert ([act.id for act in found.acts], {why for _, why in found.kept}) == ([8, 7, 6, 5], {KeptReason.FORGOTTEN})
    older = {name: value for name, value in unpack(run(site, "LINDEX", "log-entries:", 7)).items() if name != "former"}
    run(site, "LSET", "log-entries:", 7, pack(older))
    assert site.undoing.find("Mod", 0).kept[0][1] is KeptReason.KIND


def test_entry_of_an_undoing_says_what_is_in_force(site: Store) -> None:
    vandalise(site)
    mod, last = site.users.get("Mod"), log_page(site).total
    for id in range(last, last - 7, -1):
        site.undoing.undo(id, mod)
    entries = [logged_act(site, id) for id in range(last + 1, last + 8)]
    assert [(entry.kind, entry.why) for entry in entries] == [
        (LogAction.DOMAIN, "Spam."),
        (LogAction.UNDOMAIN, ""),
        (LogAction.DOMAIN, "Spam."),
        (LogAction.CLOSE, "Heated."),
        (LogAction.REOPEN, ""),
        (LogAction.GROUP, ""),
        (LogAction.EDIT, ""),
    ]
    assert site.articles.get(1).title == "Vandal 6"
