"""The example on /about: two neighbours of the front page that show how votes and time compete."""

import pytest

from voteweb.core.models import Article
from voteweb.core.ranking import choose_example


@pytest.mark.parametrize(
    ("ranking", "chosen"),
    [
        ([], None),
        ([(9, 1)], None),
        ([(9, 5), (8, 5)], (0, 1)),
        ([(9, 40), (5, 30), (6, 2), (7, 1)], (1, 2)),
        ([(5, 30), (6, 2), (7, 1), (6, 2)], (2, 3)),
    ],
)
def test_example_prefers_a_newer_article_above_one_with_more_votes(
    ranking: list[tuple[float, int]], chosen: tuple[int, int] | None
) -> None:
    """Each article is its time and its votes; an example is their two places."""
    articles = [Article(i, "t", "", "", "ann", time, votes) for i, (time, votes) in enumerate(ranking)]
    example = choose_example(articles)
    assert (example and (example[0].id, example[1].id)) == chosen
