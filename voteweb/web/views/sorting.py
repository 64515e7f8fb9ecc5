"""Sorting: the articles without a group, newest first, with the groups as buttons and one form for the whole page."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from flask import Blueprint, flash, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError

from voteweb.core import config
from voteweb.core.errors import ArticleGone, Invalid, NoSuchArticle, NoSuchGroup, TooManyGroups
from voteweb.core.likely_groups import likely_groups
from voteweb.core.models import Article, LogAction, Order, Page, User
from voteweb.store.articles.listings import UnsortedArticles
from voteweb.store.connection.pipeline import Future
from voteweb.web.auth.csrf import refusals_shown_by_form
from voteweb.web.auth.login import login_required, queue_viewer, require_moderator
from voteweb.web.base.context import settings, store
from voteweb.web.base.responses import wants_json
from voteweb.web.base.urls import current_path, page_number, unix_time
from voteweb.web.i18n.formatting import article_count, error_message, join_names
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages.acts import article_entry
from voteweb.web.pages.forms import Form
from voteweb.web.pages.pagination import check_page_exists
from voteweb.web.requests import rate_limits
from voteweb.web.views.groups import parse_choice

blueprint = Blueprint("sorting", __name__)
_ID = re.compile(r"[1-9][0-9]{0,18}")


class SortForm(Form):
    """The groups of the articles on a page; the names of the fields end in the id of their article."""


#: What the form sends in place of a group if none fits; no group can have this name.
NO_GROUP = "!"


@dataclass(frozen=True, slots=True)
class Choice:
    """The groups chosen for an article, ``pressed`` or ``typed``, in place of those ``shown``; ``error``: why not.

    ``pressed`` and ``shown`` have NO_GROUP for an article that no group fits.
    """

    pressed: tuple[str, ...] = ()
    typed: str = ""
    shown: tuple[str, ...] = ()
    error: str = ""

    @property
    def changes(self) -> tuple[list[str], list[str]]:
        """The groups to add and those to remove; raises Invalid, TooManyGroups."""
        pressed, shown_names = ([name for name in names if name != NO_GROUP] for names in (self.pressed, self.shown))
        names, shown = parse_choice(self.typed, pressed, shown_names)
        return [name for name in names if name not in shown], [name for name in shown if name not in names]

    @property
    def no_group(self) -> bool | None:
        """Whether no group fits, if that was changed."""
        fits_none = NO_GROUP in self.pressed
        return fits_none if fits_none != (NO_GROUP in self.shown) else None


@blueprint.route("/sort", methods=["GET", "POST"])
@login_required
@refusals_shown_by_form
def index() -> ResponseReturnValue:
    """Show the articles without a group, or with ``of=all`` all articles, and save the groups of those on a page.

    Each article is a change of its own: those that cannot be saved are shown again as they were chosen.
    """
    form = SortForm()
    if not form.is_submitted():
        return _render(form, {})
    user, choices = require_moderator(store().read(queue_viewer)), _sent_choices()
    if not form.validate():
        if wants_json():
            raise rate_limits.exceeded() or CSRFError()
        return _render(form, choices)
    saved, failed = _save(choices, user)
    if wants_json():
        return jsonify(
            saved={id: {"groups": " ".join(names), "message": _groups_message(names)} for id, names in saved.items()},
            failed={id: choice.error for id, (choice, _title) in failed.items()},
        )
    if failed:
        which = join_names(f"“{title}”: {choice.error}" for choice, title in failed.values())
        form.form_errors.append(
            _("Saved: %(saved)s. Not saved: %(which)s", saved=article_count(len(saved)), which=which)
        )
        return _render(form, {id: choice for id, (choice, _title) in failed.items()})
    wants_group = "new-group" in request.form
    if saved:
        flash(_("Saved: %(saved)s.", saved=article_count(len(saved))))
    elif not wants_group:  # the script has saved all that was chosen
        flash(_("There was nothing left to save."))
    return redirect(url_for("groups.new", next=current_path()) if wants_group else current_path(), 303)


def _groups_message(names: Sequence[str]) -> str:
    if NO_GROUP in names:
        return _("Saved: no group fits.")
    return _("Saved: %(groups)s.", groups=join_names(names)) if names else _("Saved: in no group.")


def _sent_choices() -> dict[int, Choice]:
    """Return what was chosen for each article that the form names, of the articles of one page at most."""
    sent = request.form
    ids = [id for id in dict.fromkeys(sent.getlist("id")) if _ID.fullmatch(id)][: settings().page_size]
    return {
        int(id): Choice(tuple(sent.getlist(f"a{id}")), sent.get(f"t{id}", ""), tuple(sent.get(f"b{id}", "").split()))
        for id in ids
    }


def _save(
    choices: Mapping[int, Choice], user: User
) -> tuple[dict[int, tuple[str, ...]], dict[int, tuple[Choice, str]]]:
    """Save what was chosen; return the groups of changed articles, and choices that were refused, with the title.

    For an article that no group fits, these are NO_GROUP.
    """
    saved: dict[int, tuple[str, ...]] = {}
    failed: dict[int, tuple[Choice, str]] = {}
    for id, article in _read(choices).items():
        try:
            add, remove = choices[id].changes
            no_group = choices[id].no_group
            if add or remove or no_group is not None:
                if article is None:
                    raise NoSuchArticle()
                entry = article_entry(LogAction.GROUPS, user, article)
                names = store().articles.set_groups(id, add, remove, entry, no_group=no_group, actor=user)
                saved[id] = names or ((NO_GROUP,) if no_group else ())
        except (Invalid, NoSuchGroup, TooManyGroups, NoSuchArticle, ArticleGone) as error:
            title = article.title if article else str(id)
            failed[id] = replace(choices[id], error=error_message(error)), title
    return saved, failed


def _read(ids: Mapping[int, Choice] | Sequence[int]) -> dict[int, Article | None]:
    """Return the articles *ids*; None for one that does not exist."""
    pipeline = store().pipeline()
    articles = {id: store().articles.queue_get(pipeline, id) for id in ids}
    pipeline.execute()
    return {id: article.result for id, article in articles.items()}


def _render(form: SortForm, choices: Mapping[int, Choice]) -> ResponseReturnValue:
    """Return the page with *choices* as they were sent; a list that no longer has their articles begins with them."""
    is_of_all = request.args.get("of") == "all"
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    group_names = store().groups.queue_names(pipeline)
    second_names = store().groups.queue_aliases(pipeline)
    pipeline.execute()
    require_moderator(viewer.result)
    sizes = store().groups.queue_sizes(pipeline, group_names.result)
    found: Future[Page[Article]] | Future[UnsortedArticles]
    if is_of_all:
        ranking = store().rankings.site(Order.TIME)
        found = store().listings.queue_page(pipeline, ranking, page_number(), with_text=True)
    else:
        found = store().listings.queue_unsorted(pipeline, unix_time("before"))
    pipeline.execute()
    listed = found.result
    context = {"page": check_page_exists(listed)} if isinstance(listed, Page) else {"unsorted": listed}
    ids = {row.id for row in listed.rows}
    missing = _read([id for id in choices if id not in ids]).values() if choices else ()
    rows = (*(row for row in missing if row and row.is_listed), *listed.rows)
    before = {row.id: store().listings.queue_groups_before(pipeline, row) for row in rows}
    pipeline.execute()

    def likely(row: Article) -> tuple[str, ...]:
        return likely_groups(row.title, *before[row.id].result, sizes.result, second_names.result, config.SORT_CHIPS)

    page = render_template(
        "sorting/index.html",
        form=form,
        rows=rows,
        choices=choices,
        choice_of=lambda row: choices.get(row.id) or _stored_choice(row),
        likely=likely,
        NO_GROUP=NO_GROUP,
        all_groups=group_names.result,
        is_of_all=is_of_all,
        **context,
    )
    return page, form.status


def _stored_choice(row: Article) -> Choice:
    names = row.groups or ((NO_GROUP,) if row.no_group else ())
    return Choice(pressed=names, shown=names)
