"""Domain rules: listed, made, changed and deleted by moderators."""

from typing import NamedTuple

from flask import Blueprint, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import config, validation
from voteweb.core.errors import N_, Invalid, TooManyRules
from voteweb.core.models import DomainAction, LogAction, Page, User
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.web.auth.login import login_required, queue_viewer, require_moderator
from voteweb.web.context import store
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pagination import check_page_exists, page_number

blueprint = Blueprint("domain_rules", __name__)


class _Typed(NamedTuple):
    """The fields of the form as they were typed."""

    domain: str = ""
    rule: str = DomainAction.REFUSE.value
    why: str = ""


@blueprint.get("/domains")
@login_required
def index() -> ResponseReturnValue:
    """Show the rules by domain; the query can search them."""
    return _render(page_number())


@blueprint.post("/domains")
@login_required
def save() -> ResponseReturnValue:
    """Make or change the rule of a domain."""
    user = _moderator()
    typed = _Typed(**{field: request.form[field] for field in _Typed._fields if field in request.form})
    try:
        if typed.rule not in set(DomainAction):
            raise Invalid(N_("Please choose what happens to links to it."))
        domain, why = validation.rule_domain(typed.domain), validation.reason(typed.why)
        entry = NewLogEntry(LogAction.DOMAIN, user.name, title=domain, why=why)
        store().domain_rules.set(domain, DomainAction(typed.rule), entry, actor=user)
    except (Invalid, TooManyRules) as error:
        return _render(1, typed, error_message(error)), 422
    flash(_("The rule of %(domain)s has been saved.", domain=domain))
    return redirect("/domains", 303)


@blueprint.post("/domains/<host>/delete")
@login_required
def delete(host: str) -> ResponseReturnValue:
    """Delete the rule of a domain."""
    user = _moderator()
    entry = NewLogEntry(LogAction.UNDOMAIN, user.name, title=host[: config.MAX_HOST_LENGTH])
    if store().domain_rules.delete(host, entry, actor=user):
        flash(_("The rule of %(domain)s has been deleted.", domain=host))
    else:
        flash(_("There is no rule of %(domain)s any more.", domain=host), "error")
    return redirect("/domains", 303)


def _moderator() -> User:
    return require_moderator(store().read(queue_viewer))


def _render(number: int, typed: _Typed | None = None, refused: str = "") -> str:
    wanted = request.args.get("q", "").strip()[: config.MAX_HOST_LENGTH]
    pipeline = store().pipeline()
    viewer = queue_viewer(pipeline)
    rules = store().domain_rules.queue_all(pipeline)
    pipeline.execute()
    require_moderator(viewer.result)
    found = [rule for rule in rules.result if wanted.lower() in rule.domain or wanted.lower() in rule.why.lower()]
    first, size = (number - 1) * config.RULE_PAGE_SIZE, config.RULE_PAGE_SIZE
    page = Page.at(number, size, found[first : first + size], len(found))
    return render_template(
        "domain_rules/index.html",
        page=check_page_exists(page),
        wanted=wanted,
        typed=typed or _Typed(),
        refused=refused,
        actions=tuple(DomainAction),
    )
