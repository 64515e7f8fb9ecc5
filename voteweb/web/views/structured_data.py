"""Structured data of an article with comments, for search engines: a DiscussionForumPosting of schema.org."""

from typing import Any
from urllib.parse import quote

from voteweb.core import config, links, markup
from voteweb.core.models import Article
from voteweb.core.validation import is_member_name
from voteweb.web.caching.text_cache import article_text
from voteweb.web.i18n.formatting import display_name, iso
from voteweb.web.urls import absolute


def discussion(article: Article) -> dict[str, Any]:
    """Describe *article*; its comments are in the page."""
    data = {
        "@context": "https://schema.org",
        "@type": "DiscussionForumPosting",
        "url": absolute(f"/a/{article.id}"),
        "headline": article.title,
        "text": _plain(markup.trusted(article_text(article.text).__html__()).striptags()) or article.title,
        "author": _person(article.poster),
        "datePublished": iso(article.time),
        "commentCount": article.comments,
        "interactionStatistic": [_count("LikeAction", article.votes), _count("CommentAction", article.comments)],
    }
    if article.edited:
        data["dateModified"] = iso(article.edited)
    if link := links.web_address(article.link):
        data["sharedContent"] = {"@type": "WebPage", "url": link}
    return data


def _plain(text: str) -> str:
    """Return the beginning of *text*: the page has the whole."""
    length = config.DESCRIBED_TEXT_LENGTH
    return text if len(text) <= length else f"{text[:length].rstrip()}…"


def _person(name: str) -> dict[str, str]:
    person = {"@type": "Person", "name": display_name(name)}
    return person | {"url": absolute(f"/u/{quote(name)}")} if is_member_name(name) else person


def _count(action: str, count: int) -> dict[str, Any]:
    return {
        "@type": "InteractionCounter",
        "interactionType": f"https://schema.org/{action}",
        "userInteractionCount": count,
    }
