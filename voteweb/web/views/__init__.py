"""The pages: one blueprint per noun, whose views render the templates in the folder of the same name."""

from flask import Flask
from werkzeug.routing import IntegerConverter

from voteweb.core.config import Settings
from voteweb.web.views import (
    account,
    admin,
    admin_switches,
    admissions,
    answers,
    articles,
    auth,
    bans,
    comment_moderation,
    comments,
    domain_rules,
    errors,
    feeds,
    groups,
    held_articles,
    invitations,
    language,
    lists,
    mail,
    members,
    moderation,
    moderation_log,
    my_site,
    notes,
    ranking_trial,
    recovery,
    search,
    site_files,
    sorting,
    statistics,
    status,
    submission,
    users,
    votes,
)

_MODULES = (
    articles, lists, submission, votes, groups, auth, account, invitations, users, admissions, moderation,
    moderation_log, status, feeds, site_files, language, answers, my_site, sorting, bans, notes, recovery, members,
    domain_rules, held_articles, search, statistics, ranking_trial, admin, admin_switches,
)  # fmt: skip


class Number(IntegerConverter):
    """A number in an address: nothing has the number 0, and the digits of other scripts would be further addresses."""

    regex = "0*[1-9][0-9]*"


def init_app(app: Flask, settings: Settings) -> None:
    """Register all pages of *app*."""
    app.url_map.converters["int"] = Number
    for module in _MODULES:
        app.register_blueprint(module.blueprint)
    if settings.comments:
        for blueprint in (
            comments.blueprint, votes.comment_blueprint, feeds.comment_blueprint, comment_moderation.blueprint,
        ):  # fmt: skip
            app.register_blueprint(blueprint)
    if settings.mail_url:
        app.register_blueprint(mail.blueprint)
    errors.init_app(app)
