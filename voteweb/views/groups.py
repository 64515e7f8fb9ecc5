"""Groups: all of them, the articles of one or of several at once, making and changing one."""

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from voteweb import config, fields, lists
from voteweb.errors import GroupExists, Invalid, NoSuchGroup
from voteweb.forms import GroupForm, NewGroupForm
from voteweb.language import gettext as _
from voteweb.login import ask_viewer, member, members_only, page_trip, store
from voteweb.models import Act, Group, Order, User
from voteweb.rules import may_moderate
from voteweb.store.listings import of_groups
from voteweb.store.log import Deed
from voteweb.tokens import checks_own_token

blueprint = Blueprint("groups", __name__)


@blueprint.get("/groups")
def index() -> str:
    """Show all groups with their titles, descriptions and counts."""
    trip = page_trip()
    ask_viewer(trip)
    groups = store().groups.all(trip)
    return render_template("groups/index.html", groups=groups)


@blueprint.get("/g/<names>")
def by_score(names: str) -> ResponseReturnValue:
    """Show the articles that are in all groups *names* (joined by +), by score."""
    return _show(names, Order.SCORE)


@blueprint.get("/g/<names>/new")
def by_time(names: str) -> ResponseReturnValue:
    """Show the articles that are in all groups *names* (joined by +), by time."""
    return _show(names, Order.TIME)


def _show(joined: str, order: Order) -> ResponseReturnValue:
    names = split(joined)
    if "+".join(names) != joined:
        endpoint = "groups.by_score" if order is Order.SCORE else "groups.by_time"
        return redirect(url_for(endpoint, names="+".join(names), page=request.args.get("page")), 301)
    return lists.show(
        "groups/show.html",
        of_groups(names, order),
        check=lambda answers: answers.update(groups=refuse_unknown(names, answers["groups"])),
        questions={"groups": lambda trip: store().groups.ask(trip, names)},
        order=order,
        names="+".join(names),
    )


def split(joined: str) -> tuple[str, ...]:
    """Return the names of the groups that an address joins, in the order of their one address."""
    names = tuple(sorted({_name(name) for name in joined.split("+")}))
    if len(names) > config.COMBINED_MOST:
        abort(404, _("An address can combine %(most)s groups at most.", most=config.COMBINED_MOST))
    return names


def refuse_unknown(names: tuple[str, ...], groups: tuple[Group | None, ...]) -> list[Group]:
    """Return *groups*, which were asked for by *names*; raise NoSuchGroup where one is None."""
    missing = [name for name, group in zip(names, groups, strict=True) if group is None]
    if missing:
        raise NoSuchGroup(names=", ".join(missing))
    return [group for group in groups if group]


def _name(typed: str) -> str:
    try:
        return fields.group_name(typed)
    except Invalid:
        raise NoSuchGroup(names=typed) from None


@blueprint.route("/groups/new", methods=["GET", "POST"])
@members_only
@checks_own_token
def new() -> ResponseReturnValue:
    """Make a group."""
    trip = store().trip()
    viewer = ask_viewer(trip)
    trip.go()
    user = _moderator(member(viewer.value))
    form = NewGroupForm()
    if form.validate_on_submit():
        try:
            store().groups.make(form.name.data, form.title.data, form.description.data, _deed(user, form.name.data))
        except GroupExists as error:
            form.refuse(error, "name")
        else:
            flash(_("The group is made."))
            return redirect(url_for("groups.by_score", names=form.name.data), 303)
    return render_template("groups/new.html", form=form), form.status


@blueprint.route("/g/<name>/edit", methods=["GET", "POST"])
@members_only
@checks_own_token
def edit(name: str) -> ResponseReturnValue:
    """Change the title and description of a group."""
    name = _name(name)
    trip = store().trip()
    viewer = ask_viewer(trip)
    groups = store().groups.ask(trip, [name])
    trip.go()
    user = _moderator(member(viewer.value))
    group = _known(groups.value[0], name)
    form = GroupForm(title=group.title, description=group.description)
    if form.validate_on_submit():
        store().groups.change(name, form.title.data, form.description.data, _deed(user, name))
        flash(_("The group is changed."))
        return redirect(url_for("groups.by_score", names=name), 303)
    return render_template("groups/edit.html", form=form, group=group), form.status


def _known(group: Group | None, name: str) -> Group:
    if group is None:
        raise NoSuchGroup(names=name)
    return group


def _moderator(user: User) -> User:
    if not may_moderate(user):
        abort(403)
    return user


def _deed(user: User, name: str) -> Deed:
    return Deed(Act.GROUP, user.name, title=name)
