"""The pages: one blueprint per noun."""

from flask import Flask

from voteweb.views import accounts, articles, errors, groups, moderation, status, users, votes


def init_app(app: Flask) -> None:
    """Give *app* all its pages."""
    for module in (articles, votes, groups, accounts, users, moderation, status):
        app.register_blueprint(module.blueprint)
    errors.init_app(app)
