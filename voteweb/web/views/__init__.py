"""The pages: modules by subject, each with its blueprint, and those of the nouns that it has besides."""

from flask import Blueprint, Flask
from werkzeug.routing import IntegerConverter

from voteweb.core.settings import Settings
from voteweb.web.views import (
    account,
    admin,
    articles,
    auth,
    bans,
    comments,
    errors,
    feeds,
    groups,
    lists,
    members,
    moderation,
    moderation_log,
    my_site,
    programs,
    queue,
    search,
    site_files,
    sorting,
    status,
    submission,
    voters,
    votes,
)

_MODULES = (
    articles, lists, submission, votes, groups, feeds, site_files, my_site, search, comments,
    queue, moderation, sorting, moderation_log, members, bans, voters, account, programs, auth, admin, status,
)  # fmt: skip
#: The blueprints that a site without conversations lacks, and one without mail.
_OF_COMMENTS, _OF_MAIL = ("comments", "comment_votes", "comment_feeds", "comment_moderation"), ("mail",)


class Number(IntegerConverter):
    """A number in an address: nothing has the number 0, and the digits of other scripts would be further addresses."""

    regex = "0*[1-9][0-9]*"


def init_app(app: Flask, settings: Settings) -> None:
    app.url_map.converters["int"] = Number
    lacks = (() if settings.comments else _OF_COMMENTS) + (() if settings.mail_url else _OF_MAIL)
    values = (value for module in _MODULES for value in vars(module).values())
    for name, blueprint in {value.name: value for value in values if isinstance(value, Blueprint)}.items():
        if name not in lacks:
            app.register_blueprint(blueprint)
    errors.init_app(app)
