"""Failures: each has words without a hole, a status and a code of its own."""

import pytest

from voteweb.core import errors
from voteweb.core.errors import VotewebError


def kinds(of: type[VotewebError] = VotewebError) -> list[type[VotewebError]]:
    return [kind for sub in of.__subclasses__() for kind in (sub, *kinds(sub))]


VALUES = {"names": "python", "name": "ann", "most": 5, "when": 1_456_789_012.5, "reason": "spam, twice."}


@pytest.mark.parametrize("kind", [kind for kind in kinds() if kind.template], ids=lambda kind: kind.__name__)
def test_the_words_of_a_failure_are_a_sentence(kind: type[VotewebError]) -> None:
    words = str(kind(**VALUES))
    assert words[0].isupper()
    assert words.endswith(".")
    assert "%" not in words


def test_every_failure_has_a_code_of_its_own() -> None:
    codes = [kind.code for kind in kinds()]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize(
    ("failure", "status", "says"),
    [
        (errors.NoSuchArticle(), 404, "There is no such article."),
        (errors.NoSuchGroup(names="go, lua"), 404, "There is no group named go, lua."),
        (errors.NoSuchMember(name="bob"), 404, "There is no member named bob."),
        (errors.NoSuchPage(), 404, "This list has no such page."),
        (errors.AlreadyVoted(votes=3), 409, "You have already voted for this article."),
        (errors.NotVoted(votes=3), 409, "You have not voted for this article."),
        (errors.OwnVote(votes=3), 409, "You posted this article: your own vote stays."),
        (errors.VotingClosed(when=1_456_789_012.9), 410, "Voting closed on 2016-02-29 23:36 UTC."),
        (errors.TooManyGroups(max=5), 409, "An article can be in 5 groups at most."),
        (errors.GroupExists(name="go"), 409, "There is already a group named go."),
        (errors.NameTaken(name="ann"), 409, "The name ann is taken."),
        (errors.ArticleGone(), 410, "This article is no longer here."),
        (errors.NotYours(), 403, "Only its poster and moderators can do this."),
        (errors.Duplicate(id=7), 409, "This link was posted already."),
        (errors.Banned(reason="spam"), 403, "This account is banned: spam"),
        (errors.Invalid("A text of %(max)s.", max=9), 400, "A text of 9."),
        (errors.ConfigError("%(name)s is wrong.", name="X"), 500, "X is wrong."),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, VotewebError) else "",
)
def test_a_failure_says_what_happened(failure: VotewebError, status: int, says: str) -> None:
    assert (failure.status, str(failure)) == (status, says)


def test_a_value_with_a_percent_sign_stands_as_typed() -> None:
    assert str(errors.NoSuchGroup(names="100%(x)s")) == "There is no group named 100%(x)s."


def test_unavailable_says_when_to_come_back() -> None:
    assert errors.Unavailable.status == 503
    assert errors.Unavailable.retry_after > 0
