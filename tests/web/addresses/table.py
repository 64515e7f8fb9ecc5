"""The table of all addresses, from which the tests of this folder draw their cases."""

from collections.abc import Mapping
from types import MappingProxyType
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
from tests.web.state import CODE, FORMER, PENDING, TOKEN
from voteweb.store.accounts.sessions import digest
from voteweb.web.mail import messages
from voteweb.web.views.auth import ban_answers

#: The tokens of the links in mails to the member, and that of a banned member who answers.
with Flask(__name__).app_context():
    current_app.secret_key = SECRET_KEY
    CONFIRMATION = messages.confirmation_token(MEMBER, PENDING)
    STOP, STOP_NEW = (messages.stop_token(MEMBER, link) for link in (PENDING, FORMER))
    BAN_TOKEN = ban_answers().dumps("yan")
#: The program of each of the people, and of zoe.
PROGRAM = {"digest": digest(TOKEN)}
OTHER_MEMBERS = tuple(person for person in MEMBERS if person != MEMBER)


def all_get(people: tuple[str, ...], status: int) -> dict[str, int]:
    return dict.fromkeys(people, status)


#: The row of a page.
page = Address


def listing(path: str, **columns: Any) -> Address:
    """Return the row of a list with several pages."""
    return Address(path, **{"parameters": ("page",), **columns})


def moved(path: str) -> Address:
    """Return the row of a former address."""
    return Address(path, allowed=(), refused=all_get(PEOPLE, 302), is_html=False)


def public_file(path: str, **columns: Any) -> Address:
    """Return the row of a feed or another file that is the same for everybody."""
    public: dict[str, Any] = {"caching": Caching.PUBLIC, "is_html": False}
    return Address(path, **{**public, **columns})


def form(path: str, **columns: Any) -> Address:
    """Return the row of a form, which writes."""
    defaults: dict[str, Any] = {"method": "POST", "writes": True}
    return Address(path, **{**defaults, **columns})


def staff_form(path: str, **columns: Any) -> Address:
    return form(path, allowed=STAFF, **columns)


def members_form(path: str, **columns: Any) -> Address:
    return form(path, allowed=MEMBERS, **columns)


def asking_form(path: str, fields: Mapping[str, str] = MappingProxyType({}), **columns: Any) -> Address:
    """Return the row of a form of members that asks for the password each time."""
    return members_form(path, fields={**fields, "own-password": PASSWORD}, **columns)


def by_link(path: str, **columns: Any) -> Address:
    """Return the row of a form behind the link of a mail; one whose session has ended sends its token once more."""
    return form(path, allowed=(READER, *MEMBERS), refused={BANNED: 422}, **columns)


#: The columns of pages of readers, of their forms, and of forms that are shown again with the fields to log in.
OF_READERS: dict[str, Any] = {"allowed": LOGGED_OUT, "refused": all_get(MEMBERS, 303), "caching": Caching.NOBODY}
READERS_OWN: dict[str, Any] = {"allowed": (READER,), "refused": {BANNED: 422, **all_get(MEMBERS, 303)}}
SHOWN_AGAIN = {"refused": all_get(LOGGED_OUT, 422), "refused_as_json": all_get(LOGGED_OUT, 401), "keeps_typed": True}
#: The comments of the site of conftest.py: by zoe, and by the member.
COMMENT, ZOES, MEMBERS_OWN = "/a/{id}/c/{number}", {"id": "1", "number": "1"}, {"id": "1", "number": "2"}

PAGES = [
    listing("/", parameters=("page", "of")),
    listing("/new"),
    page("/good"),
    page("/a/{id}", parameters=("page", "order")),
    page("/a/{id}", case="removed", parts={"id": "3"}, allowed=STAFF, refused=all_get(PEOPLE, 410)),
    page("/submit", allowed=MEMBERS, parameters=("title", "link", "text")),
    page("/a/{id}/edit", allowed=(POSTER, *STAFF)),
    page(COMMENT, parts=ZOES, parameters=("page", "order")),
    page("/a/{id}/comment", allowed=MEMBERS),
    page(f"{COMMENT}/reply", parts=ZOES, allowed=MEMBERS, parameters=("quote", "next")),
    page(f"{COMMENT}/edit", parts=MEMBERS_OWN, allowed=(MEMBER,)),
    page(f"{COMMENT}/delete", parts=MEMBERS_OWN, allowed=(MEMBER,)),
    page("/groups"),
    listing("/g/{names}"),
    listing("/g/{names}", case="combined", parts={"names": "python+redis"}),
    listing("/g/{names}", case="in Chinese", parts={"names": "编程"}),
    listing("/g/{names}/new"),
    listing("/g/{names}/new", case="combined", parts={"names": "python+redis"}),
    listing("/top", parameters=("of", "page")),
    listing("/g/{names}/top", parameters=("of", "page")),
    page("/search", query={"q": "words"}, parameters=("q", "within", "sort", "page")),
    page("/groups/new", allowed=STAFF),
    page("/g/{name}/edit", allowed=STAFF),
    listing("/u/{name}", parts={"name": "poster"}),
    page("/admin", allowed=(ADMIN,)),
    page("/admin/{name}", parts={"name": "rules"}, allowed=(ADMIN,), parameters=("version",)),
    listing("/members/log-ins", allowed=(ADMIN,)),
    listing("/members/looks", allowed=(ADMIN,)),
    page("/a/{id}/voters", allowed=STAFF),
    page("/a/{id}/edits", parts={"id": "9"}, allowed=(POSTER, *STAFF)),
    page("/u/{name}/votes-together", allowed=STAFF),
    page("/members/invited", allowed=STAFF),
    moved("/admin/settings"),
    moved("/admin/log-ins"),
    moved("/admin/invitations"),
    page("/u/{name}/ban", allowed=STAFF),
    page("/ban", query={"name": "zoe"}, parameters=("name",), allowed=STAFF),
    page("/signup", query={"invite": TOKEN}, parameters=("next", "invite", "vote"), **OF_READERS),
    page("/login", parameters=("next", "vote"), **OF_READERS),
    page("/recover", parameters=("next", "vote"), **OF_READERS),
    page("/account/recovery-codes", allowed=MEMBERS),
    page(
        "/login/second-factor",
        parameters=("next", "vote"),
        allowed=(),
        refused={READER: 200, BANNED: 303, **all_get(MEMBERS, 303)},
        caching=Caching.NOBODY,
    ),
    page("/account/second-factor", allowed=MEMBERS, caching=Caching.NOBODY),
    page("/account/access", allowed=MEMBERS),
    page("/account/programs", allowed=MEMBERS),
    page("/account/mail", allowed=MEMBERS),
    page("/mail/stop/{token}", parts={"token": STOP}, caching=Caching.NOBODY),
    page("/mail/stop/{token}", case="former", parts={"token": STOP_NEW}, caching=Caching.NOBODY),
    page(
        "/account/mail/confirm/{token}",
        parts={"token": CONFIRMATION},
        allowed=(MEMBER,),
        refused=all_get(OTHER_MEMBERS, 410),
        caching=Caching.NOBODY,
    ),
    page("/recover/mail", **OF_READERS),
    page("/reset/{token}", caching=Caching.NOBODY),
    page(
        "/reset/{token}",
        case="unknown",
        parts={"token": "another"},
        allowed=(),
        refused=all_get(PEOPLE, 410),
        caching=Caching.NOBODY,
    ),
    page("/account", allowed=MEMBERS),
    page("/account/data", allowed=MEMBERS, is_html=False, caching=Caching.NOBODY),
    listing("/invitations", parameters=("page", "by"), allowed=STAFF),
    page(
        "/queue",
        parameters=("people", "answers", "bans", "held", "abouts", "reports", "domains", "q"),
        allowed=STAFF,
    ),
    *map(moved, ("/reports", "/waiting", "/domains")),
    page("/moderators"),
    page("/stats"),
    page(
        "/admin/ranking",
        parameters=("good_votes", "lift_days", "comment_good_votes"),
        allowed=(ADMIN,),
    ),
    page("/members", parameters=("of", "q", "page"), allowed=STAFF),
    page("/sort", parameters=("of", "before", "page"), allowed=STAFF),
    listing("/comments"),
    listing("/u/{name}/comments", parts={"name": "poster"}),
    listing("/inbox", allowed=MEMBERS),
    listing("/inbox/all", allowed=MEMBERS),
    listing("/my", allowed=MEMBERS),
    listing("/my/new", allowed=MEMBERS),
    listing("/my/top", parameters=("of", "page"), allowed=MEMBERS),
    listing("/hidden", allowed=MEMBERS),
    listing("/d/{domain}", parts={"domain": "example.com"}),
    listing("/saved", allowed=MEMBERS),
    listing("/votes", allowed=MEMBERS),
    page("/a/{id}/reports", parameters=("after",), allowed=STAFF),
    page("/a/{id}/c/{number}/report", parts={"id": "4"}, allowed=MEMBERS),
    page(
        "/a/{id}/c/{number}/reports",
        parts={"id": "4"},
        parameters=("after",),
        allowed=STAFF,
    ),
    listing("/log", parameters=("q", "who", "kind", "from", "to", "before")),
    page("/log", case="a search", query={"q": "spam"}),
    page(
        "/u/{name}/undo",
        parts={"name": "other-mod"},
        parameters=("since",),
        allowed=(ADMIN,),
    ),
    page("/about", parameters=("how",)),
    page("/rules"),
    page("/privacy"),
    page("/api"),
    page("/guide", allowed=STAFF),
    page("/healthz", is_html=False, caching=Caching.NOBODY),
    page("/.well-known/security.txt", allowed=(), refused=all_get(PEOPLE, 404)),
    page("/metrics", allowed=(), refused=all_get(PEOPLE, 404), caching=Caching.NOBODY),
    public_file("/feed.{format}"),
    public_file("/feed.{format}", case="JSON", parts={"format": "json"}),
    public_file("/new.{format}"),
    public_file("/opensearch.xml"),
    public_file("/search.{format}", query={"q": "words"}, parameters=("q", "within")),
    public_file("/top.{format}", parameters=("of",)),
    public_file("/g/{names}/top.{format}", parameters=("of",)),
    public_file("/good.{format}"),
    public_file("/g/{names}.{format}"),
    public_file("/g/{names}.{format}", case="combined", parts={"names": "python+redis", "format": "json"}),
    public_file("/g/{names}/new.{format}"),
    public_file("/u/{name}.{format}", parts={"name": "poster", "format": "atom"}),
    public_file("/a/{id}.{format}"),
    public_file("/comments.{format}"),
    public_file("/u/{name}/comments.{format}", parts={"name": "poster"}),
    public_file("/a/{id}/c/{number}.{format}", parts={"id": "1"}),
    public_file("/d/{domain}.{format}", parts={"domain": "example.com", "format": "atom"}),
    page("/saved/feed/{token}.{format}", caching=Caching.NOBODY, is_html=False),
    page("/inbox/feed/{token}.{format}", caching=Caching.NOBODY, is_html=False),
    public_file("/api/openapi.json"),
    public_file("/groups.opml"),
    public_file("/log.{format}", parameters=("who", "kind")),
    public_file("/robots.txt"),
    public_file("/sitemap.xml"),
    public_file("/sitemap-0.xml"),
    public_file("/sitemap-{number}.xml"),
    public_file("/favicon.ico"),
    public_file("/apple-touch-icon.png"),
    public_file("/manifest.webmanifest"),
    public_file("/static/{filename}"),
]

ARTICLE = {"title": "Kept title", "link": "https://kept.example/", "text": "Kept text", "groups": "python", "once": ""}

FORMS = [
    members_form(
        "/submit",
        fields={**ARTICLE, "once": TOKEN, "anyway": "1"},
        refused=all_get(LOGGED_OUT, 422),
        keeps_typed=True,
    ),
    members_form(
        "/submit/title",
        fields=ARTICLE,
        accepted=200,
        writes=False,
        refused=all_get(LOGGED_OUT, 422),
        keeps_typed=True,
    ),
    members_form(
        "/submit/preview",
        fields=ARTICLE,
        accepted=200,
        writes=False,
        refused=all_get(LOGGED_OUT, 422),
        keeps_typed=True,
    ),
    form("/a/{id}/edit", fields={**ARTICLE, "revision": "1"}, allowed=(POSTER, *STAFF), **SHOWN_AGAIN),
    form("/a/{id}/delete", allowed=(POSTER,)),
    form(
        "/a/{id}/vote",
        allowed=(MEMBER, *STAFF),
        returns_to="/a/1#a1",
        refused=all_get((POSTER, LATE), 303),
        refused_as_json=all_get((POSTER, LATE), 409),
    ),
    members_form("/a/{id}/unvote", parts={"id": "4"}, returns_to="/a/4#a4"),
    members_form("/a/{id}/comment", fields={"text": "Kept words", "once": TOKEN}, **SHOWN_AGAIN),
    members_form(f"{COMMENT}/reply", parts=ZOES, fields={"text": "Kept words", "once": TOKEN}, **SHOWN_AGAIN),
    form(
        f"{COMMENT}/edit",
        parts=MEMBERS_OWN,
        fields={"text": "Kept words"},
        allowed=(MEMBER,),
        **SHOWN_AGAIN,
    ),
    form(f"{COMMENT}/delete", parts=MEMBERS_OWN, allowed=(MEMBER,)),
    form(
        f"{COMMENT}/quiet",
        parts=MEMBERS_OWN,
        fields={"quiet": "1"},
        allowed=(MEMBER,),
        returns_to="/a/1/c/2#c2",
    ),
    form(
        "/a/{id}/quiet",
        parts={"id": "1"},
        fields={"quiet": "1"},
        allowed=(POSTER,),
        returns_to="/a/1#a1",
    ),
    members_form(f"{COMMENT}/vote", parts=ZOES, returns_to="/a/1/c/1#c1"),
    members_form(f"{COMMENT}/unvote", parts={"id": "1", "number": "3"}, returns_to="/a/1/c/3#c3"),
    staff_form(
        "/groups/new",
        fields={"name": "golang", "title": "Kept title", "description": "Kept words"},
        keeps_typed=True,
    ),
    staff_form("/g/{name}/delete", parts={"name": "编程"}),
    staff_form("/g/{name}/edit", fields={"title": "Kept title", "description": "Kept words"}, keeps_typed=True),
    form(
        "/g/{name}/merge",
        parts={"name": "编程"},
        fields={"into": "python"},
        allowed=(ADMIN,),
        keeps_typed=True,
    ),
    form("/signup", fields={"username": "carl", "password": PASSWORD, "invite": TOKEN}, **READERS_OWN),
    form("/login", fields={"username": "zoe", "password": PASSWORD}, returns_to="/", **READERS_OWN),
    form(
        "/login/answer",
        fields={"ban": BAN_TOKEN, "answer": "Kept words, I hope."},
        keeps_typed=True,
        **READERS_OWN,
    ),
    form(
        "/recover",
        fields={"username": "zoe", "code": CODE, "new": PASSWORD},
        returns_to="/",
        **READERS_OWN,
    ),
    asking_form("/account/recovery-codes", accepted=200),
    asking_form("/account/recovery-codes", {"act": "withdraw"}, case="ended"),
    form(
        "/login/second-factor",
        fields={"code": CODE},
        allowed=(READER,),
        refused=all_get((BANNED, *MEMBERS), 303),
        returns_to="/",
    ),
    form(
        "/account/second-factor",
        fields={"password": PASSWORD, "code": "12"},
        allowed=(MEMBER, POSTER, LATE, ADMIN),
        accepted=422,
        refused={MODERATOR: 409},
        writes=False,
        keeps_typed=True,
    ),
    form(
        "/account/second-factor/off",
        fields={"password": PASSWORD, "code": CODE},
        allowed=(MODERATOR,),
        refused=all_get((MEMBER, POSTER, LATE, ADMIN), 303),
        keeps_typed=True,
    ),
    asking_form("/account/mail", fields={"email": "kept@mail.example"}, keeps_typed=True),
    asking_form("/account/mail/remove", returns_to="/account/mail"),
    asking_form(
        "/account/programs", {"name": "Kept name", "rights": "read", "days": "30"}, accepted=200, keeps_typed=True
    ),
    members_form("/account/programs/{digest}/withdraw", parts=PROGRAM, returns_to="/account/programs"),
    form("/u/{name}/programs/{digest}/end", parts=PROGRAM, allowed=(ADMIN,)),
    by_link("/mail/stop/{token}", parts={"token": STOP}),
    by_link("/mail/stop/{token}", case="former", parts={"token": STOP_NEW}),
    by_link("/mail/stop/{token}", case="proof", parts={"token": STOP_NEW}, fields={"proof": PASSWORD}),
    form(
        "/account/mail/confirm/{token}",
        parts={"token": CONFIRMATION},
        allowed=(MEMBER,),
        refused=all_get(OTHER_MEMBERS, 410),
    ),
    form("/recover/mail", fields={"username": "zoe"}, accepted=200, **READERS_OWN),
    form("/logout", idle=(READER,)),
    by_link("/reset/{token}", fields={"new": PASSWORD}),
    members_form("/account", fields={"old": PASSWORD, "new": PASSWORD}, keeps_typed=True),
    members_form("/account/sessions", fields={"end": "others"}),
    members_form("/account/logout-everywhere"),
    members_form("/account/delete", fields={"password": PASSWORD, "articles": "keep"}, keeps_typed=True),
    members_form("/g/{name}/follow", returns_to="/"),
    members_form("/g/{name}/unfollow", parts={"name": "redis"}, returns_to="/"),
    members_form("/account/about", fields={"about": "Kept"}, keeps_typed=True),
    members_form("/account/theme", fields={"theme": "dark"}),
    members_form("/my/front", fields={"front": "my"}, returns_to="/my"),
    members_form("/my/order", fields={"order": "new"}, returns_to="/"),
    members_form("/a/{id}/save", returns_to="/a/1#a1"),
    members_form("/a/{id}/unsave", parts={"id": "4"}, returns_to="/a/4#a4"),
    asking_form("/saved/feed", fields={"act": "renew"}),
    *(
        row
        for kind, path, hidden, shown in (
            ("article", "/a/{id}", {"id": "1"}, {"id": "4"}),
            ("group", "/g/{name}", {"name": "python"}, {"name": "redis"}),
            ("member", "/u/{name}", {"name": "zoe"}, {"name": "poster"}),
            ("domain", "/d/{domain}", {"domain": "example.com"}, {"domain": "example.org"}),
        )
        for row in (
            members_form(f"{path}/hide", parts=hidden, returns_to="/a/1" if kind == "article" else "/"),
            members_form(f"{path}/unhide", parts=shown, returns_to="/a/4#a4" if kind == "article" else "/"),
        )
    ),
    members_form("/inbox/read", fields={"until": "reply 1.1 1"}),
    asking_form("/inbox/feed", fields={"act": "renew"}),
    staff_form("/invitations"),
    staff_form(
        "/invitations/{digest}/revoke",
        returns_to="/invitations",
        refused=all_get((MEMBER, POSTER, LATE), 404),
    ),
    staff_form("/u/{name}/ban", fields={"reason": "Spam."}),
    form(
        "/u/{name}/ban",
        case="a moderator",
        parts={"name": "other-mod"},
        fields={"reason": "Spam."},
        allowed=(ADMIN,),
    ),
    form(
        "/u/{name}/ban",
        case="an admin",
        parts={"name": "other-admin"},
        fields={"reason": "Spam."},
        allowed=(),
    ),
    form("/u/{name}/ban", case="who has left", parts={"name": "gone"}, fields={"reason": "Spam."}, allowed=()),
    staff_form("/ban", fields={"name": "zoe", "reason": "Spam."}),
    staff_form("/u/{name}/unban", parts={"name": "yan"}, returns_to="/u/yan"),
    staff_form("/a/{id}/release", parts={"id": "8"}, returns_to="/a/8#a8"),
    form(
        "/admin/{switch}",
        parts={"switch": "announcement"},
        fields={"words": "Words."},
        allowed=(ADMIN,),
    ),
    form("/admin/{name}", parts={"name": "rules"}, fields={"text": "Kept words."}, allowed=(ADMIN,), keeps_typed=True),
    form("/admin/ranking", fields={"good_votes": "3"}, allowed=(ADMIN,)),
    staff_form("/domains", fields={"domain": "spam.example", "rule": "refuse", "why": "Spam."}),
    staff_form("/domains/{host}/delete", parts={"host": "ad.example"}),
    staff_form("/u/{name}/note", fields={"text": "A note."}),
    staff_form("/u/{name}/note/{note}/delete", parts={"name": "zoe", "note": "1"}),
    members_form("/u/{name}/report", returns_to="/"),
    staff_form("/u/{name}/about", fields={"reason": "rude", "seen": "I am zoe."}, returns_to="/u/zoe"),
    form("/u/{name}/role", fields={"role": "moderator"}, allowed=(ADMIN,)),
    form(
        "/u/{name}/role",
        case="of who has left",
        parts={"name": "gone"},
        fields={"role": "admin"},
        allowed=(),
    ),
    staff_form("/u/{name}/admit", parts={"name": "hal"}, returns_to="/queue"),
    staff_form("/u/{name}/refuse", parts={"name": "hal"}, fields={"reason": "Spam."}, returns_to="/queue"),
    staff_form("/u/{name}/keep-banned", parts={"name": "xan"}, returns_to="/queue"),
    staff_form(
        "/a/{id}/groups",
        fields={"add": "redis", "remove": "python", "settle": "1"},
        returns_to="/a/1#a1",
    ),
    staff_form("/sort", fields={"id": "4", "a4": "redis"}),
    staff_form("/a/{id}/remove", fields={"reason": "Spam."}, returns_to="/a/1#a1"),
    staff_form("/a/{id}/restore", parts={"id": "3"}, returns_to="/a/3#a3"),
    staff_form("/a/{id}/back", parts={"id": "9"}, returns_to="/a/9#a9"),
    form("/a/{id}/answer", parts={"id": "6"}, fields={"answer": "It is no spam."}, allowed=(POSTER,)),
    staff_form("/a/{id}/keep-removed", parts={"id": "7"}, returns_to="/a/7#a7"),
    form(
        "/a/{id}/report",
        fields={"reason": "spam", "note": "words"},
        allowed=(MEMBER, *STAFF),
        returns_to="/a/1#a1",
    ),
    staff_form("/a/{id}/dismiss", returns_to="/a/1#a1"),
    members_form(
        "/a/{id}/c/{number}/report",
        parts={"id": "4"},
        fields={"reason": "spam", "note": "Kept words"},
        returns_to="/a/4/c/1#c1",
        **SHOWN_AGAIN,
    ),
    staff_form(
        "/a/{id}/c/{number}/remove",
        parts={"id": "4"},
        fields={"reason": "Spam.", "replies": "1"},
        returns_to="/a/4/c/1#c1",
    ),
    staff_form(
        "/a/{id}/c/{number}/restore",
        parts={"id": "4", "number": "2"},
        returns_to="/a/4/c/2#c2",
    ),
    staff_form("/a/{id}/c/{number}/dismiss", parts={"id": "4"}, returns_to="/a/4/c/1#c1"),
    staff_form(
        "/a/{id}/close",
        parts={"id": "4"},
        fields={"reason": "Heated."},
        returns_to="/a/4#comments",
    ),
    staff_form("/a/{id}/reopen", parts={"id": "5"}, returns_to="/a/5#comments"),
    form(
        "/log/{id}/undo",
        parts={"id": "1"},
        allowed=(MODERATOR,),
        refused={ADMIN: 409},
        returns_to="/log",
    ),
    form(
        "/u/{name}/undo",
        parts={"name": "other-mod"},
        fields={"since": "1"},
        allowed=(ADMIN,),
    ),
    form(
        "/u/{name}/undo",
        case="an admin",
        parts={"name": "other-admin"},
        fields={"since": "1"},
        allowed=(),
    ),
    form("/language", fields={"language": "zh"}, writes=False, returns_to="/"),
]

TABLE = [*PAGES, *FORMS]
#: One row for each method of each route.
ROUTES = [address for address in TABLE if not address.case]
