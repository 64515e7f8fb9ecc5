"""The table of all addresses, from which the tests of this folder draw their cases."""

from typing import Any

from flask import Flask, current_app

from tests.conftest import SECRET_KEY
from tests.web.addresses.address import (
    ADMIN,
    BANNED,
    LATE,
    LOGGED_OUT,
    MEMBER,
    MEMBERS,
    MODERATOR,
    PEOPLE,
    POSTER,
    READER,
    STAFF,
    Address,
    Caching,
)
from tests.web.browser import PASSWORD
from tests.web.state import CODE, PENDING, TOKEN
from voteweb.web.mail import messages
from voteweb.web.views.auth import ban_answers

#: The token of the link in a mail to the member, and that of a banned member who answers.
with Flask(__name__).app_context():
    current_app.secret_key = SECRET_KEY
    CONFIRMATION = messages.confirmation_token(MEMBER, PENDING)
    BAN_TOKEN = ban_answers().dumps("yan")
OTHER_MEMBERS = tuple(person for person in MEMBERS if person != MEMBER)


def all_get(people: tuple[str, ...], status: int) -> dict[str, int]:
    return dict.fromkeys(people, status)


#: The row of a page.
page = Address


def listing(endpoint: str, path: str, **columns: Any) -> Address:
    """Return the row of a list with several pages."""
    return Address(endpoint, path, **{"parameters": ("page",), **columns})


def moved(path: str) -> Address:
    """Return the row of a former address."""
    endpoint = "status." + path.strip("/").replace("/", "_")
    return Address(endpoint, path, allowed=(), refused=all_get(PEOPLE, 302), is_html=False)


def public_file(endpoint: str, path: str, **columns: Any) -> Address:
    """Return the row of a feed or another file that is the same for everybody."""
    public: dict[str, Any] = {"caching": Caching.PUBLIC, "is_html": False}
    return Address(endpoint, path, **{**public, **columns})


def form(endpoint: str, path: str, **columns: Any) -> Address:
    """Return the row of a form, which writes."""
    defaults: dict[str, Any] = {"method": "POST", "writes": True}
    return Address(endpoint, path, **{**defaults, **columns})


def staff_form(endpoint: str, path: str, **columns: Any) -> Address:
    return form(endpoint, path, allowed=STAFF, **columns)


def members_form(endpoint: str, path: str, **columns: Any) -> Address:
    return form(endpoint, path, allowed=MEMBERS, **columns)


#: The columns of pages of readers, of their forms, and of forms that are shown again with the fields to log in.
OF_READERS: dict[str, Any] = {"allowed": LOGGED_OUT, "refused": all_get(MEMBERS, 303), "caching": Caching.NOBODY}
READERS_OWN: dict[str, Any] = {"allowed": (READER,), "refused": {BANNED: 422, **all_get(MEMBERS, 303)}}
SHOWN_AGAIN = {"refused": all_get(LOGGED_OUT, 422), "refused_as_json": all_get(LOGGED_OUT, 401), "keeps_typed": True}
#: The comments of the site of conftest.py: by zoe, and by the member.
COMMENT, ZOES, MEMBERS_OWN = "/a/{id}/c/{number}", {"id": "1", "number": "1"}, {"id": "1", "number": "2"}

PAGES = [
    listing("lists.front", "/", parameters=("page", "of")),
    listing("lists.new", "/new"),
    page("lists.good", "/good"),
    page("articles.show", "/a/{id}", parameters=("page", "order")),
    page("articles.show", "/a/{id}", case="removed", parts={"id": "3"}, allowed=STAFF, refused=all_get(PEOPLE, 410)),
    page("submission.submit", "/submit", allowed=MEMBERS, parameters=("title", "link", "text")),
    page("articles.edit", "/a/{id}/edit", allowed=(POSTER, *STAFF)),
    page("comments.show", COMMENT, parts=ZOES, parameters=("page", "order")),
    page("comments.write", "/a/{id}/comment", allowed=MEMBERS),
    page("comments.write", f"{COMMENT}/reply", parts=ZOES, allowed=MEMBERS, parameters=("quote", "next")),
    page("comments.edit", f"{COMMENT}/edit", parts=MEMBERS_OWN, allowed=(MEMBER,)),
    page("comments.delete", f"{COMMENT}/delete", parts=MEMBERS_OWN, allowed=(MEMBER,)),
    page("groups.index", "/groups"),
    listing("lists.group", "/g/{names}"),
    listing("lists.group", "/g/{names}", case="combined", parts={"names": "python+redis"}),
    listing("lists.group", "/g/{names}", case="in Chinese", parts={"names": "编程"}),
    listing("lists.group_new", "/g/{names}/new"),
    listing("lists.group_new", "/g/{names}/new", case="combined", parts={"names": "python+redis"}),
    listing("lists.top", "/top", parameters=("of", "page")),
    listing("lists.group_top", "/g/{names}/top", parameters=("of", "page")),
    page("search.show", "/search", query={"q": "words"}, parameters=("q", "within", "sort", "page")),
    page("groups.new", "/groups/new", allowed=STAFF),
    page("groups.edit", "/g/{name}/edit", allowed=STAFF),
    listing("users.show", "/u/{name}", parts={"name": "poster"}),
    page("admin.index", "/admin", allowed=(ADMIN,)),
    listing("members.log_ins", "/members/log-ins", allowed=(ADMIN,)),
    listing("voters.looks", "/members/looks", allowed=(ADMIN,)),
    page("voters.of_article", "/a/{id}/voters", allowed=STAFF),
    page("voters.of_member", "/u/{name}/votes-together", allowed=STAFF),
    page("members.invited", "/members/invited", allowed=STAFF),
    moved("/admin/settings"),
    moved("/admin/log-ins"),
    moved("/admin/invitations"),
    page("bans.form", "/u/{name}/ban", allowed=STAFF),
    page("bans.several", "/ban", query={"name": "zoe"}, parameters=("name",), allowed=STAFF),
    page("auth.signup", "/signup", query={"invite": TOKEN}, parameters=("next", "invite", "vote"), **OF_READERS),
    page("auth.login", "/login", parameters=("next", "vote"), **OF_READERS),
    page("recovery.recover", "/recover", parameters=("next", "vote"), **OF_READERS),
    page("recovery.codes", "/account/recovery-codes", allowed=MEMBERS),
    page(
        "auth.second_factor",
        "/login/second-factor",
        parameters=("next", "vote"),
        allowed=(),
        refused={READER: 200, BANNED: 303, **all_get(MEMBERS, 303)},
        caching=Caching.NOBODY,
    ),
    page("account.second_factor", "/account/second-factor", allowed=STAFF, caching=Caching.NOBODY),
    page("mail.index", "/account/mail", allowed=MEMBERS),
    page(
        "mail.confirm",
        "/account/mail/confirm/{token}",
        parts={"token": CONFIRMATION},
        allowed=(MEMBER,),
        refused=all_get(OTHER_MEMBERS, 410),
        caching=Caching.NOBODY,
    ),
    page("mail.recover", "/recover/mail", **OF_READERS),
    page("auth.reset", "/reset/{token}", caching=Caching.NOBODY),
    page(
        "auth.reset",
        "/reset/{token}",
        case="unknown",
        parts={"token": "another"},
        allowed=(),
        refused=all_get(PEOPLE, 410),
        caching=Caching.NOBODY,
    ),
    page("account.index", "/account", allowed=MEMBERS),
    page("account.data", "/account/data", allowed=MEMBERS, is_html=False, caching=Caching.NOBODY),
    listing("invitations.index", "/invitations", parameters=("page", "by"), allowed=STAFF),
    page(
        "queue.show",
        "/queue",
        parameters=("people", "answers", "bans", "held", "abouts", "reports", "domains", "q"),
        allowed=STAFF,
    ),
    *map(moved, ("/reports", "/waiting", "/domains")),
    page("members.moderators", "/moderators"),
    page("statistics.index", "/stats"),
    page(
        "ranking_trial.show",
        "/admin/ranking",
        parameters=("good_votes", "lift_days", "comment_good_votes"),
        allowed=(ADMIN,),
    ),
    page("members.index", "/members", parameters=("of", "q", "page"), allowed=STAFF),
    page("sorting.index", "/sort", parameters=("of", "before", "page"), allowed=STAFF),
    listing("comments.newest", "/comments"),
    listing("comments.of_member", "/u/{name}/comments", parts={"name": "poster"}),
    listing("my_site.inbox", "/inbox", allowed=MEMBERS),
    listing("my_site.whole_inbox", "/inbox/all", allowed=MEMBERS),
    listing("lists.my_groups", "/my", allowed=MEMBERS),
    listing("lists.my_groups_new", "/my/new", allowed=MEMBERS),
    listing("my_site.hidden", "/hidden", allowed=MEMBERS),
    listing("lists.domain", "/d/{domain}", parts={"domain": "example.com"}),
    listing("my_site.saved", "/saved", allowed=MEMBERS),
    page("moderation.article_reports", "/a/{id}/reports", parameters=("after",), allowed=STAFF),
    page("comment_moderation.report", "/a/{id}/c/{number}/report", parts={"id": "4"}, allowed=MEMBERS),
    page(
        "comment_moderation.reports",
        "/a/{id}/c/{number}/reports",
        parts={"id": "4"},
        parameters=("after",),
        allowed=STAFF,
    ),
    listing("moderation_log.index", "/log", parameters=("q", "who", "kind", "from", "to", "before")),
    page("moderation_log.index", "/log", case="a search", query={"q": "spam"}),
    page(
        "moderation_log.undo_all_form",
        "/u/{name}/undo",
        parts={"name": "other-mod"},
        parameters=("since",),
        allowed=(ADMIN,),
    ),
    page("status.about", "/about"),
    page("status.rules", "/rules"),
    page("status.privacy", "/privacy"),
    page("status.guide", "/guide", allowed=STAFF),
    page("status.health", "/healthz", is_html=False, caching=Caching.NOBODY),
    page("status.security_contact", "/.well-known/security.txt", allowed=(), refused=all_get(PEOPLE, 404)),
    page("status.metrics", "/metrics", allowed=(), refused=all_get(PEOPLE, 404), caching=Caching.NOBODY),
    public_file("feeds.front", "/feed.{format}"),
    public_file("feeds.front", "/feed.{format}", case="JSON", parts={"format": "json"}),
    public_file("feeds.new", "/new.{format}"),
    public_file("search.describe", "/opensearch.xml"),
    public_file("search.feed", "/search.{format}", query={"q": "words"}, parameters=("q", "within")),
    public_file("feeds.top", "/top.{format}", parameters=("of",)),
    public_file("feeds.group_top", "/g/{names}/top.{format}", parameters=("of",)),
    public_file("feeds.good", "/good.{format}"),
    public_file("feeds.group", "/g/{names}.{format}"),
    public_file(
        "feeds.group", "/g/{names}.{format}", case="combined", parts={"names": "python+redis", "format": "json"}
    ),
    public_file("feeds.group_new", "/g/{names}/new.{format}"),
    public_file("feeds.member", "/u/{name}.{format}", parts={"name": "poster", "format": "atom"}),
    public_file("comment_feeds.conversation", "/a/{id}.{format}"),
    public_file("comment_feeds.newest", "/comments.{format}"),
    public_file("comment_feeds.of_member", "/u/{name}/comments.{format}", parts={"name": "poster"}),
    public_file("comment_feeds.replies", "/a/{id}/c/{number}.{format}", parts={"id": "1"}),
    public_file("feeds.domain", "/d/{domain}.{format}", parts={"domain": "example.com", "format": "atom"}),
    page("feeds.saved", "/saved/feed/{token}.{format}", caching=Caching.NOBODY, is_html=False),
    page("comment_feeds.inbox", "/inbox/feed/{token}.{format}", caching=Caching.NOBODY, is_html=False),
    public_file("feeds.opml", "/groups.opml"),
    public_file("moderation_log.feed", "/log.{format}", parameters=("who", "kind")),
    public_file("site_files.robots", "/robots.txt"),
    public_file("site_files.sitemap", "/sitemap.xml"),
    public_file("site_files.sitemap_lists", "/sitemap-0.xml"),
    public_file("site_files.sitemap_articles", "/sitemap-{number}.xml"),
    public_file("site_files.favicon", "/favicon.ico"),
    public_file("site_files.touch_icon", "/apple-touch-icon.png"),
    public_file("site_files.manifest", "/manifest.webmanifest"),
    public_file("static", "/static/{filename}"),
]

ARTICLE = {"title": "Kept title", "link": "https://kept.example/", "text": "Kept text", "groups": "python", "once": ""}

FORMS = [
    members_form(
        "submission.submit",
        "/submit",
        fields={**ARTICLE, "once": TOKEN, "anyway": "1"},
        refused=all_get(LOGGED_OUT, 422),
        keeps_typed=True,
    ),
    members_form(
        "submission.fetch_title",
        "/submit/title",
        fields=ARTICLE,
        accepted=200,
        writes=False,
        refused=all_get(LOGGED_OUT, 422),
        keeps_typed=True,
    ),
    members_form(
        "submission.preview",
        "/submit/preview",
        fields=ARTICLE,
        accepted=200,
        writes=False,
        refused=all_get(LOGGED_OUT, 422),
        keeps_typed=True,
    ),
    form("articles.edit", "/a/{id}/edit", fields={**ARTICLE, "revision": "1"}, allowed=(POSTER, *STAFF), **SHOWN_AGAIN),
    form("articles.delete", "/a/{id}/delete", allowed=(POSTER,)),
    form(
        "votes.vote",
        "/a/{id}/vote",
        allowed=(MEMBER, *STAFF),
        returns_to="/a/1#a1",
        refused=all_get((POSTER, LATE), 303),
        refused_as_json=all_get((POSTER, LATE), 409),
    ),
    members_form("votes.unvote", "/a/{id}/unvote", parts={"id": "4"}, returns_to="/a/4#a4"),
    members_form("comments.write", "/a/{id}/comment", fields={"text": "Kept words", "once": TOKEN}, **SHOWN_AGAIN),
    members_form(
        "comments.write", f"{COMMENT}/reply", parts=ZOES, fields={"text": "Kept words", "once": TOKEN}, **SHOWN_AGAIN
    ),
    form(
        "comments.edit",
        f"{COMMENT}/edit",
        parts=MEMBERS_OWN,
        fields={"text": "Kept words"},
        allowed=(MEMBER,),
        **SHOWN_AGAIN,
    ),
    form("comments.delete", f"{COMMENT}/delete", parts=MEMBERS_OWN, allowed=(MEMBER,), returns_to="/a/1#comments"),
    form(
        "comments.quiet",
        f"{COMMENT}/quiet",
        parts=MEMBERS_OWN,
        fields={"quiet": "1"},
        allowed=(MEMBER,),
        returns_to="/a/1/c/2#c2",
    ),
    form(
        "comments.quiet",
        "/a/{id}/quiet",
        parts={"id": "1"},
        fields={"quiet": "1"},
        allowed=(POSTER,),
        returns_to="/a/1#a1",
    ),
    members_form("comment_votes.vote", f"{COMMENT}/vote", parts=ZOES, returns_to="/a/1/c/1#c1"),
    members_form(
        "comment_votes.unvote", f"{COMMENT}/unvote", parts={"id": "1", "number": "3"}, returns_to="/a/1/c/3#c3"
    ),
    staff_form(
        "groups.new",
        "/groups/new",
        fields={"name": "golang", "title": "Kept title", "description": "Kept words"},
        keeps_typed=True,
    ),
    staff_form("groups.delete", "/g/{name}/delete", parts={"name": "编程"}),
    staff_form(
        "groups.edit", "/g/{name}/edit", fields={"title": "Kept title", "description": "Kept words"}, keeps_typed=True
    ),
    staff_form("groups.merge", "/g/{name}/merge", parts={"name": "编程"}, fields={"into": "python"}, keeps_typed=True),
    form("auth.signup", "/signup", fields={"username": "carl", "password": PASSWORD, "invite": TOKEN}, **READERS_OWN),
    form("auth.login", "/login", fields={"username": "zoe", "password": PASSWORD}, returns_to="/", **READERS_OWN),
    form(
        "auth.answer",
        "/login/answer",
        fields={"ban": BAN_TOKEN, "answer": "Kept words, I hope."},
        keeps_typed=True,
        **READERS_OWN,
    ),
    form(
        "recovery.recover",
        "/recover",
        fields={"username": "zoe", "code": CODE, "new": PASSWORD},
        returns_to="/",
        **READERS_OWN,
    ),
    members_form("recovery.codes", "/account/recovery-codes", accepted=200),
    form(
        "auth.second_factor",
        "/login/second-factor",
        fields={"code": CODE},
        allowed=(READER,),
        refused=all_get((BANNED, *MEMBERS), 303),
        returns_to="/",
    ),
    form(
        "account.second_factor",
        "/account/second-factor",
        fields={"password": PASSWORD, "code": "12"},
        allowed=(ADMIN,),
        accepted=422,
        refused={MODERATOR: 409},
        writes=False,
        keeps_typed=True,
    ),
    form(
        "account.end_second_factor",
        "/account/second-factor/off",
        fields={"password": PASSWORD, "code": CODE},
        allowed=(MODERATOR,),
        refused={ADMIN: 303},
        keeps_typed=True,
    ),
    members_form("mail.index", "/account/mail", fields={"email": "kept@mail.example"}, keeps_typed=True),
    members_form("mail.remove", "/account/mail/remove"),
    form(
        "mail.confirm",
        "/account/mail/confirm/{token}",
        parts={"token": CONFIRMATION},
        allowed=(MEMBER,),
        refused=all_get(OTHER_MEMBERS, 410),
    ),
    form("mail.recover", "/recover/mail", fields={"username": "zoe"}, accepted=200, **READERS_OWN),
    form("auth.logout", "/logout", idle=(READER,)),
    form("auth.reset", "/reset/{token}", fields={"new": PASSWORD}, allowed=(READER, *MEMBERS), refused={BANNED: 422}),
    members_form("account.index", "/account", fields={"old": PASSWORD, "new": PASSWORD}, keeps_typed=True),
    members_form("account.end_sessions", "/account/sessions", fields={"end": "others"}),
    members_form("account.logout_everywhere", "/account/logout-everywhere"),
    members_form(
        "account.delete", "/account/delete", fields={"password": PASSWORD, "articles": "keep"}, keeps_typed=True
    ),
    members_form("my_site.follow", "/g/{name}/follow", returns_to="/"),
    members_form("my_site.unfollow", "/g/{name}/unfollow", parts={"name": "redis"}, returns_to="/"),
    members_form("account.describe", "/account/about", fields={"about": "Kept"}, keeps_typed=True),
    members_form("account.choose_theme", "/account/theme", fields={"theme": "dark"}),
    members_form("my_site.choose_front", "/my/front", fields={"front": "my"}, returns_to="/my"),
    members_form("my_site.choose_order", "/my/order", fields={"order": "new"}, returns_to="/"),
    members_form("my_site.save", "/a/{id}/save", returns_to="/a/1#a1"),
    members_form("my_site.unsave", "/a/{id}/unsave", parts={"id": "4"}, returns_to="/a/4#a4"),
    members_form("my_site.set_saved_feed", "/saved/feed", fields={"act": "renew"}),
    *(
        row
        for kind, path, hidden, shown in (
            ("article", "/a/{id}", {"id": "1"}, {"id": "4"}),
            ("group", "/g/{name}", {"name": "python"}, {"name": "redis"}),
            ("member", "/u/{name}", {"name": "zoe"}, {"name": "poster"}),
            ("domain", "/d/{domain}", {"domain": "example.com"}, {"domain": "example.org"}),
        )
        for row in (
            members_form("my_site.hide", f"{path}/hide", parts=hidden, returns_to="/a/1" if kind == "article" else "/"),
            members_form(
                "my_site.unhide", f"{path}/unhide", parts=shown, returns_to="/a/4#a4" if kind == "article" else "/"
            ),
        )
    ),
    members_form("my_site.mark_read", "/inbox/read", fields={"until": "reply 1.1 1"}),
    members_form("my_site.set_inbox_feed", "/inbox/feed", fields={"act": "renew"}),
    staff_form("invitations.make", "/invitations"),
    staff_form(
        "invitations.revoke",
        "/invitations/{digest}/revoke",
        returns_to="/invitations",
        refused=all_get((MEMBER, POSTER, LATE), 404),
    ),
    staff_form("bans.ban", "/u/{name}/ban", fields={"reason": "Spam."}),
    form(
        "bans.ban",
        "/u/{name}/ban",
        case="a moderator",
        parts={"name": "other-mod"},
        fields={"reason": "Spam."},
        allowed=(ADMIN,),
    ),
    form(
        "bans.ban",
        "/u/{name}/ban",
        case="an admin",
        parts={"name": "other-admin"},
        fields={"reason": "Spam."},
        allowed=(),
    ),
    form(
        "bans.ban", "/u/{name}/ban", case="who has left", parts={"name": "gone"}, fields={"reason": "Spam."}, allowed=()
    ),
    staff_form("bans.ban_several", "/ban", fields={"name": "zoe", "reason": "Spam."}),
    staff_form("bans.unban", "/u/{name}/unban", parts={"name": "yan"}, returns_to="/u/yan"),
    staff_form("held_articles.release", "/a/{id}/release", parts={"id": "8"}, returns_to="/a/8#a8"),
    form(
        "admin_switches.set_switch",
        "/admin/{switch}",
        parts={"switch": "announcement"},
        fields={"words": "Words."},
        allowed=(ADMIN,),
    ),
    form("ranking_trial.use", "/admin/ranking", fields={"good_votes": "3"}, allowed=(ADMIN,)),
    staff_form("domain_rules.save", "/domains", fields={"domain": "spam.example", "rule": "refuse", "why": "Spam."}),
    staff_form("domain_rules.delete", "/domains/{host}/delete", parts={"host": "ad.example"}),
    staff_form("notes.add", "/u/{name}/note", fields={"text": "A note."}),
    staff_form("notes.delete", "/u/{name}/note/{note}/delete", parts={"name": "zoe", "note": "1"}),
    members_form("users.report_about", "/u/{name}/report", returns_to="/"),
    staff_form(
        "users.judge_about", "/u/{name}/about", fields={"reason": "rude", "seen": "I am zoe."}, returns_to="/u/zoe"
    ),
    form("users.set_role", "/u/{name}/role", fields={"role": "moderator"}, allowed=(ADMIN,)),
    form(
        "users.set_role",
        "/u/{name}/role",
        case="of who has left",
        parts={"name": "gone"},
        fields={"role": "admin"},
        allowed=(),
    ),
    staff_form("admissions.admit", "/u/{name}/admit", parts={"name": "hal"}, returns_to="/queue"),
    staff_form(
        "admissions.refuse", "/u/{name}/refuse", parts={"name": "hal"}, fields={"reason": "Spam."}, returns_to="/queue"
    ),
    staff_form("queue.keep_banned", "/u/{name}/keep-banned", parts={"name": "xan"}, returns_to="/queue"),
    staff_form(
        "moderation.set_groups",
        "/a/{id}/groups",
        fields={"add": "redis", "remove": "python", "settle": "1"},
        returns_to="/a/1#a1",
    ),
    staff_form("sorting.index", "/sort", fields={"id": "4", "a4": "redis"}),
    staff_form("moderation.remove", "/a/{id}/remove", fields={"reason": "Spam."}, returns_to="/a/1#a1"),
    staff_form("moderation.restore", "/a/{id}/restore", parts={"id": "3"}, returns_to="/a/3#a3"),
    form("answers.answer", "/a/{id}/answer", parts={"id": "6"}, fields={"answer": "It is no spam."}, allowed=(POSTER,)),
    staff_form("answers.keep_removed", "/a/{id}/keep-removed", parts={"id": "7"}, returns_to="/a/7#a7"),
    form(
        "moderation.report",
        "/a/{id}/report",
        fields={"reason": "spam", "note": "words"},
        allowed=(MEMBER, *STAFF),
        returns_to="/a/1#a1",
    ),
    staff_form("moderation.dismiss", "/a/{id}/dismiss", returns_to="/a/1#a1"),
    members_form(
        "comment_moderation.report",
        "/a/{id}/c/{number}/report",
        parts={"id": "4"},
        fields={"reason": "spam", "note": "Kept words"},
        returns_to="/a/4/c/1#c1",
        **SHOWN_AGAIN,
    ),
    staff_form(
        "comment_moderation.remove",
        "/a/{id}/c/{number}/remove",
        parts={"id": "4"},
        fields={"reason": "Spam.", "replies": "1"},
        returns_to="/a/4/c/1#c1",
    ),
    staff_form(
        "comment_moderation.restore",
        "/a/{id}/c/{number}/restore",
        parts={"id": "4", "number": "2"},
        returns_to="/a/4/c/2#c2",
    ),
    staff_form("comment_moderation.dismiss", "/a/{id}/c/{number}/dismiss", parts={"id": "4"}, returns_to="/a/4/c/1#c1"),
    staff_form(
        "comment_moderation.close",
        "/a/{id}/close",
        parts={"id": "4"},
        fields={"reason": "Heated."},
        returns_to="/a/4#comments",
    ),
    staff_form("comment_moderation.reopen", "/a/{id}/reopen", parts={"id": "5"}, returns_to="/a/5#comments"),
    form(
        "moderation_log.undo",
        "/log/{id}/undo",
        parts={"id": "1"},
        allowed=(MODERATOR,),
        refused={ADMIN: 409},
        returns_to="/log",
    ),
    form(
        "moderation_log.undo_all",
        "/u/{name}/undo",
        parts={"name": "other-mod"},
        fields={"since": "1"},
        allowed=(ADMIN,),
    ),
    form(
        "moderation_log.undo_all",
        "/u/{name}/undo",
        case="an admin",
        parts={"name": "other-admin"},
        fields={"since": "1"},
        allowed=(),
    ),
    form("language.choose", "/language", fields={"language": "zh"}, writes=False, returns_to="/"),
]

TABLE = [*PAGES, *FORMS]
#: One row for each method of each route.
ROUTES = [address for address in TABLE if not address.case]
