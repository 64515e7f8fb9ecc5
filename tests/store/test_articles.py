"""Articles: what posting lays down, and what sorting into groups changes."""

import pytest

from tests import factories
from tests.conftest import MakeStore
from tests.store.examination import broken, ids, run, snapshot
from voteweb.core import config
from voteweb.core.errors import NoSuchArticle, NoSuchGroup, TooManyGroups
from voteweb.core.models import Article
from voteweb.store import Store

WEEK = 604_800


def now(store: Store) -> float:
    seconds, microseconds = run(store, "TIME")
    return int(seconds) + int(microseconds) / 1e6


def test_a_posted_article_can_be_read(store: Store) -> None:
    ann = factories.user(store, "Ann")
    factories.group(store, "redis")
    before = now(store)
    id = store.articles.post(
        factories.draft(title="A & B", link="", text="# much\n\ntext", groups=("redis",)), ann, "form-0001"
    )
    article = store.articles.get(id)
    assert article == Article(
        id=1, title="A & B", link="", text="# much\n\ntext", poster="Ann", time=article.time, votes=1, groups=("redis",)
    )
    assert before <= article.time <= now(store)


def test_posting_lays_down_the_hash_of_the_book_with_microseconds(store: Store) -> None:
    article = factories.article(store)
    stored = run(store, "HGETALL", "article:1")
    assert set(stored) == set("title link text poster time votes base groups".split())
    assert (stored["votes"], stored["base"], stored["groups"]) == ("1", "0", "")
    assert stored["time"] == f"{article.time:.6f}"


def test_the_poster_is_the_first_voter_and_the_voters_outlive_the_week_by_an_hour(store: Store) -> None:
    bob = factories.user(store, "bob")
    article = factories.article(store, bob)
    assert run(store, "SMEMBERS", "voted:1") == {str(bob.id)}
    over = run(store, "PEXPIRETIME", "voted:1") / 1000 - (article.time + WEEK + config.VOTERS_GRACE)
    assert 0 <= over <= 1


def test_a_posted_article_stands_in_every_ranking_it_belongs_to(store: Store) -> None:
    article = factories.article(store, groups=("go", "redis"))
    score = article.time + 432
    for key, number in [
        ("time:", article.time),
        ("score:", score),
        ("posted:ann", article.time),
        ("time:go", article.time),
        ("score:go", score),
        ("time:redis", article.time),
        ("score:redis", score),
    ]:
        assert run(store, "ZSCORE", key, "article:1") == pytest.approx(number, abs=1e-6), key
    assert run(store, "SMEMBERS", "group:go") == run(store, "SMEMBERS", "group:redis") == {"article:1"}
    assert run(store, "EXISTS", "good:") == 0
    assert broken(store) == []


def test_where_one_vote_is_good_the_posted_article_is_good(make_store: MakeStore) -> None:
    store = make_store(good_votes=1, vote_score=86_400.0)
    factories.article(store)
    assert ids(store, "good:") == [1]
    assert broken(store) == []


def test_without_the_own_vote_votes_begin_at_zero_and_the_poster_is_among_the_voters(make_store: MakeStore) -> None:
    store = make_store(own_vote=0)
    article = factories.article(store)
    assert article.votes == 0
    assert run(store, "HGET", "article:1", "base") == "-1"
    assert run(store, "SCARD", "voted:1") == 1
    assert run(store, "ZSCORE", "score:", "article:1") == pytest.approx(article.time, abs=1e-6)
    assert broken(store) == []


def test_ids_count_up_and_are_never_used_twice(store: Store) -> None:
    ids = [factories.article(store).id for _ in range(3)]
    with pytest.raises(NoSuchGroup):
        store.articles.post(factories.draft(groups=("nowhere",)), factories.user(store), "form-0001")
    assert ids == [1, 2, 3]
    assert factories.article(store).id == 5


def test_no_two_articles_have_one_time(store: Store) -> None:
    first = factories.article(store)
    # The clock is wound back: another article already stands at the next microseconds.
    ahead = first.time + 3600
    run(store, "HSET", "article:1", "time", f"{ahead:.6f}")
    times = {factories.article(store).time for _ in range(50)}
    assert len(times) == 50


def test_the_same_form_leads_to_the_same_article(store: Store) -> None:
    ann = factories.user(store)
    first = store.articles.post(factories.draft(), ann, "form-0001")
    before = snapshot(store)
    again = store.articles.post(factories.draft(title="another title"), ann, "form-0001")
    after = snapshot(store)
    assert again == first
    assert after | {"article:": None} == before | {"article:": None}  # an id was taken, a gap does no harm


def test_a_form_is_remembered_for_a_day(store: Store) -> None:
    ann = factories.user(store)
    store.articles.post(factories.draft(), ann, "form-0001")
    assert 86_390 <= run(store, "TTL", f"once:{ann.id}-form-0001") <= 86_400


def test_one_form_of_two_members_makes_two_articles(store: Store) -> None:
    made = [
        store.articles.post(factories.draft(link=f"https://{name}.example"), factories.user(store, name), "form-0001")
        for name in ("ann", "bob")
    ]
    assert made == [1, 2]


def test_posting_into_unknown_groups_names_them_and_leaves_nothing(store: Store) -> None:
    ann = factories.user(store)
    factories.group(store, "go")
    before = snapshot(store)
    with pytest.raises(NoSuchGroup) as refusal:
        store.articles.post(factories.draft(groups=("go", "nowhere", "编程")), ann, "form-0001")
    assert refusal.value.values["names"] == "nowhere, 编程"
    assert snapshot(store) == before | {"article:": ("string", "1", -1)}


def test_a_form_refused_for_its_groups_can_be_sent_again(store: Store) -> None:
    ann = factories.user(store)
    with pytest.raises(NoSuchGroup):
        store.articles.post(factories.draft(groups=("go",)), ann, "form-0001")
    assert store.articles.get(store.articles.post(factories.draft(), ann, "form-0001")).votes == 1


def test_posting_into_more_groups_than_allowed_is_refused(store: Store) -> None:
    names = tuple("abcdef")
    for name in names:
        factories.group(store, name)
    with pytest.raises(TooManyGroups, match="5 groups at most"):
        store.articles.post(factories.draft(groups=names), factories.user(store), "form-0001")


def test_a_group_named_twice_counts_once(store: Store) -> None:
    article = factories.article(store, groups=("go",) * 6)
    assert article.groups == ("go",)
    assert broken(store) == []


@pytest.mark.parametrize("id", [0, 1, 10**12])
def test_an_unknown_article_is_said_to_be_unknown(store: Store, id: int) -> None:
    with pytest.raises(NoSuchArticle):
        store.articles.get(id)
    with pytest.raises(NoSuchArticle):
        store.articles.set_groups(id, [], [])


def test_groups_are_added_and_removed_in_one_act(store: Store) -> None:
    article = factories.article(store, groups=("go", "java"))
    factories.group(store, "redis")
    assert store.articles.set_groups(article.id, ["redis"], ["java"]) == ("go", "redis")
    assert store.articles.get(article.id).groups == ("go", "redis")
    assert [ids(store, key) for key in ("score:go", "time:redis", "score:redis", "time:java")] == [[1], [1], [1], []]
    assert run(store, "EXISTS", "group:java", "time:java", "score:java") == 0
    assert broken(store) == []


def test_the_score_in_a_new_group_is_the_present_one(store: Store) -> None:
    article = factories.article(store)
    for each in factories.users(store, 3):
        store.votes.cast(article.id, each)
    factories.group(store, "go")
    store.articles.set_groups(article.id, ["go"], [])
    assert run(store, "ZSCORE", "score:go", "article:1") == pytest.approx(article.time + 4 * 432, abs=1e-6)


def test_setting_the_same_groups_twice_is_as_once(store: Store) -> None:
    article = factories.article(store, groups=("go", "java"))
    factories.group(store, "redis")
    store.articles.set_groups(article.id, ["redis", "go"], ["java", "java"])
    before = snapshot(store)
    assert store.articles.set_groups(article.id, ["redis", "go"], ["java", "java"]) == ("go", "redis")
    assert snapshot(store) == before


def test_a_group_to_add_and_to_remove_is_removed(store: Store) -> None:
    article = factories.article(store, groups=("go",))
    factories.group(store, "redis")
    assert store.articles.set_groups(article.id, ["go", "redis"], ["go", "redis"]) == ()
    assert broken(store) == []


def test_an_unknown_group_to_add_changes_nothing(store: Store) -> None:
    article = factories.article(store, groups=("go",))
    before = snapshot(store)
    with pytest.raises(NoSuchGroup, match="nowhere"):
        store.articles.set_groups(article.id, ["nowhere"], ["go"])
    assert snapshot(store) == before


def test_an_unknown_group_to_remove_does_no_harm(store: Store) -> None:
    article = factories.article(store, groups=("go",))
    before = snapshot(store)
    assert store.articles.set_groups(article.id, [], ["nowhere"]) == ("go",)
    assert snapshot(store) == before


def test_too_many_groups_change_nothing(store: Store) -> None:
    article = factories.article(store, groups=tuple("abcd"))
    for name in "ef":
        factories.group(store, name)
    before = snapshot(store)
    with pytest.raises(TooManyGroups):
        store.articles.set_groups(article.id, ["e", "f"], [])
    assert snapshot(store) == before


def test_a_full_article_can_change_one_group_for_another(store: Store) -> None:
    article = factories.article(store, groups=tuple("abcde"))
    factories.group(store, "f")
    assert store.articles.set_groups(article.id, ["f"], ["a"]) == ("b", "c", "d", "e", "f")


def test_an_article_in_more_groups_than_allowed_may_lose_some(make_store: MakeStore) -> None:
    article = factories.article(make_store(max_groups=5), groups=tuple("abcde"))
    store = make_store(max_groups=2)
    assert store.articles.set_groups(article.id, [], ["a"]) == ("b", "c", "d", "e")
    with pytest.raises(TooManyGroups):
        store.articles.set_groups(article.id, ["a"], [])
    assert broken(store) == []


def test_groups_change_after_voting_has_closed_and_move_no_score(store: Store) -> None:
    old = factories.imported(store, votes=7, groups=("go",))
    factories.group(store, "java")
    store.articles.set_groups(old.id, ["java"], ["go"])
    assert run(store, "ZSCORE", "score:java", "article:1") == pytest.approx(old.time + 7 * 432, abs=1e-6)
    assert broken(store) == []


def test_a_group_of_chinese_name_works_as_any(store: Store) -> None:
    factories.article(store, groups=("编程",))
    assert ids(store, "score:编程") == [1]
    assert broken(store) == []


def test_a_group_that_was_to_expire_is_kept_from_the_next_article_on(store: Store) -> None:
    first = factories.article(store, groups=("go",))
    for act in (
        lambda: factories.article(store, groups=("go",)),
        lambda: store.articles.set_groups(first.id, ["go"], []),
    ):
        for key in ("group:go", "time:go", "score:go"):
            run(store, "EXPIRE", key, 60)
        act()
        assert [run(store, "TTL", key) for key in ("group:go", "time:go", "score:go")] == [-1, -1, -1]
