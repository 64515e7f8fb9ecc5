"""The pages of admins about the site, and the rules of moderators about domains.

Admins see health and settings, set switches such as read-only mode, give the site its name, colour and texts, and try
and use other weights of the ranking.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from flask import Blueprint, flash, render_template, request
from flask.typing import ResponseReturnValue

from voteweb import __version__
from voteweb.core import config, markup, permissions, site_switches, validation
from voteweb.core.errors import N_, Invalid, StillRescoring, TooManyRules
from voteweb.core.models import DomainAction, DomainRule, LogAction, LogEntry, Page, User
from voteweb.core.ranking_trial import WEIGHTS, change_weights, parse_weight
from voteweb.core.settings import env_name, is_set
from voteweb.core.settings_in_force import NAMED, changes, settings_in_force
from voteweb.core.site_switches import FACE, ON, OVERRIDDEN, TEXTS, SiteSwitches, Switch, SwitchName
from voteweb.store.articles.listings import try_weights
from voteweb.store.site.site_settings import Rescored
from voteweb.web.auth.authentication import require_recent_password
from voteweb.web.auth.login import require_admin, require_moderator
from voteweb.web.base.context import brand, now, operator_pages, settings, store
from voteweb.web.i18n.formatting import article_count, error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages.acts import LOST_RIGHTS, Message, act, form_page, lead, reads, refusals
from voteweb.web.pages.forms import PageTextForm
from voteweb.web.pages.pagination import check_page_exists
from voteweb.web.requests.site_switches import known as known_switches
from voteweb.web.views.status import site_health

blueprint = Blueprint("admin", __name__)
switches = Blueprint("admin_switches", __name__)
ranking_trial = Blueprint("ranking_trial", __name__)
domain_rules = Blueprint("domain_rules", __name__)
#: Characters of a typed weight that are shown again.
_MAX_TYPED_LENGTH = 20
_SAVED = N_("Saved. It holds everywhere within a second.")
_IN_PATH = ", ".join(repr(name.value) for name in SwitchName if name not in TEXTS)


@blueprint.get("/admin", endpoint="index")
@reads(
    require_admin,
    switches=lambda pipeline: store().site_settings.queue_switches(pipeline),
    rescored=lambda pipeline: store().site_settings.queue_rescored(pipeline),
)
def show_switches(switches: SiteSwitches, rescored: Rescored | None, refused: str = "") -> str:
    """Show the health of the site with its reasons, switches, weights and settings; *refused* says why a form was.

    Every setting is shown with its value, but secrets, and where it is from; a switch goes before it, or after it.
    """
    status, reasons = site_health()
    start = store().context.unswitched
    switched = {
        env_name(name): str(getattr(settings(), name))
        for name in (OVERRIDDEN | FACE).values()
        if getattr(settings(), name) != getattr(start, name)
    }
    first = {name: (env_name(field), getattr(start, field)) for name, field in FACE.items() if is_set(start, field)}
    if brand().accent:
        first[SwitchName.ACCENT] = "brand.toml", brand().accent
    return render_template(
        "admin/index.html",
        first=first,
        texts=TEXTS,
        status=status,
        reasons=reasons,
        switches=switches,
        rescored=rescored,
        refused=refused,
        version=__version__,
        start=start,
        switched=switched,
        rows=list(settings_in_force(start, in_data=NAMED)),
        signup_modes=config.SIGNUP_MODES,
        ON=ON,
    )


@act(
    switches,
    f"/admin/<any({_IN_PATH}):switch>",
    require_admin,
    leads_to="/admin",
    refuses=(Invalid,),
    refused=lambda error, **_: show_switches(refused=error_message(error)),
)
def set_switch(switch: str, user: User) -> Message:
    """Set or clear a switch; without words there is no announcement, without a value the settings hold."""
    name, value, words = SwitchName(switch), request.form.get("value", ""), request.form.get("words", "")
    entry_words, checked = site_switches.checked_words(name, words), site_switches.checked_value(name, value)
    if name is SwitchName.SECOND_FACTOR and permissions.lacks_second_factor(user):
        raise Invalid(N_("Please set up your own second factor first, on the page of your account."))
    require_recent_password(user)
    if name is SwitchName.ANNOUNCEMENT and not entry_words:
        checked = ""
    entry = LogEntry(LogAction.SWITCH, user.name, title=name.value, why=entry_words if checked else "")
    store().site_settings.set_switch(name, checked, entry, actor=user)
    known_switches().read()
    return _(_SAVED)


@form_page(switches, f"/admin/<any({', '.join(TEXTS)}):name>", endpoint="text")
@reads(
    require_admin,
    switches=lambda pipeline: store().site_settings.queue_switches(pipeline),
    texts=lambda pipeline, name: store().site_settings.queue_texts(pipeline, name),
)
def write_text(name: str, user: User, switches: SiteSwitches, texts: tuple[Switch, ...]) -> ResponseReturnValue:
    """Show the text of a page in a form, with those before it, one of which may be chosen; preview or save it."""
    switch = switches.get(SwitchName(name))
    chosen = next((text.words for text in texts if str(text.time) == request.args.get("version")), "")
    form = PageTextForm(text=chosen or (texts[0].words if texts and switch else ""))
    is_valid = form.validate_on_submit()
    if is_valid and "preview" not in request.form:
        with refusals(form, LOST_RIGHTS):
            require_recent_password(user)
            entry = LogEntry(LogAction.SWITCH, user.name, title=name)
            store().site_settings.set_text(SwitchName(name), form.text.data, entry, actor=user)
            known_switches().read()
            return lead(request.path, _(_SAVED))
    preview = markup.render_operator_page(form.text.data) if form.text.data and (is_valid or chosen) else None
    files = operator_pages().files(name)
    page = render_template(
        "admin/text.html", form=form, name=name, switch=switch, texts=texts, files=files, preview=preview
    )
    return page, form.status


@ranking_trial.get("/admin/ranking", endpoint="show")
@reads(require_admin)
def try_ranking() -> ResponseReturnValue:
    """Show today's first page beside that under the weights in the query; a weight that is left out stays."""
    return _show_trial(_parse_weights(request.args))


@ranking_trial.post("/admin/ranking")
@reads(require_admin)
def use(user: User) -> ResponseReturnValue:
    """Put the weights of the form in force; a background job then computes the scores of all articles."""
    typed = _parse_weights(request.form)
    if typed.refused:
        return _show_trial(typed)
    require_recent_password(user)
    entry = LogEntry(LogAction.WEIGHTS, user.name)
    try:
        is_changed = store().site_settings.change_settings(
            lambda before: change_weights(before, **typed.weights), entry, actor=user
        )
    except StillRescoring as error:
        return _show_trial(typed, error)
    known_switches().read()
    unchanged = _("Nothing was changed: these weights are in force already.")
    return lead("/admin", _("Saved: these weights are in force.") if is_changed else unchanged)


class _TypedWeights(NamedTuple):
    """The weights of a form by name: as they were typed, as they were understood, and why some were refused."""

    typed: dict[str, str]
    weights: dict[str, int | None]
    refused: dict[str, str]


def _parse_weights(form: Mapping[str, str]) -> _TypedWeights:
    parsed = _TypedWeights({}, {}, {})
    for name in WEIGHTS:
        parsed.typed[name] = text = form.get(name, "").strip()[:_MAX_TYPED_LENGTH]
        try:
            parsed.weights[name] = parse_weight(name, text)
        except Invalid as error:
            parsed.refused[name] = error_message(error)
    return parsed


def _show_trial(parsed: _TypedWeights, error: StillRescoring | None = None) -> ResponseReturnValue:
    """Show the trial of the weights, unless one was refused; *error* is why they are not used."""
    trial, site = None, settings()
    if not parsed.refused:
        trial = try_weights(store().context, store().listings, change_weights(site, **parsed.weights), now())
    page = render_template(
        "admin/ranking.html",
        typed={name: text or str(getattr(site, name)) for name, text in parsed.typed.items()},
        refused=parsed.refused,
        error=error_message(error) if error else "",
        trial=trial,
        changes=changes(site, trial.tried) if trial else {},
    )
    return page, error.status if error else 422 if parsed.refused else 200


def found_rules(rules: Sequence[DomainRule], number: int) -> tuple[Page[DomainRule], str]:
    """Return page *number* of the rules that the query searches, and the words of the search; raise NoSuchPage."""
    wanted, size = request.args.get("q", "").strip()[: config.MAX_HOST_LENGTH], config.RULE_PAGE_SIZE
    found = [rule for rule in rules if wanted.lower() in rule.domain or wanted.lower() in rule.why.lower()]
    return check_page_exists(Page.at(number, size, found[(number - 1) * size : number * size], len(found))), wanted


@act(
    domain_rules,
    "/domains",
    require_moderator,
    back="/queue#domains",
    refuses=(Invalid, TooManyRules),
    refused=lambda error, **_: render_template("admin/domain_rules.html", refused=error_message(error)),
)
def save(user: User) -> Message:
    """Make or change the rule of a domain; remove its newest articles, if that is wanted."""
    form = request.form
    action = form.get("rule", DomainAction.REFUSE.value)
    if action not in set(DomainAction):
        raise Invalid(N_("Please choose what happens to links to it."))
    domain, why = validation.check_all(
        lambda: validation.rule_domain(form.get("domain", "")), lambda: validation.reason(form.get("why", ""))
    )
    entry = LogEntry(LogAction.DOMAIN, user.name, title=domain, why=why)
    removes = bool(form.get("removes"))
    removed = store().domain_rules.set(domain, DomainAction(action), entry, removes=removes, actor=user)
    flash(_("The rule of %(domain)s has been saved.", domain=domain))
    if not removed:
        return ""
    return _("Removed: %(articles)s. With many, this can take a moment.", articles=article_count(removed))


@act(domain_rules, "/domains/<host>/delete", require_moderator, back="/queue#domains")
def delete(host: str, user: User) -> Message:
    entry = LogEntry(LogAction.UNDOMAIN, user.name, title=host[: config.MAX_HOST_LENGTH])
    if store().domain_rules.delete(host, entry, actor=user):
        return _("The rule of %(domain)s has been deleted.", domain=host)
    return _("There is no rule of %(domain)s any more.", domain=host), "error"
