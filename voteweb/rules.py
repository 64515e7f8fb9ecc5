"""Who may do what: one predicate each, asked by views and templates alike."""

from voteweb.config import Settings
from voteweb.models import Article, Role, User
from voteweb.ranking import closes


def may_moderate(user: User | None) -> bool:
    """Tell whether *user* may sort articles into groups and make groups."""
    return user is not None and user.role in (Role.MODERATOR, Role.ADMIN)


def may_post(user: User | None) -> bool:
    """Tell whether *user* may post articles."""
    return user is not None


def may_join(settings: Settings) -> bool:
    """Tell whether anybody may make an account."""
    return settings.signup == "open"


def is_poster(user: User | None, article: Article) -> bool:
    """Tell whether *user* posted *article*; names are the same whatever their case."""
    return user is not None and user.name.lower() == article.poster.lower()


def voting_open(article: Article, now: float, settings: Settings) -> bool:
    """Tell whether votes on *article* are taken at unix time *now*."""
    return now < closes(article.time, settings.voting_seconds)


def is_good(article: Article, settings: Settings) -> bool:
    """Tell whether *article* has the votes of a good article."""
    return article.votes >= settings.good_votes
