"""Articles: the lists of the whole site, one article, and posting."""

from typing import Any

from flask import Blueprint, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from voteweb import lists
from voteweb.errors import LoggedOut, NoSuchArticle, NoSuchGroup, TooManyGroups
from voteweb.forms import SubmitForm
from voteweb.login import ask_viewer, checks_own_token, settings, store, to_login
from voteweb.models import Draft, Order
from voteweb.store.listings import whole_site

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
    trip = store().trip()
    member = ask_viewer(trip)
    listed = store().listings.ask_good(trip, settings().good_listed)
    trip.go()
    rows, names = lists.with_own(listed.value, member.value)
    return render_template("articles/good.html", rows=rows, all_groups=names)


@blueprint.get("/a/<int:id>")
def show(id: int) -> str:
    """Show one article with its text, its numbers and why it stands where it does."""
    return page_of(id)


def page_of(id: int, **context: Any) -> str:
    """Return the page of one article; *context* may hold a groups form that was refused."""
    trip = store().trip()
    member = ask_viewer(trip)
    asked = store().articles.ask(trip, id)
    trip.go()
    if asked.value is None:
        raise NoSuchArticle()
    (article,), names = lists.with_own((asked.value,), member.value)
    return render_template("articles/show.html", article=article, all_groups=names, **context)


@blueprint.route("/submit", methods=["GET", "POST"])
@checks_own_token
def submit() -> ResponseReturnValue:
    """Post an article; whoever is logged out by then keeps what was typed."""
    trip = store().trip()
    member = ask_viewer(trip)
    names = store().groups.ask_names(trip)
    trip.go()
    if member.value is None and request.method == "GET":
        return to_login()
    form = SubmitForm()
    form.offer(names.value)
    if member.value is None:
        form.refuse(LoggedOut())
    elif form.validate_on_submit():
        draft = Draft(form.title.data, form.link.data, form.text.data, tuple(form.groups.data))
        try:
            id = store().articles.post(draft, member.value, form.once.data)
        except (NoSuchGroup, TooManyGroups) as error:
            form.refuse(error, "groups")
        else:
            flash(_("Your article is posted."))
            return redirect(f"/a/{id}", 303)
    return render_template("articles/submit.html", form=form), 422 if form.errors else 200
