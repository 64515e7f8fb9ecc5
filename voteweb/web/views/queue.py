"""The queue: all that waits for a moderator on one page, and the acts on people who wait, or answered a ban."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from flask import Blueprint, redirect, render_template, request
from flask.typing import ResponseReturnValue

from voteweb.core import links, validation
from voteweb.core.comments import Reported
from voteweb.core.errors import Invalid
from voteweb.core.models import Article, DomainRule, LogAction, LogEntry, Page, PlannedMerge, Report, User
from voteweb.core.names import name_key
from voteweb.web.auth.login import require_moderator
from voteweb.web.base.context import store
from voteweb.web.base.urls import page_number
from voteweb.web.i18n.formatting import error_message
from voteweb.web.i18n.locale import gettext as _
from voteweb.web.pages.acts import Message, act, reads
from voteweb.web.pages.forms import REASON_LABELS
from voteweb.web.views.admin import found_rules
from voteweb.web.views.members import queue_member

blueprint = Blueprint("queue", __name__)
admissions = Blueprint("admissions", __name__)


@blueprint.get("/queue", endpoint="show")
@reads(
    require_moderator,
    people=lambda pipeline: store().waiting.queue_accounts(pipeline, page_number("people")),
    answers=lambda pipeline: store().waiting.queue_answers(pipeline, page_number("answers")),
    bans=lambda pipeline: store().bans.queue_answered(pipeline, page_number("bans")),
    held=lambda pipeline: store().waiting.queue_articles(pipeline, page_number("held")),
    abouts=lambda pipeline: store().waiting.queue_abouts(pipeline, page_number("abouts")),
    reports=lambda pipeline: store().reports.queue_page(pipeline, page_number("reports")),
    all_groups=lambda pipeline: store().groups.queue_names(pipeline),
    merges=lambda pipeline: store().planned_merges.queue_all(pipeline),
    rules=lambda pipeline: store().domain_rules.queue_all(pipeline),
)
def show(
    user: User,
    people: Page[str],
    answers: Page[Article],
    bans: Page[str],
    held: Page[Article],
    abouts: Page[str],
    reports: Page[Reported],
    all_groups: Sequence[str],
    merges: Sequence[PlannedMerge],
    rules: Sequence[DomainRule],
    refused: str = "",
    refused_name: str = "",
) -> ResponseReturnValue:
    """Show all that waits for a moderator, and the rules of links; the refusal of one member may be *refused*."""
    sections: dict[str, Page[Any]] = {
        "people": people, "answers": answers, "bans": bans, "held": held, "abouts": abouts,
        "reports": reports, "merges": Page.at(1, len(merges), merges, len(merges)),
    }  # fmt: skip
    if refused:  # the forms of the others would lead away from the queue
        people = Page.at(1, 1, [name_key(refused_name)], 1)
        sections = {"people": people}
    for name, section in sections.items():
        if section.number > 1 and section.first_rank > section.total:
            return redirect(f"/queue#{name}")  # the last of that page has just been judged
    domains, wanted = found_rules(rules, page_number("domains"))
    pipeline = store().pipeline()
    own_votes = store().votes.queue_own(pipeline, [row.article.id for row in reports.rows if row.article], user.id)
    notes = store().notes.queue_of(pipeline, filter(validation.is_member_name, map(_author, reports.rows)))
    members = {name: store().users.queue_get(pipeline, name) for name in (*people.rows, *bans.rows, *abouts.rows)}
    neighbours = {name: store().waiting.queue_neighbours(pipeline, name) for name in people.rows}
    pipeline.execute()
    known = {name: member.result for name, member in members.items() if member.result}
    rule_of = {rule.domain: rule for rule in rules}
    return render_template(
        "queue/index.html",
        sections=sections,
        rows={
            "people": [(known[name], neighbours[name].result) for name in people.rows if name in known],
            "bans": [known[name] for name in bans.rows if name in known],
            "abouts": [known[name] for name in abouts.rows if name in known],
            "reports": [_mark_voted(row, own_votes.result) for row in reports.rows],
        },
        domains=domains,
        rule_on=lambda link: next((rule_of[name] for name in links.rule_domains(link) if name in rule_of), None),
        wanted=wanted,
        notes_on=lambda name: notes.result.get(name_key(name), ()),
        reasons=REASON_LABELS,
        suggest_removal=_suggest_removal,
        all_groups=all_groups,
        refused=refused,
    )


def _author(row: Reported) -> str:
    """Return the name of the member who posted what was reported, "" if it has none."""
    if row.comment:
        return row.comment.node.author
    return row.article.poster if row.article else ""


def _suggest_removal(reports: Sequence[Report]) -> dict[str, str]:
    """Return the ``reason`` that most of *reports* give and the first ``note`` on it, for the form of a removal."""
    reasons = Counter(report.reason for report in reports).most_common(1)
    if not reasons:
        return {}
    (reason, _count) = reasons[0]
    note = next((report.note for report in reports if report.reason is reason and report.note), "")
    return {"reason": str(REASON_LABELS[reason]), "note": note}


def _mark_voted(row: Reported, own_votes: Collection[int]) -> Reported:
    if row.article is None:
        return row
    return row._replace(article=replace(row.article, voted=row.article.id in own_votes))


@act(admissions, "/u/<name>/admit", require_moderator, back="/queue", member=queue_member)
def admit(user: User, member: User) -> Message:
    """Admit a member whose account waits or was refused."""
    entry = LogEntry(LogAction.ADMIT, user.name, about=member.name)
    if store().waiting.judge_account(member.name, entry, actor=user):
        return _("%(name)s has been let in.", name=member.name)
    return _("%(name)s has been let in already.", name=member.name)


@act(
    admissions,
    "/u/<name>/refuse",
    require_moderator,
    back="/queue",
    refuses=(Invalid,),
    refused=lambda error, member, **_: show(refused=error_message(error), refused_name=member.name),
    member=queue_member,
)
def refuse(user: User, member: User) -> Message:
    """Refuse a member whose account waits, with a reason that everybody can read."""
    why = validation.reason(request.form.get("reason", ""))
    entry = LogEntry(LogAction.REFUSE, user.name, about=member.name, why=why)
    if store().waiting.judge_account(member.name, entry, actor=user):
        return _("%(name)s has been refused, and reads your reason on trying to log in.", name=member.name)
    return _("Another moderator has decided about %(name)s already.", name=member.name), "error"


@act(blueprint, "/u/<name>/keep-banned", require_moderator, back="/queue", member=queue_member)
def keep_banned(user: User, member: User) -> Message:
    """Leave a member banned who has answered the ban; who tries to log in reads that."""
    entry = LogEntry(LogAction.KEEP, user.name, about=member.name)
    if store().bans.keep(member.name, entry, actor=user):
        return _("%(name)s stays banned, and reads that on trying to log in.", name=member.name)
    return _("This answer was settled already."), "error"
