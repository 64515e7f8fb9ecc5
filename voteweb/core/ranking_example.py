"""Two articles of a ranking that show how votes and time compete."""

from collections.abc import Sequence
from itertools import pairwise

from voteweb.core.models import Article


def choose_example(articles: Sequence[Article]) -> tuple[Article, Article] | None:
    """Return two neighbours of a ranking by score, the higher one first; None for fewer than two articles.

    That is the first newer article above one with more votes; without such a pair an older one above one with fewer
    votes, else the first two.
    """
    pairs = list(pairwise(articles))
    newer = (pair for pair in pairs if pair[0].time > pair[1].time and pair[0].votes < pair[1].votes)
    older = (pair for pair in pairs if pair[0].time < pair[1].time and pair[0].votes > pair[1].votes)
    return next(newer, None) or next(older, None) or next(iter(pairs), None)
