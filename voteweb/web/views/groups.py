"""Groups: the list of all, creating and changing one, and the names of groups in addresses."""

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from voteweb.core import config, errors, validation
from voteweb.core.models import Group, LogAction, LogEntry, User
from voteweb.web.auth.authentication import require_recent_password
from voteweb.web.auth.csrf import refusals_shown_by_form
from voteweb.web.auth.login import queue_viewer, require_admin, require_moderator
from voteweb.web.base.context import settings, store
from voteweb.web.base.urls import next_of_form, safe_path
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages.acts import LOST_RIGHTS, Message, Query, View, act, form_page, lead, reads, refusals
from voteweb.web.pages.forms import EditGroupForm, MergeGroupForm, NewGroupForm, checked

blueprint = Blueprint("groups", __name__)


@blueprint.get("/groups")
def index() -> str:
    pipeline = store().pipeline()
    queue_viewer(pipeline)
    groups = store().groups.all(pipeline)
    return render_template("groups/index.html", groups=groups)


def in_groups(parse: Callable[[str], tuple[str, ...]]) -> Callable[[View], View]:
    """Give a view the groups that its address names, as *parse* reads them; redirect other spellings and aliases."""

    def decorate(view: View) -> View:
        @wraps(view)
        def in_groups_of_address(names: str) -> Any:
            groups = parse(names)
            if "+".join(groups) == names:
                try:
                    return view(groups)
                except errors.NoSuchGroup:
                    groups, typed = store().groups.resolve(groups), groups
                    if groups == typed:
                        raise
            query = {name: request.args.get(name) for name in ("of", "page")}
            parts: dict[str, Any] = {**query, **(request.view_args or {}), "names": "+".join(groups)}
            return redirect(url_for(request.endpoint or "", **parts), 301)

        return in_groups_of_address

    return decorate


def parse_names(joined: str) -> tuple[str, ...]:
    """Return the group names in an address, in the order of their canonical address."""
    typed = set(joined.split("+"))
    names = tuple(sorted(set(map(parse_name, typed)))) if len(typed) <= config.MAX_COMBINED_GROUPS else ()
    if not names:
        abort(404, _("An address can combine at most %(max)s groups.", max=config.MAX_COMBINED_GROUPS))
    return names


def check_known(names: tuple[str, ...], groups: tuple[Group | None, ...]) -> list[Group]:
    """Return *groups*, the results for *names*; raise NoSuchGroup if one is None."""
    missing = [name for name, group in zip(names, groups, strict=True) if group is None]
    if missing:
        raise errors.NoSuchGroup(names=", ".join(missing))
    return [group for group in groups if group]


def parse_one(typed: str) -> tuple[str, ...]:
    return (parse_name(typed),)


def parse_choice(typed: str, pressed: Sequence[str], others: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of groups in a moderator's form: those *typed* or *pressed*, and *others*.

    Raises Invalid, TooManyGroups.
    """
    chosen = [*pressed, *typed.replace(",", " ").split()]
    if len(chosen) + len(others) > config.MAX_TYPED_GROUPS:
        raise errors.TooManyGroups(max=settings().max_groups)
    return [validation.group_name(name) for name in chosen], [validation.group_name(name) for name in others if name]


def parse_name(typed: str) -> str:
    try:
        return validation.group_name(typed)
    except errors.Invalid:
        raise errors.NoSuchGroup(names=typed) from None


@form_page(blueprint, "/groups/new")
@reads(require_moderator)
def new(user: User) -> ResponseReturnValue:
    form = NewGroupForm()
    if form.validate_on_submit({"name": [checked(_free_name, errors.GroupExists)]}):
        with refusals(form, {**LOST_RIGHTS, errors.GroupExists: "name"}):
            name = form.name.data
            entry = _log_entry(user, name)
            if not store().groups.make(name, form.title.data, form.description.data, entry, actor=user):
                raise errors.GroupExists(name=name)
            return lead(next_of_form(url_for("lists.group", names=name)), _("Group created."))
    next = safe_path(request.values.get("next", ""), "")
    return render_template("groups/form.html", form=form, next=next), form.status


def _free_name(name: str) -> str:
    """Return *name*; raise GroupExists if a group has it, or has it as an alias."""
    (resolved,) = store().groups.resolve([name])
    if resolved in store().read(store().groups.queue_names):
        raise errors.GroupExists(name=name)
    return name


def _free_aliases(name: str, typed: str) -> str:
    store().groups.check_aliases(name, typed.split())
    return typed


#: Reads the aliases and the names of all groups.
NAME_QUERIES: dict[str, Query] = {
    "aliases": lambda pipeline: store().groups.queue_aliases(pipeline),
    "names": lambda pipeline: store().groups.queue_names(pipeline),
}
#: Reads a group and, for the form that merges it, what others are named.
_GROUP_QUERIES: dict[str, Query] = {
    "groups": lambda pipeline, name: store().groups.queue_get(pipeline, [parse_name(name)]),
    **NAME_QUERIES,
}


@form_page(blueprint, "/g/<name>/edit")
@reads(require_moderator, **_GROUP_QUERIES)
def edit(
    name: str, user: User, groups: tuple[Group | None, ...], aliases: dict[str, str], names: tuple[str, ...]
) -> ResponseReturnValue:
    if request.method == "GET" and (other := aliases.get(parse_name(name))):
        return redirect(url_for("groups.edit", name=other))
    (group,) = check_known((parse_name(name),), groups)
    form, merge_form = _edit_form(group, aliases), MergeGroupForm()
    refused = dict.fromkeys((errors.AliasTaken, errors.StillMerging, errors.TooManyAliases), "alias")
    is_valid = form.validate_on_submit({"alias": [checked(partial(_free_aliases, group.name), *refused)]})
    if form.is_submitted() and merge_form.into.data:  # Enter was pressed there, to plan a merge or not
        form.form_errors.append(_("Press “Merge” to merge this group, or empty that field to save the others."))
    elif is_valid:
        with refusals(form, {**LOST_RIGHTS, **refused}):
            title, description, second = form.title.data, form.description.data, form.alias.data.split()
            entry = _log_entry(user, group.name)
            store().groups.change(group.name, title, description, entry, aliases=second, actor=user)
            return lead(url_for("lists.group", names=group.name), _("Group changed."))
    return _render_edit(group, form, merge_form, names), form.status


@blueprint.post("/g/<name>/merge")
@refusals_shown_by_form
@reads(require_admin, **_GROUP_QUERIES)
def merge(
    name: str, user: User, groups: tuple[Group | None, ...], aliases: dict[str, str], names: tuple[str, ...]
) -> ResponseReturnValue:
    """Plan the merge of a group into another, of which it becomes a second name."""
    name, form = parse_name(name), MergeGroupForm()
    refused = dict.fromkeys((errors.NoSuchGroup, errors.SameGroup, errors.TooManyAliases), "into")
    if form.validate():
        with refusals(form, {**LOST_RIGHTS, **refused}):
            require_recent_password(user)  # nothing undoes it once it has begun
            store().planned_merges.plan(name, form.into.data, _log_entry(user, name, LogAction.PLAN_MERGE), actor=user)
            said = _("The merge is planned. Any moderator can stop it here until it begins.")
            return lead(url_for("lists.group", names=name), said)
    (group,) = check_known((name,), groups)
    return _render_edit(group, _edit_form(group, aliases), form, names), form.status


def _edit_form(group: Group, aliases: dict[str, str]) -> EditGroupForm:
    second = " ".join(sorted(alias for alias, of in aliases.items() if of == group.name))
    return EditGroupForm(title=group.title, description=group.description, alias=second)


def _render_edit(group: Group, form: EditGroupForm, merge_form: MergeGroupForm, names: tuple[str, ...]) -> str:
    others = [name for name in names if name != group.name]
    return render_template("groups/form.html", form=form, group=group, merge_form=merge_form, others=others)


@act(
    blueprint,
    "/g/<name>/delete",
    require_moderator,
    leads_to="/groups",
    refuses=(errors.GroupNotEmpty,),
    refused=lambda error, name, **_: lead(url_for("groups.edit", name=name), error_message(error), "error"),
)
def delete(name: str, user: User) -> Message:
    """Delete a group in which there is no article."""
    name = parse_name(name)
    if not store().groups.delete(name, _log_entry(user, name, LogAction.DELETE_GROUP), actor=user):
        raise errors.NoSuchGroup(names=name)
    return _("The group %(name)s has been deleted.", name=name)


def _log_entry(user: User, name: str, kind: LogAction = LogAction.GROUP) -> LogEntry:
    return LogEntry(kind, user.name, title=name)
