"""Held articles: in no list until a moderator releases them, at a publish time of its own."""

import time
from functools import partial

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, ids, repair, run
from voteweb.core.comments import NoticeKind
from voteweb.core.errors import ArticleGone, DomainRefused, NoSuchArticle, NotAllowed, TooLate
from voteweb.core.models import ArticleStatus, DomainAction, LogAction, LogEntry, Role, User
from voteweb.store import Store
from voteweb.store.moderation.bans import Span

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """A site on which the first article of a member waits."""
    store = make_store(good_votes=1, hold_posts=1)
    factories.group(store, "go")
    return store


@pytest.fixture
def ann(store: Store) -> User:
    """A member who signed up."""
    return store.users.make("ann", "", network="")


def post(store: Store, poster: User, link: str = "https://example.com/redis") -> int:
    draft = factories.draft(link=link, groups=("go",))
    return store.articles.post(draft, poster, factories.token(), allow_duplicate=True)


def release(store: Store, id: int, mod: User) -> bool:
    return store.waiting.release(id, LogEntry(LogAction.RELEASE, mod.name, "ann", id, "title"), actor=mod)


def remove(store: Store, id: int, mod: User) -> None:
    factories.remove(store, id, by=mod.name, actor=mod)


def listed(store: Store) -> list[int]:
    return ids(store, "time:")


def test_undoing_an_edit_of_one_brings_its_groups_back(store: Store, mod: User, ann: User) -> None:
    held = post(store, ann)
    edit = LogEntry(LogAction.EDIT, mod.name, "ann", held, "title")
    store.articles.edit(held, factories.draft(title="Another", groups=()), mod, edit)
    assert factories.stored_article(store, held).groups == ()
    store.undoing.undo(1, mod)
    found = factories.stored_article(store, held)
    assert (found.title, found.groups, found.is_held) == (factories.draft().title, ("go",), True)


def test_first_articles_wait_and_are_in_no_list(store: Store, mod: User, ann: User) -> None:
    held = post(store, ann)
    assert (listed(store), ids(store, "held-articles:")) == ([], [held])
    found = store.waiting.find_article("Ann", "http://www.example.com/redis/")
    assert found == factories.stored_article(store, held)
    with pytest.raises(NoSuchArticle):  # the list of saved articles would tell the title
        store.my_sites.save(held, mod)
    for act in (partial(store.votes.cast, held, mod), partial(factories.comment, store, held, mod)):
        with pytest.raises(ArticleGone):
            act()
    other = [post(store, poster) for poster in (factories.user(store, "made-by-operator"), mod)]
    assert listed(store) == other[::-1]


def test_released_article_is_published_now_with_its_own_vote(store: Store, mod: User, ann: User) -> None:
    held = post(store, ann)
    run(store, "HSET", f"article:{held}", "time", time.time() - 9 * 86_400, "closes", int(time.time()) - 2 * 86_400)
    run(store, "DEL", f"voted:{held}")
    assert repair(store)
    with pytest.raises(NotAllowed):
        release(store, held, ann)
    other = factories.user(store, "sue", Role.MODERATOR)
    assert [release(store, held, by) for by in (mod, other)] == [True, False]
    article = store.articles.get(held)
    assert abs(article.time - time.time()) < 60
    assert (article.votes, article.closes, article.released) == (1, int(article.time) + 604_800, True)
    assert store.votes.cast(held, mod) == 2
    for key in ("score:", "good:", "posted:ann", "time:go", "domain:example.com", "top:"):
        assert ids(store, key) == [held], key
    assert (ids(store, "gone:ann"), ids(store, "held-articles:")) == ([], [])
    (entry,) = run(store, "LRANGE", "inbox:ann", 0, -1)
    assert entry.startswith(f"{NoticeKind.REMOVED} log-1 ")
    with pytest.raises(TooLate):  # what a moderator has released stays as they saw it
        store.articles.edit(held, factories.draft(title="Cheap pills"), ann)
    assert post(store, ann) in listed(store)  # the second one


def test_poster_edits_and_deletes_while_it_waits(store: Store, mod: User, ann: User) -> None:
    first, second = post(store, ann), post(store, ann)
    run(store, "HSET", f"article:{first}", "time", time.time() - 86_400)
    repair(store)
    changed = factories.draft(title="Another", link="https://other.example/", groups=("go",))
    store.articles.edit(first, changed, ann)
    store.removals.delete(second, ann)
    assert (listed(store), run(store, "KEYS", "link:*"), run(store, "KEYS", "time:*")) == ([], [], [])
    store.groups.delete("go", LogEntry(LogAction.DELETE_GROUP, mod.name, title="go"), actor=mod)
    assert broken(store) == []
    release(store, first, mod)
    article = store.articles.get(first)
    assert (article.title, article.groups) == ("Another", ())


def test_refused_article_is_removed_and_waits_again_once_restored(store: Store, mod: User, ann: User) -> None:
    held = post(store, ann)
    remove(store, held, mod)
    assert (factories.stored_article(store, held).status, ids(store, "held-articles:")) == (ArticleStatus.REMOVED, [])
    assert not release(store, held, mod)
    for waits in (True, False):
        factories.restore(store, held, actor=mod)
        assert (held in listed(store), store.waiting.has_article(held)) == (not waits, waits)
        assert (release(store, held, mod), broken(store)) == (waits, [])
        remove(store, held, mod)


def test_rule_holds_links_of_members_only(make_store: MakeStore, mod: User, bob: User) -> None:
    store = make_store(good_votes=1)
    rule = LogEntry(LogAction.DOMAIN, "mod", title="look.example", why="A look first.")
    store.domain_rules.set("look.example", DomainAction.HOLD, rule, actor=mod)
    factories.group(store, "go")
    held, open_one = post(store, bob, "https://a.look.example/"), post(store, bob)
    assert (store.waiting.has_article(held), listed(store)) == (True, [open_one])
    with pytest.raises(DomainRefused, match="A look first"):
        store.articles.edit(open_one, factories.draft(link="https://look.example/"), bob)


def test_those_of_who_leaves_are_deleted(store: Store, ann: User) -> None:
    held = post(store, ann)
    store.account_deletion.start(ann, delete_articles=False)
    store.account_deletion.finish("ann")
    assert factories.stored_article(store, held).status is ArticleStatus.DELETED


def test_articles_removed_by_a_bans_span_wait_again_afterwards(store: Store, mod: User, ann: User) -> None:
    old, new = post(store, ann), post(store, ann)
    run(store, "HSET", f"article:{old}", "time", f"{time.time() - 2 * 86_400:.6f}")
    assert repair(store)
    assert store.bans.count_articles("ann", "mod") == (1, 2, 2, False)
    factories.ban(store, "ann", articles=Span.DAY)
    list(store.bans.steps())
    assert (ids(store, "held-articles:"), factories.stored_article(store, new).reason) == ([old], "Spam.")
    factories.lift(store, "ann", restore=True)
    list(store.bans.steps())
    assert (listed(store), ids(store, "held-articles:")) == ([], [new, old])
