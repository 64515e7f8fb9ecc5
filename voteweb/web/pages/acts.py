"""How views are opened, and acts that are one press of a button.

:func:`reads` opens a view: in one round trip it reads the viewer and the things that the view names, checks that the
viewer may come in, and hands all of it over. A row of an act is :func:`act` above a function: the address, who may send
it, what is read, where it leads, and the page that shows the form again; the function calls the store, and returns what
the next page says: a message, with the category "error" if nothing was left to do. Its endpoint is the name of the
function unless the row has another; rate limit, form token and mark for members hold as for any other view.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any

from flask import Blueprint, flash, jsonify, redirect, request
from flask.typing import ResponseReturnValue

from voteweb.core.errors import LoggedOut, NoSuchArticle, NoSuchComment, NotAllowed, VotewebError
from voteweb.core.models import Article, LogAction, LogEntry, User
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.web.auth.csrf import refusals_shown_by_form
from voteweb.web.auth.login import login_required, queue_viewer, treat_as_reader
from voteweb.web.base.context import store
from voteweb.web.base.responses import wants_json
from voteweb.web.base.urls import next_of_form, return_url
from voteweb.web.i18n.formatting import error_message, script_error
from voteweb.web.pages.forms import Form
from voteweb.web.pages.pagination import check_page_exists

#: The message of the next page, "" for none, or that with its category.
Message = str | tuple[str, str]
View = Callable[..., Any]
#: Returns the viewer who may come in, None for a reader; raises the error that refuses the others.
Check = Callable[[User | None], User | None]
#: Queues a read; it gets the pipeline and the parts of the address.
Query = Callable[..., Future[Any]]
Errors = tuple[type[VotewebError], ...]
#: The message if something of this name does not exist.
_MISSING = {"article": NoSuchArticle, "comment": NoSuchComment}
#: Refusals of somebody who was banned or lost their role while the form was on its way, which it says above its fields.
LOST_RIGHTS: dict[type[VotewebError], str] = {LoggedOut: "", NotAllowed: ""}


def queue_article(pipeline: Pipeline, id: int) -> Future[Article | None]:
    """Queue a read of the article of the address."""
    return store().articles.queue_get(pipeline, id)


def reads(check: Check | None = None, /, **queries: Query) -> Callable[[View], View]:
    """Open a view for the members that *check* lets in, or for everybody.

    The view names what it wants as its parameters: the member as ``user``, or the ``viewer``, who may be a reader; the
    results of *queries*; and parts of the address, which queries name, too. An ``article`` or ``comment`` that does not
    exist, and a ``page`` past the end, is an error.
    """

    def decorate(view: View) -> View:
        wanted = signature(view).parameters
        named = {name: (query, signature(query).parameters) for name, query in queries.items()}

        @wraps(view)
        def opened(**parts: Any) -> Any:
            pipeline = store().pipeline()
            viewer = queue_viewer(pipeline)
            futures = {
                name: query(pipeline, **{part: value for part, value in parts.items() if part in taken})
                for name, (query, taken) in named.items()
            }
            pipeline.execute()
            values = {**parts, "viewer": viewer.result}
            if check:
                values["user"] = check(viewer.result)
            for name, future in futures.items():
                values[name] = future.result
                if future.result is None and name in _MISSING:
                    raise _MISSING[name]()
            if "page" in futures:
                check_page_exists(values["page"])
            return view(**{name: values[name] for name in wanted if name in values})

        return login_required(opened) if check else opened

    return decorate


def act(
    blueprint: Blueprint,
    path: str,
    check: Check,
    *,
    endpoint: str | None = None,
    leads_to: str | Callable[[], str] = return_url,
    back: str = "",
    says: Errors = (),
    refuses: Errors = (),
    refused: Callable[..., ResponseReturnValue] | None = None,
    **queries: Query,
) -> Callable[[Callable[..., Message]], View]:
    """Register an act, done by a form that is sent to *path*.

    It leads to *leads_to* or, unless the form names another page, *back*; both have what the function wants in braces.
    The next page says the errors *says*. The page *refused* shows the form again with one of *refuses*, after which it
    gets what the function wants; its status is 422 unless it has another.
    """

    def decorate(do: Callable[..., Message]) -> View:
        @blueprint.post(path, endpoint=endpoint)
        @reads(check, **queries)
        @wraps(do)
        def view(**wanted: Any) -> ResponseReturnValue:
            try:
                said = do(**wanted)
            except says as error:
                said = error_message(error), "error"
            except refuses as error:
                if refused is None:
                    raise
                page = refused(error, **wanted)
                return (page, 422) if isinstance(page, str) else page
            if back:
                return answer(said, next_of_form(back.format(**wanted)))
            return answer(said, leads_to.format(**wanted) if isinstance(leads_to, str) else leads_to())

        return view

    return decorate


def answer(said: Message, target: str) -> ResponseReturnValue:
    """Lead to *target*, which shows the message that is *said*, if any; script gets the message itself."""
    message, category = (said, "message") if isinstance(said, str) else said
    if wants_json():
        return (jsonify(error=script_error(message)), 409) if category == "error" else jsonify(message=message)
    return lead(target, message, category)


def lead(target: str, message: str, category: str = "message") -> ResponseReturnValue:
    """Lead to *target*, which shows *message*, unless that is empty."""
    if message:
        flash(message, category)
    return redirect(target, 303)


def article_entry(kind: LogAction, user: User, article: Article, why: str = "", *, seen: int | None = None) -> LogEntry:
    """Return the entry of an act on *article*; in the log, its title is hidden where *article* says so.

    *seen* is how many entries of the log *user* had seen, None if the form of this request says that.
    """
    title, hidden = ("", article.title) if article.hides_title else (article.title, "")
    seen = seen_in_form() if seen is None else seen
    return LogEntry(kind, user.name, article.poster, article.id, title, why, hidden=hidden, seen=seen)


def seen_in_form() -> int | None:
    """Return how many entries the log had when this form was opened, None if it does not say."""
    typed = request.form.get("seen", "")
    return int(typed) if re.fullmatch("[0-9]{1,15}", typed, re.ASCII) else None


def form_page(blueprint: Blueprint, path: str, endpoint: str | None = None) -> Callable[[View], View]:
    """Register a view at *path* that shows a form, takes it, and shows it again with all that was typed if refused."""

    def decorate(view: View) -> View:
        return blueprint.route(path, endpoint=endpoint, methods=["GET", "POST"])(refusals_shown_by_form(view))

    return decorate


@contextmanager
def refusals(form: Form, fields: Mapping[type[VotewebError], str]) -> Iterator[None]:
    """Have *form* say why this block refused, beside the field that *fields* names, or "" for above the form."""
    try:
        yield
    except tuple(fields) as error:
        if isinstance(error, LoggedOut):
            treat_as_reader()
        form.refuse(error, next(name for kind, name in fields.items() if isinstance(error, kind)))
