"""The pages: one blueprint per noun."""

from flask import Flask

from voteweb.views import (
    account,
    accounts,
    articles,
    editing,
    errors,
    groups,
    invitations,
    log,
    moderation,
    status,
    users,
    votes,
)


def init_app(app: Flask) -> None:
    """Give *app* all its pages."""
    for module in (articles, editing, votes, groups, accounts, account, invitations, users, moderation, log, status):
        app.register_blueprint(module.blueprint)
    errors.init_app(app)
