"""What a member did: this week's votes, and everything the site holds of one person."""

import time
from typing import Any

from voteweb.config import Settings
from voteweb.i18n import iso
from voteweb.models import Article, User
from voteweb.store import Store
from voteweb.store.listings import Ranking, gone_of_member, of_member
from voteweb.store.votes import marked


def recent_votes(store: Store, settings: Settings, member: User) -> list[Article]:
    """Return the articles still open for votes that *member* voted for, newest first, the own ones left out.

    Nowhere is it written who voted for what but in the articles' own voters, so these are asked in batches.
    """
    found: list[Article] = []
    for ids in store.listings.since(time.time() - settings.voting_seconds):
        trip = store.trip()
        own = store.votes.ask_own(trip, ids, member.id)
        trip.go()
        trip = store.trip()
        voted = store.listings.ask_rows(trip, [id for id, is_own in own.value.items() if is_own])
        trip.go()
        others = [each for each in voted.value if each.poster.lower() != member.name.lower()]
        found += marked(others, own.value)
    return found


def everything(store: Store, settings: Settings, member: User) -> dict[str, Any]:
    """Return what the site holds of *member*: account, articles, reports, invitations, votes still known."""
    trip = store.trip()
    invitations = store.joining.ask_made_by(trip, member.name)
    trip.go()
    return {
        "account": {
            "name": member.name,
            "role": member.role,
            "since": iso(member.since),
            "invited by": member.invited_by or None,
        },
        "articles": [
            *_articles(store, of_member(member.name)),
            *_articles(store, gone_of_member(member.name)),
        ],
        "reports": [
            {"article": id, "reason": report.reason, "note": report.note, "time": iso(report.time)}
            for id, report in store.reports.made_by(member).items()
        ],
        "invitations": [
            {"until": iso(each.until), "used by": each.used or None, "withdrawn": each.revoked}
            for each in invitations.value
        ],
        "votes": [
            {"article": each.id, "title": each.title, "link": each.link}
            for each in recent_votes(store, settings, member)
        ],
    }


def _articles(store: Store, ranking: Ranking) -> list[dict[str, Any]]:
    found = []
    for id in store.listings.ids(ranking):
        trip = store.trip()
        asked = store.articles.ask(trip, id)
        trip.go()
        article = asked.value
        if article is not None:
            found.append(
                {
                    "id": id,
                    "title": article.title,
                    "link": article.link,
                    "text": article.text,
                    "time": iso(article.time),
                    "votes": article.votes,
                    "groups": list(article.groups),
                    "edited": iso(article.edited) if article.edited else None,
                    "gone": article.gone or None,
                    "reason": article.reason or None,
                }
            )
    return found
