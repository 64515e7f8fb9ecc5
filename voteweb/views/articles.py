"""Articles: the lists of the whole site, one article, and posting."""

from typing import Any

from flask import Blueprint, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb import lists, rules
from voteweb.errors import Duplicate, LoggedOut, NoSuchArticle, NoSuchGroup, TooManyGroups
from voteweb.forms import SubmitForm
from voteweb.language import gettext as _
from voteweb.login import ask_viewer, page_trip, settings, store
from voteweb.models import Draft, Order
from voteweb.store.listings import whole_site
from voteweb.tokens import checks_own_token

blueprint = Blueprint("articles", __name__)


@blueprint.get("/")
def front() -> str:
    """Show the front page: all articles by score, the newest good ones beside them."""
    most = settings().good_on_front
    return lists.show(
        "articles/front.html",
        whole_site(Order.SCORE),
        questions={"good": lambda trip: store().listings.ask_good(trip, most)} if most else {},
    )


@blueprint.get("/new")
def new() -> str:
    """Show all articles by time."""
    return lists.show("articles/new.html", whole_site(Order.TIME))


@blueprint.get("/good")
def good() -> str:
    """Show the newest good articles."""
    trip = page_trip()
    viewer = ask_viewer(trip)
    listed = store().listings.ask_good(trip, settings().good_listed)
    trip.go()
    rows, names = lists.with_own(listed.value, viewer.value)
    return render_template("articles/good.html", rows=rows, all_groups=names)


@blueprint.get("/a/<int:id>")
def show(id: int) -> ResponseReturnValue:
    """Show one article with its text, its numbers and why it stands where it does; 410 when it is gone."""
    return page_of(id)


def page_of(id: int, status: int = 200, **context: Any) -> ResponseReturnValue:
    """Return the page of one article; *context* may hold a form that was refused, with its *status*."""
    trip = page_trip()
    viewer = ask_viewer(trip)
    asked = store().articles.ask(trip, id)
    own = lists.ask_own(trip, (id,))
    trip.go()
    article = asked.value
    if article is None:
        raise NoSuchArticle()
    if not rules.may_read(viewer.value, article):
        return render_template("articles/gone.html", article=article), 410
    (article,), names = lists.with_own((article,), viewer.value, own.value)
    return render_template("articles/show.html", article=article, all_groups=names, **context), status


@blueprint.route("/submit", methods=["GET", "POST"])
@checks_own_token
def submit() -> ResponseReturnValue:
    """Post an article; whoever is logged out by then keeps what was typed.

    ``?title=…&link=…`` fills the form: the bookmarklet on /about uses it.
    """
    trip = store().trip()
    viewer = ask_viewer(trip)
    names = store().groups.ask_names(trip)
    trip.go()
    if viewer.value is None and request.method == "GET":
        raise LoggedOut()
    form = SubmitForm(title=request.args.get("title", ""), link=request.args.get("link", ""))
    form.offer(names.value)
    earlier = None
    if viewer.value is None:
        form.refuse(LoggedOut())
    elif form.validate_on_submit():
        draft = Draft(form.title.data, form.link.data, form.text.data, tuple(form.groups.data))
        try:
            id = store().articles.post(draft, viewer.value, form.once.data, anyway="anyway" in request.form)
        except (NoSuchGroup, TooManyGroups) as error:
            form.refuse(error, "groups")
        except Duplicate as error:
            (earlier,), _names = lists.with_own((store().articles.get(error.values["id"]),), viewer.value)
            form.refuse(error, "link")
        except LoggedOut as error:
            form.refuse(error)
        else:
            flash(_("Your article is posted."))
            return redirect(f"/a/{id}", 303)
    return render_template("articles/submit.html", form=form, earlier=earlier), form.status
