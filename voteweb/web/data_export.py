"""Data export: a member's recent votes, and everything that the site stores about one member."""

import time
from typing import Any

from voteweb.core.config import Settings
from voteweb.core.models import Article, User
from voteweb.store import Store
from voteweb.store.rankings import Ranking
from voteweb.store.votes import mark_voted
from voteweb.web.i18n.formatting import iso


def recent_votes(store: Store, settings: Settings, member: User) -> list[Article]:
    """Return the articles still open for votes that *member* voted for, newest first, without their own.

    Who voted for what is stored only with each article, so the articles of the voting time are read in batches.
    """
    articles: list[Article] = []
    for ids in store.listings.since(time.time() - settings.voting_seconds):
        pipeline = store.pipeline()
        own_votes = store.votes.queue_own_votes(pipeline, ids, member.id)
        pipeline.execute()
        rows = store.listings.queue_rows(pipeline, [id for id, has_voted in own_votes.result.items() if has_voted])
        pipeline.execute()
        others = [row for row in rows.result if row.poster.lower() != member.name.lower()]
        articles += mark_voted(others, own_votes.result)
    return articles


def export_member(store: Store, settings: Settings, member: User) -> dict[str, Any]:
    """Return what the site stores about *member*: account, articles, reports, invitations, votes still known."""
    pipeline = store.pipeline()
    invitations = store.invitations.queue_made_by(pipeline, member.name)
    pipeline.execute()
    return {
        "account": {
            "name": member.name,
            "role": member.role,
            "since": iso(member.since),
            "invited by": member.invited_by or None,
        },
        "articles": [
            *_articles(store, store.rankings.member(member.name)),
            *_articles(store, store.rankings.member_gone(member.name)),
        ],
        "reports": [
            {"article": id, "reason": report.reason, "note": report.note, "time": iso(report.time)}
            for id, report in store.reports.made_by(member).items()
        ],
        "invitations": [
            {
                "until": iso(invitation.until),
                "used by": invitation.used or None,
                "withdrawn": invitation.revoked,
            }
            for invitation in invitations.result
        ],
        "votes": [
            {"article": article.id, "title": article.title, "link": article.link}
            for article in recent_votes(store, settings, member)
        ],
    }


def _articles(store: Store, ranking: Ranking) -> list[dict[str, Any]]:
    exported = []
    for id in store.listings.ids(ranking):
        pipeline = store.pipeline()
        article = store.articles.queue_get(pipeline, id)
        pipeline.execute()
        if article.result is not None:
            exported.append(_article(article.result))
    return exported


def _article(article: Article) -> dict[str, Any]:
    return {
        "id": article.id,
        "title": article.title,
        "link": article.link,
        "text": article.text,
        "time": iso(article.time),
        "votes": article.votes,
        "groups": list(article.groups),
        "edited": iso(article.edited) if article.edited else None,
        "gone": article.status or None,
        "reason": article.reason or None,
    }
