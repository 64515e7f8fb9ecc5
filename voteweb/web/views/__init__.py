"""The pages: one blueprint per noun, whose views render the templates in the folder of the same name."""

from flask import Flask

from voteweb.web.views import (
    account,
    admissions,
    articles,
    auth,
    comment_lists,
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
    sitemap, language, comment_lists, inbox,
)  # fmt: skip


def init_app(app: Flask) -> None:
    """Register all pages of *app*."""
    for module in _MODULES:
        app.register_blueprint(module.blueprint)
    errors.init_app(app)
