"""Posting an article: the form, and what it tells before it is sent."""

import re
from collections.abc import Sequence
from typing import Any

from flask import Blueprint, abort, flash, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, errors, markup, permissions
from voteweb.core.models import Article, User
from voteweb.search.grammar import Query
from voteweb.search.models import Kind, Order, SearchError
from voteweb.search.words import Part, Term, tokens
from voteweb.store.schema.fields import words_of
from voteweb.web.auth.csrf import refusals_shown_by_form
from voteweb.web.auth.login import queue_viewer, session_member_name
from voteweb.web.base.context import now, search_index, settings, store, title_fetcher
from voteweb.web.caching.own_marks import read_marks
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages import posted_before
from voteweb.web.pages.acts import form_page, lead, refusals
from voteweb.web.pages.forms import SubmitForm, checked
from voteweb.web.views.articles import ARTICLE_FIELDS

blueprint = Blueprint("submission", __name__)
_FIELDS = {**ARTICLE_FIELDS, errors.AlreadyWaiting: "link", errors.Conflict: "", errors.TooFast: ""}
#: Of 18,056 real stories, 103 had a title much like another of a week with another link; 20 of 25 were the same story.
_SPAN_SECONDS = 7 * 86_400
#: The share of the words of both titles that they have in common, and the number of these words.
_MIN_SHARE, _MIN_COMMON = 0.5, 3
#: Articles that are compared, and those that are shown.
_MAX_COMPARED, _MAX_SHOWN = 20, 3


@form_page(blueprint, "/submit")
def submit() -> ResponseReturnValue:
    """Post an article; a member whose session has ended keeps what they typed.

    ``?title=…&link=…&text=…`` fills the form: the bookmarklet on /about and the menu for sharing of a phone use it.
    """
    viewer, form = _read()
    if viewer and form.validate_on_submit(_asks(viewer, form)):
        try:
            with refusals(form, _FIELDS):
                return _post(viewer, form)
        except errors.Duplicate as error:
            form.refuse(error, "link")
    return _render(form, duplicate=form.duplicate)


def _asks(viewer: User, form: SubmitForm) -> dict[str, Any]:
    """Return what tells whether the link alone, and the groups alone, would be accepted."""

    def ask_link(link: str) -> str:
        if "anyway" not in request.form:
            _check_not_waiting(viewer, link, form.once.data)
            if error := _duplicate(viewer, form):
                raise error
        store().articles.check_new(link=link)
        return link

    return {"link": [checked(ask_link, *_FIELDS, errors.Duplicate)], "groups": ASK_GROUPS}


def _ask_groups(names: Sequence[str]) -> Sequence[str]:
    store().articles.check_new(groups=names)
    return names


#: What tells whether groups, which other fields that are wrong keep from being stored, would be accepted.
ASK_GROUPS = [checked(_ask_groups, *_FIELDS)]


def _duplicate(viewer: User, form: SubmitForm) -> errors.Duplicate | None:
    """Return the refusal of a link that was posted already, and have *form* show the earlier article."""
    form.duplicate = _find_duplicate(viewer, form)
    if form.duplicate is None:
        return None
    is_own = permissions.is_poster(viewer, form.duplicate)
    return errors.Duplicate(errors.Duplicate.own if is_own else "", id=form.duplicate.id)


def _post(viewer: User, form: SubmitForm) -> ResponseReturnValue:
    """Post the article of the form and lead to it."""
    id = post(viewer, form, form.once.data, anyway="anyway" in request.form)
    if not store().waiting.has_article(id):  # the page of one that waits says so
        flash(_("Your article has been posted."))
    return lead(f"/a/{id}", _("“https://” was added to its link.") if form.has_completed_link else "")


def post(viewer: User, form: SubmitForm, token: str, *, anyway: bool) -> int:
    """Post the article of *form*, which is valid, and return its id; the same *token* leads to the same article.

    Raises as the store does, and unless *anyway* AlreadyWaiting and Duplicate, for which *form* has the article.
    """
    draft = form.draft()
    if not anyway:
        _check_not_waiting(viewer, draft.link, token)
    try:
        return store().articles.post(draft, viewer, token, allow_duplicate=anyway)
    except errors.Duplicate:
        raise _duplicate(viewer, form) or errors.Duplicate() from None


@blueprint.post("/submit/title")
@refusals_shown_by_form
def fetch_title() -> ResponseReturnValue:
    """Show the form again, with the title of the page that its link leads to."""
    if not settings().fetch_titles:
        abort(404)
    viewer, form = _read()
    context: dict[str, Any] = {}
    if viewer and form.validate_only("link"):
        if form.link.data:
            try:
                form.title.data, context["title_is_fetched"] = title_fetcher().fetch(form.link.data), True
            except (errors.NoTitle, errors.FetchBusy) as error:
                form.refuse(error)
            context |= _find_earlier(viewer, form)
        else:
            form.refuse(errors.NoTitle(errors.NoTitle.no_link), "link")
    return _render(form, **context)


@blueprint.post("/submit/preview")
@refusals_shown_by_form
def preview() -> ResponseReturnValue:
    """Show the form again, with the row and text of its article, and an earlier one with the same link or story."""
    viewer, form = _read()
    context: dict[str, Any] = {}
    if viewer and form.validate_only("link", "text"):
        context = _find_earlier(viewer, form)
        context["preview"] = markup.render(form.text.data) if form.text.data else None
        if form.link.data:
            context["preview_row"] = _preview(viewer, form)
        elif not form.text.data:
            form.refuse_empty()
    form.text.data = request.form.get("text", "")  # as it was typed, not as it would be saved
    return _render(form, **context)


def _preview(viewer: User, form: SubmitForm) -> Article:
    """Return the article of the form, as if it were posted now."""
    draft = form.draft()
    words = words_of(draft) | {"title": (draft.title or form.title.label.text)[: config.MAX_TITLE_LENGTH]}
    groups = draft.groups[: settings().max_groups]
    return Article(**words, groups=groups, id=0, poster=viewer.name, time=now(), votes=settings().own_vote)


def _render(form: SubmitForm, **context: Any) -> ResponseReturnValue:
    return render_template("submission/form.html", form=form, **context), form.status


def _find_earlier(viewer: User, form: SubmitForm) -> dict[str, Any]:
    """Return an earlier article with the checked link of the form, else older ones, else some with a similar title."""
    duplicate = _find_duplicate(viewer, form)
    older: tuple[Article, ...] = ()
    similar: tuple[Article, ...] = ()
    if duplicate is None and form.link.data:
        older = store().read(posted_before.queue, link=form.link.data)
        older = read_marks(older, viewer, in_list=False).on(older) if older else ()
    if duplicate is None and not older:
        similar = _find_similar((form.title.data or "")[: config.MAX_TITLE_LENGTH])
        similar = read_marks(similar, viewer, in_list=False).on(similar) if similar else ()
    return {"duplicate": duplicate, "older": older, "similar": similar}


def _find_duplicate(viewer: User, form: SubmitForm) -> Article | None:
    """Return an earlier article with the checked link of the form, with the vote of *viewer*."""
    earlier = store().articles.find_duplicate(form.link.data, now()) if form.link.data else None
    if earlier is None:
        return None
    (row,) = read_marks((earlier,), viewer, in_list=False).on((earlier,))
    return row


def _check_not_waiting(viewer: User, link: str, token: str) -> None:
    """Raise AlreadyWaiting if another form of the viewer has posted this link, and a moderator has not seen it yet."""
    waiting = store().waiting.find_article(viewer.name, link) if link else None
    if waiting and not store().articles.was_sent(viewer, token):
        raise errors.AlreadyWaiting(id=waiting.id)


def _read() -> tuple[User | None, SubmitForm]:
    """Read the viewer and the form, which refuses a viewer whose session has ended. Raises LoggedOut and Held."""
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    group_names = store().groups.queue_names(pipeline)
    name = session_member_name()
    waits = store().waiting.queue_is_first(pipeline, name) if name and settings().hold_posts else None
    pipeline.execute()
    if viewer.result is None and request.method != "POST":
        raise errors.LoggedOut()
    if viewer.result is not None and viewer.result.held:
        raise errors.Held()
    form = SubmitForm(**_shared_fields())
    form.set_groups(group_names.result)
    form.waits = bool(waits and waits.result and viewer.result and not permissions.may_moderate(viewer.result))
    if viewer.result is None:
        form.refuse(errors.LoggedOut())
    return viewer.result, form


def _shared_fields() -> dict[str, str]:
    """Return what the address of the form fills in; many programs share the address of a page as a text."""
    title = request.args.get("title", "")[: config.MAX_TITLE_LENGTH]
    link = request.args.get("link", "")[: config.MAX_LINK_LENGTH].strip()
    text = request.args.get("text", "")[: config.MAX_TEXT_LENGTH]
    if not link and re.fullmatch(r"\s*https?://\S+\s*", text, re.IGNORECASE):
        link, text = text.strip(), ""
    return {"title": title, "link": link, "text": text}


def _find_similar(title: str) -> tuple[Article, ...]:
    """Return listed articles with a title like *title*, the most relevant first; none if search does not answer."""
    index, words = search_index(), set(tokens(title))
    if index is None or len(words) < _MIN_COMMON:
        return ()
    terms = tuple(Term("title", (word,)) for word in sorted(words, key=len, reverse=True)[: config.MAX_TERMS])
    any_of_them, each = Part("title", title, terms), (Part("title", "", (term,), is_small=True) for term in terms)
    query = Query(parts=(any_of_them, *each, Part("after", "", time=now() - _SPAN_SECONDS)))
    try:
        found = index.find(query, Kind.ARTICLES, Order.RELEVANCE, _MAX_COMPARED)
    except SearchError:
        return ()
    ids = [id for id in found.ids[:_MAX_COMPARED] if isinstance(id, int)]
    articles = store().read(store().listings.queue_articles, ids, with_text=True)
    return tuple(row for row in articles if _are_similar(words, set(tokens(row.title))))[:_MAX_SHOWN]


def _are_similar(words: set[str], others: set[str]) -> bool:
    common = len(words & others)
    return common >= _MIN_COMMON and common >= _MIN_SHARE * len(words | others)
