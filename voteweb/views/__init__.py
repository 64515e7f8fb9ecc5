"""The pages: one blueprint per noun."""

from flask import Flask

from voteweb.views import (
    account,
    accounts,
    articles,
    editing,
    errors,
    feeds,
    found,
    groups,
    invitations,
    languages,
    log,
    moderation,
    status,
    users,
    votes,
)

_MODULES = (
    articles, editing, votes, groups, accounts, account, invitations, users, moderation, log, status, feeds, found,
    languages,
)  # fmt: skip


def init_app(app: Flask) -> None:
    """Give *app* all its pages."""
    for module in _MODULES:
        app.register_blueprint(module.blueprint)
    errors.init_app(app)
