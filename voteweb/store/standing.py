"""Where an article stands: the rankings that hold it, worked out from the article alone."""

from voteweb.config import Settings
from voteweb.models import Article
from voteweb.ranking import score
from voteweb.store import keys


def of_site(settings: Settings, article: Article) -> dict[str, float]:
    """Return the rankings of the site and of its groups that hold *article*, each with its number there."""
    if article.gone:
        return {}
    points = score(article.time, article.votes, settings.vote_score)
    found = {keys.by_time(): article.time, keys.by_score(): points}
    if article.votes >= settings.good_votes:
        found[keys.good()] = article.time
    for name in article.groups:
        found |= {keys.group_by_time(name): article.time, keys.group_by_score(name): points}
    return found


def of_owner(article: Article) -> str:
    """Return the list of its poster that holds *article* by its time, if the poster is a member."""
    return keys.gone(article.poster) if article.gone else keys.posted(article.poster)
