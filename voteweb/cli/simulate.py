"""``voteweb simulate``: try other weights of the ranking without changing anything."""

from collections.abc import Iterator
from typing import Any

import click

from voteweb.cli.output import Fields, print_fields, print_rows
from voteweb.cli.site import Site, pluralize, with_site
from voteweb.core import clock
from voteweb.core.config import Settings, env_name
from voteweb.core.models import Article
from voteweb.core.ranking_trial import WEIGHTS, Stay, Trial, change_weights
from voteweb.store.articles.listings import try_weights

_RANGES = {name: click.IntRange(*bounds) for name, bounds in WEIGHTS.items()}


@click.command()
@click.option("--good-votes", type=_RANGES["good_votes"], metavar="N", help="VOTEWEB_GOOD_VOTES to try.")
@click.option("--lift-days", type=_RANGES["lift_days"], metavar="N", help="VOTEWEB_LIFT_DAYS to try; 0: no limit.")
@click.option(
    "--comment-good-votes", type=_RANGES["comment_good_votes"], metavar="N", help="VOTEWEB_COMMENT_GOOD_VOTES to try."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; times are in seconds.")
@with_site()
def simulate(
    site: Site, good_votes: int | None, lift_days: int | None, comment_good_votes: int | None, as_json: bool
) -> None:
    """Show the first page under other weights of the ranking.

    Nothing is written. It also shows how long articles and comments stay in front, and the votes that suit what
    articles got here in the last 30 days. To use other weights, set them and run "voteweb rescore
    --to-environment".
    """
    tried, now = change_weights(site.settings, good_votes, lift_days, comment_good_votes), clock.now()
    trial = try_weights(site.store.context, site.store.listings, tried, now)
    if as_json:
        print_fields(_as_json(site.settings, trial), as_json=True)
        return
    for name in WEIGHTS:
        click.echo(f"{env_name(name)}: {getattr(site.settings, name):,} today, {getattr(tried, name):,} tried")
    click.echo(f"A vote is worth {site.settings.vote_score:,.1f} s today, {tried.vote_score:,.1f} s tried.\n")
    print_rows([_row(*row, now) for row in _ranks(trial)], as_json=False)
    click.echo("\n".join(_results(trial)))


def _ranks(trial: Trial) -> Iterator[tuple[str, str, Article]]:
    """Yield each article of both pages with its rank among those tried and its rank of today."""
    for rank, row in enumerate(trial.rows, 1):
        yield str(rank), str(row.was) if row.was else "new", row.article
    left = {article.id for article in trial.left}
    for rank, article in enumerate(trial.today, 1):
        if article.id in left:
            yield "gone", str(rank), article


def _row(rank: str, was: str, article: Article, now: float) -> Fields:
    age = _span(max(now - article.time, 0))
    return {"rank": rank, "was": was, "votes": article.votes, "age": age, "title": article.title}


def _results(trial: Trial) -> Iterator[str]:
    if not trial.is_exact:
        yield f"An article older than the {trial.read:,} newest ones may belong to the page too."
    yield ""
    yield from _stays("An article of", "stays on the first page", trial.stays)
    yield from _stays("A comment of", "stays ahead of new ones", trial.comment_leads)
    yield ""
    yield f"From {pluralize(trial.articles, 'article')} of the last {_span(trial.span)}; those older than a day:"
    for k, votes in trial.reached:
        yield f"  1 in {k} has at least {pluralize(votes, 'vote')}"
    if trial.suggested is None:
        yield "There are too few articles to say which VOTEWEB_GOOD_VOTES suits them."
    else:
        yield f"VOTEWEB_GOOD_VOTES={trial.suggested} suits them: 1 in 20 articles is a good article."


def _stays(what: str, how: str, stays: tuple[Stay, ...]) -> Iterator[str]:
    for stay in stays:
        yield f"{what} {pluralize(stay.votes, 'vote')} {how}: {_span(stay.today)} today, {_span(stay.tried)} tried"


def _span(seconds: float) -> str:
    """Return *seconds* in days and hours, or in hours and minutes."""
    minutes = round(seconds / 60)
    days, hours = divmod(minutes // 60, 24)
    return f"{days:,} d {hours} h" if days else f"{hours} h {minutes % 60} min"


def _as_json(settings: Settings, trial: Trial) -> dict[str, Any]:
    return {
        "today": {name: getattr(settings, name) for name in (*WEIGHTS, "vote_score", "comment_vote_score")},
        "tried": {name: getattr(trial.tried, name) for name in (*WEIGHTS, "vote_score", "comment_vote_score")},
        "first_page": [
            {"rank": rank, "was": row.was or None, **_article(row.article)} for rank, row in enumerate(trial.rows, 1)
        ],
        "first_page_today": [{"rank": rank, **_article(article)} for rank, article in enumerate(trial.today, 1)],
        "is_exact": trial.is_exact,
        "articles": {"count": trial.articles, "span": trial.span},
        "stays": [_stay(stay) for stay in trial.stays],
        "comment_leads": [_stay(stay) for stay in trial.comment_leads],
        "votes_reached": [{"one_in": k, "votes": votes} for k, votes in trial.reached],
        "suggested_good_votes": trial.suggested,
    }


def _article(article: Article) -> dict[str, Any]:
    return {"id": article.id, "votes": article.votes, "time": article.time, "title": article.title}


def _stay(stay: Stay) -> dict[str, float]:
    return {"votes": stay.votes, "today": stay.today, "tried": stay.tried}
