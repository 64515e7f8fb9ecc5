"""The pages: one blueprint per noun, whose views render the templates in the folder of the same name."""

from flask import Flask

from voteweb.core.config import Settings
from voteweb.web.views import (
    account,
    admissions,
    articles,
    auth,
    comment_feeds,
    comment_lists,
    comment_moderation,
    comment_page,
    comment_votes,
    comments,
    errors,
    feeds,
    groups,
    inbox,
    invitations,
    language,
    moderation,
    moderation_log,
    sitemap,
    status,
    users,
    votes,
)

_MODULES = (
    articles, votes, groups, auth, account, invitations, users, admissions, moderation, moderation_log, status, feeds,
    sitemap, language,
)  # fmt: skip
#: The pages of conversations, which a site without them does not have.
_CONVERSATIONS = (
    comment_page, comments, comment_votes, comment_lists, comment_feeds, comment_moderation, inbox,
)  # fmt: skip


def init_app(app: Flask, settings: Settings) -> None:
    """Register all pages of *app*."""
    for module in _MODULES + (_CONVERSATIONS if settings.comments else ()):
        app.register_blueprint(module.blueprint)
    errors.init_app(app)
