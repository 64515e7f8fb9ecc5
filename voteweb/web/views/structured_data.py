"""Structured data of an article with comments, for search engines: a DiscussionForumPosting of schema.org."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from voteweb.core import config, links, markup
from voteweb.core.models import Article
from voteweb.core.validation import is_member_name
from voteweb.web.caching.comment_rows import ShownComment
from voteweb.web.i18n.formatting import display_name, iso
from voteweb.web.urls import absolute, comment_path


def discussion(article: Article, comments: Iterable[ShownComment]) -> dict[str, Any]:
    """Describe *article* and the first MAX_DESCRIBED_COMMENTS of the *comments* that its page shows."""
    data = {
        "@context": "https://schema.org",
        "@type": "DiscussionForumPosting",
        "url": absolute(f"/a/{article.id}"),
        "headline": article.title,
        "text": _plain(markup.render(article.text).striptags()) or article.title,
        "author": _person(article.poster),
        "datePublished": iso(article.time),
        "commentCount": article.comments,
        "interactionStatistic": [_count("LikeAction", article.votes), _count("CommentAction", article.comments)],
        "comment": _nested(article, comments),
    }
    if article.edited:
        data["dateModified"] = iso(article.edited)
    if link := links.web_address(article.link):
        data["sharedContent"] = {"@type": "WebPage", "url": link}
    return data


def _nested(article: Article, comments: Iterable[ShownComment]) -> list[dict[str, Any]]:
    """Return the described comments, each inside the one that it answers if that is described too."""
    described: dict[int, dict[str, Any]] = {}
    top: list[dict[str, Any]] = []
    for comment in comments:
        node = comment.row.node
        if comment.text is None or len(described) == config.MAX_DESCRIBED_COMMENTS:
            continue
        described[node.number] = {
            "@type": "Comment",
            "url": absolute(comment_path(article.id, node.number)),
            "text": _plain(comment.text.striptags()),
            "author": _person(node.author),
            "datePublished": iso(node.time),
            "interactionStatistic": _count("LikeAction", node.votes),
        }
        siblings = described[node.parent].setdefault("comment", []) if node.parent in described else top
        siblings.append(described[node.number])
    return top


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
