"""The functions and filters of templates."""

from collections.abc import Iterable, MutableMapping
from itertools import groupby
from operator import attrgetter
from typing import Any
from urllib.parse import quote

from flask import Flask, g
from flask.templating import Environment
from jinja2.runtime import Macro
from werkzeug.local import LocalProxy

from voteweb.core import config, links, markup, permissions, ranking, validation
from voteweb.core.branding import Brand
from voteweb.core.errors import N_
from voteweb.core.models import LogEntry, Role
from voteweb.search import snippets
from voteweb.web.auth.authentication import log_in_error
from voteweb.web.auth.csrf import csrf_token
from voteweb.web.auth.login import viewer, viewer_read
from voteweb.web.base import urls
from voteweb.web.base.context import now, settings
from voteweb.web.base.template_compiler import TemplateCompiler, escape_output
from voteweb.web.caching import flashes, fragment_cache, front_titles, own_marks, own_parts
from voteweb.web.caching.posters import named
from voteweb.web.caching.text_cache import article_text, page_texts
from voteweb.web.i18n import formatting
from voteweb.web.pages import branding
from voteweb.web.pages.acts import seen_in_form
from voteweb.web.pages.forms import AnswerForm, CommentForm, ReportForm

#: The templates whose macros all others call, each before those that it is called by.
MACROS = (
    "_parts.html",
    "_forms.html",
    "articles/_parts.html",
    "comments/_parts.html",
    "moderation/_parts.html",
    "admin/_domain_rules.html",
    "moderation_log/_entry.html",
    "my_site/_parts.html",
)


class TemplateEnvironment(Environment):
    """The environment of templates; all globals must be set before the first template is loaded.

    Jinja expects that globals are added later: it looks them up in two places and copies them for each page, which
    takes a tenth of a page's time.
    """

    code_generator_class = TemplateCompiler
    escape_output = staticmethod(escape_output)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals of one template: those of all templates, and *d*."""
        return {**self.globals, **(d or {})}


def init_app(app: Flask) -> None:
    brand: Brand = app.extensions["voteweb.brand"]
    texts = {
        name: value
        for name, value in vars(formatting).items()
        if getattr(value, "__module__", "") == formatting.__name__
    }
    app.jinja_env.filters.update(
        texts,
        datetime=formatting.time_element,
        datetime_text=formatting.format_datetime,
        domain=links.domain,
        readable_domain=links.readable_domain,
        markdown=article_text,
        number=formatting.format_number,
        operator_markdown=markup.render_operator_page,
        path=lambda name: quote(name, safe="/+"),
        runs_of_sorting=runs_of_sorting,
    )
    app.jinja_env.globals.update(
        texts,
        N_=N_,
        absolute=urls.absolute,
        account_changes=formatting.ACCOUNT_CHANGES,
        article_rows=lambda *arguments: markup.join(fragment_cache.article_rows(*arguments)),
        articles_with_rows=fragment_cache.articles_with_rows,
        cached=fragment_cache.cached,
        age=lambda time: formatting.round_age(now() - time),
        app_icon=branding.main_icon(brand),
        article_target=urls.article_target,
        brand=brand,
        canonical=urls.canonical,
        closing_time=lambda article, thread: permissions.closing_time(article, thread, settings()),
        comment_form=lambda: CommentForm(formdata=None, meta={"csrf": False}),
        comment_path=urls.comment_path,
        constants=config,
        csrf_field=own_parts.token_field,
        current_path=urls.current_path,
        lift_of=lambda votes: ranking.lift(votes, settings()),
        explain_score=lambda article: ranking.explain(article, settings()),
        form_token=csrf_token,
        titles_beside=front_titles.beside,
        has_search=app.extensions["voteweb.search"] is not None,
        is_good=lambda article: permissions.is_good(article, settings()),
        is_member_name=validation.is_member_name,
        log_in_error=log_in_error,
        log_actions=formatting.LOG_ACTIONS,
        period_names=formatting.PERIOD_NAMES,
        period_titles=formatting.PERIOD_TITLES,
        right_names=formatting.RIGHT_NAMES,
        named=named,
        new_answer_form=lambda: AnswerForm(formdata=None, meta={"csrf": False}),
        own_account=own_parts.account,
        own_messages=own_parts.messages,
        own_notice=own_parts.notice,
        own_part=own_parts.own,
        my_site=own_marks.choice,
        may_edit_comment=lambda node: permissions.may_edit_comment(viewer(), node, now(), settings()),
        now=now,
        page_texts=page_texts,
        permissions=permissions,
        refused_form=lambda: g.get("refused_form"),
        report_form=lambda: ReportForm(formdata=None, meta={"csrf": False}),
        Role=Role,
        has_touch_icon=not brand.icons or branding.png_icon(brand) is not None,
        row_flash=flashes.pop_row_flash,
        role_names=formatting.ROLE_NAMES,
        # A form that was refused still says what its sender had seen.
        seen=lambda: viewer_read().logged if seen_in_form() is None else seen_in_form(),
        settings=LocalProxy(settings),
        share_image=lambda: branding.share_address(brand),
        signup_names=formatting.SIGNUP_NAMES,
        snippet_of=snippets.mark_snippet,
        static=urls.static,
        text_names=formatting.TEXT_NAMES,
        title_of=snippets.mark_title,
        voting_state=lambda article: permissions.voting_state(viewer(), article, now(), settings()),
    )
    app.context_processor(lambda: {"viewer": viewer(), "unread": viewer_read().unread.count})
    for file in MACROS:  # after all other globals
        module = vars(app.jinja_env.get_template(file).module)
        app.jinja_env.globals.update({name: macro for name, macro in module.items() if isinstance(macro, Macro)})


def runs_of_sorting(entries: Iterable[LogEntry]) -> list[tuple[LogEntry, ...]]:
    """Return *entries* of the log, each alone but for those that follow one another by which one moderator sorted."""
    runs = groupby(entries, attrgetter("run"))
    return [tuple(run) for _, run in runs]
