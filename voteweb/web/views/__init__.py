"""The pages: modules by subject, each with its blueprint, and those of the nouns that it has besides."""

from flask import Flask
from werkzeug.routing import IntegerConverter

from voteweb.core.settings import Settings
from voteweb.web.views import (
    account,
    admin,
    articles,
    auth,
    comments,
    errors,
    feeds,
    groups,
    lists,
    members,
    meta,
    moderation,
    moderation_log,
    my_site,
    queue,
    search,
    site_files,
    sorting,
    submission,
    voters,
    votes,
)

_MODULES = (
    articles, lists, submission, votes, groups, feeds, site_files, my_site, search,
    queue, moderation, sorting, moderation_log, members, voters, account, auth, admin, meta,
)  # fmt: skip
#: More pages of some modules: those whose address begins with another noun.
_MORE = (
    moderation.answers, moderation.held_articles, members.users, members.notes, members.bans, queue.admissions,
    account.invitations, auth.recovery, admin.switches, admin.ranking_trial, admin.domain_rules,
    meta.statistics, meta.language,
)  # fmt: skip


class Number(IntegerConverter):
    """A number in an address: nothing has the number 0, and the digits of other scripts would be further addresses."""

    regex = "0*[1-9][0-9]*"


def init_app(app: Flask, settings: Settings) -> None:
    app.url_map.converters["int"] = Number
    for module in _MODULES:
        app.register_blueprint(module.blueprint)
    for blueprint in _MORE:
        app.register_blueprint(blueprint)
    if settings.comments:
        for blueprint in (
            comments.blueprint, votes.comment_blueprint, feeds.comment_blueprint, moderation.comment_moderation,
        ):  # fmt: skip
            app.register_blueprint(blueprint)
    if settings.mail_url:
        app.register_blueprint(auth.mail)
    errors.init_app(app)
