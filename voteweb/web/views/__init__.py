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
    best,
    comment_feeds,
    comment_lists,
    comment_moderation,
    comment_page,
    comments,
    domain,
    domain_rules,
    errors,
    feeds,
    groups,
    held_articles,
    hidden,
    inbox,
    invitations,
    language,
    mail,
    members,
    moderation,
    moderation_log,
    my_groups,
    notes,
    ranking_trial,
    recovery,
    saved,
    search,
    site_files,
    sitemap,
    sorting,
    statistics,
    status,
    submission,
    users,
    votes,
)

_MODULES = (
    articles, submission, votes, groups, auth, account, invitations, users, admissions, moderation, moderation_log,
    status, feeds, sitemap, site_files, language,
    answers, inbox, best, sorting, bans, notes, recovery, members, my_groups, hidden, saved,
    domain, domain_rules, held_articles, search,
    statistics, ranking_trial, admin, admin_switches,
)  # fmt: skip
#: The pages of conversations, which a site without them does not have.
_CONVERSATIONS = (
    comment_page, comments, comment_lists, comment_feeds, comment_moderation,
)  # fmt: skip


class Number(IntegerConverter):
    """A number in an address: nothing has the number 0, and the digits of other scripts would be further addresses."""

    regex = "0*[1-9][0-9]*"


def init_app(app: Flask, settings: Settings) -> None:
    """Register all pages of *app*."""
    app.url_map.converters["int"] = Number
    for module in _MODULES + (_CONVERSATIONS if settings.comments else ()):
        app.register_blueprint(module.blueprint)
    if settings.comments:
        app.register_blueprint(votes.comment_blueprint)
    if settings.mail_url:
        app.register_blueprint(mail.blueprint)
    errors.init_app(app)
