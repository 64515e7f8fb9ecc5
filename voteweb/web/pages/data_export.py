"""Data export: everything that the site stores about one member."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from voteweb.core import config
from voteweb.core.comments import CommentId, ListedComment, Notice
from voteweb.core.models import Article, EarlierVersion, Report, User
from voteweb.core.my_site import MY_GROUPS
from voteweb.store import Store
from voteweb.store.accounts.secret_feeds import SecretFeed
from voteweb.store.schema.fields import words_of
from voteweb.store.schema.rankings import Ranking
from voteweb.web.i18n.formatting import iso


def export_member(store: Store, member: User) -> dict[str, Any]:
    """Return what the site stores about *member*.

    Votes on comments are not among them: they are stored by conversation, so that nobody can list those of a member
    without reading every conversation, and are forgotten when it ends.
    """
    choice = store.read(store.my_sites.queue_choice, member.name)
    mail = store.read(store.mail.queue_account, member.name)
    reports = store.reports.made_by(member)
    return {
        "account": {
            "name": member.name,
            "role": member.role,
            "since": iso(member.since),
            "invited by": member.invited_by or None,
            "about": member.about or None,
            "waits since": iso(member.held) if member.held else None,
            "request to the moderators": member.request or None,
            "answer to the ban": member.ban_answer or None,
            "e-mail": mail.email or None,
            "e-mail to be confirmed": mail.pending.address if mail.pending else None,
            "former e-mail": [link.address for link in mail.former],
            "second factor": bool(member.second_factor),
            "language of mails": mail.language or None,
            "keyed digest of the network signed up from": store.read(store.waiting.queue_network, member.name) or None,
        },
        "recovery codes left": store.read(store.passwords.queue_codes_left, member.name).number,
        "sessions": [
            {"browser": session.browser or None, "since": iso(session.began), "last used": iso(session.used)}
            for session in store.read(store.sessions.queue_all, member)
        ],
        "programs": [
            {
                "name": program.name,
                "rights": list(program.rights),
                "made": iso(program.made),
                "until": iso(program.until),
                "last used": iso(program.used) if program.used > program.made else None,
            }
            for program in store.read(store.programs.queue_all, member.name)
        ],
        "log-ins": [
            {
                "time": iso(log_in.time),
                "outcome": log_in.outcome,
                "keyed digest of the network": log_in.network,
                "browser": log_in.browser,
            }
            for log_in in store.sessions.log_ins_of(member.name)
        ],
        "articles": [
            *_articles(store, store.rankings.member(member.name)),
            *_articles(store, store.rankings.member_gone(member.name)),
        ],
        "comments": [_comment(comment) for comment in store.listings.member_comments(member.name)],
        "inbox": [
            _notice(notice) for notice in store.read_all(partial(store.inbox.queue_page, with_hidden=True), member.name)
        ],
        "inbox has a feed": store.read(store.feeds.queue_has, SecretFeed.INBOX, member.name),
        "front page shows the groups followed": member.front == MY_GROUPS,
        "theme": member.theme or None,
        "order of comments": member.order or None,
        "groups followed": list(choice.follows),
        "hidden": [
            {"kind": hidden.kind.name.lower(), "name": hidden.name, "since": iso(hidden.time)}
            for hidden in store.read(store.my_sites.queue_hidden, member.name, 1, config.MAX_HIDDEN).rows
        ],
        "saved": list(map(_reference, store.read_all(store.my_sites.queue_saved, member.name))),
        "saved articles have a feed": store.read(store.feeds.queue_has, SecretFeed.SAVED, member.name),
        "conversations seen": [
            {
                "article": id,
                "newest comment": visit.newest,
                "not shown yet": [f"{numbers[0]}-{numbers[-1]}" for numbers in visit.unread],
                "time": iso(visit.time),
            }
            for id, visit in store.threads.visits_of(member.name).items()
        ],
        "reports": [_report({"article": id}, report) for id, report in reports.items() if isinstance(id, int)],
        "reports of comments": [
            _report({"comment": str(id)}, report) for id, report in reports.items() if isinstance(id, CommentId)
        ],
        "invitations": [
            {"until": iso(invitation.until), "used by": invitation.used or None, "withdrawn": invitation.revoked}
            for invitation in store.read_all(store.invitations.queue_page, member.name)
        ],
        "votes": list(map(_reference, store.read_all(store.votes.queue_open, member.id))),
        "votes that a ban took back": [
            {"article": id} if isinstance(id, int) else {"comment": str(id)}
            for id in store.open_votes.revoked(member.name)
        ],
    }


def _report(what: dict[str, Any], report: Report | None) -> dict[str, Any]:
    if report is None:
        return what | {"settled": True}
    return what | {"reason": report.reason, "note": report.note, "time": iso(report.time)}


def _reference(article: Article) -> dict[str, Any]:
    """Return what a member may know of an article of anybody's: of one that is not listed, that there was one."""
    words = {"title": article.title, "link": article.link} if article.is_listed else {}
    return {"article": article.id, **words}


def _comment(comment: ListedComment) -> dict[str, Any]:
    node = comment.node
    return {
        "comment": str(comment.id),
        "article": comment.id.article,
        "title": comment.title,
        "answers": {"comment": f"{comment.id.article}.{node.parent}", "by": comment.answers} if node.parent else None,
        "text": comment.text,
        "time": iso(node.time),
        "votes": node.votes,
        "edited": node.is_edited,
        "by a program": node.by_program,
        "no notices of replies": node.is_quiet,
        "gone": node.status or None,
    }


def _notice(notice: Notice) -> dict[str, Any]:
    log, comment = notice.log, notice.comment
    return {
        "kind": notice.kind,
        "time": iso(notice.time),
        "read": not notice.is_unread,
        "comment": str(comment.id) if comment else None,
        "by": comment.node.author if comment else None,
        "log entry": log.id if log else None,
        "account": notice.change,
    }


def _articles(store: Store, ranking: Ranking) -> list[dict[str, Any]]:
    exported = []
    for id in store.listings.ids(ranking):
        pipeline = store.pipeline()
        article = store.articles.queue_get(pipeline, id)
        earlier = store.articles.queue_earlier(pipeline, id)
        pipeline.execute()
        if article.result is not None:
            exported.append(_article(article.result, earlier.result))
    return exported


def _article(article: Article, earlier: Sequence[EarlierVersion]) -> dict[str, Any]:
    return {
        "id": article.id,
        **words_of(article),
        "time": iso(article.time),
        "votes": article.votes,
        "groups": list(article.groups),
        "edited": iso(article.edited) if article.edited else None,
        "by a program": article.by_program,
        "answer to moderators": article.answer or None,
        "earlier versions": [
            {"until": iso(version.until), **words_of(version), "groups": list(version.groups)} for version in earlier
        ],
        "gone": article.status or None,
        "reason": article.reason or None,
    }
