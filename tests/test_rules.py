"""Who may do what."""

import pytest

from voteweb import rules
from voteweb.config import Settings
from voteweb.models import Article, Role, User


def someone(role: Role = Role.MEMBER, name: str = "ann") -> User:
    return User(id=1, name=name, password="", role=role, since=0.0, session="")


ARTICLE = Article(id=1, title="t", link="", text="", poster="Ann", time=1_000_000.0, votes=199)


@pytest.mark.parametrize(
    ("who", "moderates", "posts"),
    [
        (None, False, False),
        (someone(), False, True),
        (someone(Role.MODERATOR), True, True),
        (someone(Role.ADMIN), True, True),
    ],
)
def test_members_post_and_moderators_sort(who: User | None, moderates: bool, posts: bool) -> None:
    assert rules.may_moderate(who) is moderates
    assert rules.may_post(who) is posts


@pytest.mark.parametrize(("signup", "may"), [("open", True), ("closed", False)])
def test_people_may_join_an_open_site_only(signup: str, may: bool) -> None:
    assert rules.may_join(Settings(signup=signup)) is may


@pytest.mark.parametrize(
    ("who", "is_poster"), [(None, False), (someone(name="aNN"), True), (someone(name="bob"), False)]
)
def test_the_poster_is_known_whatever_the_case_of_the_name(who: User | None, is_poster: bool) -> None:
    assert rules.is_poster(who, ARTICLE) is is_poster


@pytest.mark.parametrize(("now", "is_open"), [(1_000_000, True), (1_604_799.999, True), (1_604_800, False)])
def test_voting_is_open_for_a_week_and_not_a_moment_longer(now: float, is_open: bool) -> None:
    assert rules.voting_open(ARTICLE, now, Settings()) is is_open


@pytest.mark.parametrize(("needed", "good"), [(199, True), (200, False)])
def test_an_article_is_good_from_so_many_votes_on(needed: int, good: bool) -> None:
    assert rules.is_good(ARTICLE, Settings(good_votes=needed)) is good
