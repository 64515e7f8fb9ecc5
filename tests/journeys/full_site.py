"""A site of long, Chinese, emoji, right-to-left and hostile texts, with pages in every state, and their paths."""

from tests import factories
from tests.journeys import full_conversation
from voteweb.core import config, validation
from voteweb.core.models import DomainAction, Draft, LogAction, LogEntry, LogInOutcome, Reason, Role, User
from voteweb.core.my_site import Hidden, HiddenKind, hidden_member
from voteweb.core.site_switches import SwitchName
from voteweb.store import Store

TITLES = [
    "W" * config.MAX_TITLE_LENGTH,
    "编程语言的历史与未来：从打孔卡片到今天",
    "مرحبا بالعالم: كيف نصنع موقعا سريعا",
    "שלום עולם <b>ומה שלומך</b>",
    "Party 🎉👩‍👩‍👧‍👦 all night 🏳️‍🌈",
    "<script>alert(1)</script> & \"quotes\" 'n' ]]> --><!-- done",
    "{{ 7 * 7 }} %(votes)s ${x} \\u0041",
    "zalgo " + "e\u0301\u0323\u0330" * 20,
]
TEXT = """# A heading

## Another

A paragraph with **bold**, *italic*, `code`, <b>html</b> and [a link](https://example.com/?a=1&b=2).

> a quote

1. one
2. two
   - three

    code that is far too long for any narrow page and has to scroll in its own box, not with the page

| a | b |
|---|---|
| 1 | 2 |

https://example.com/autolinked
"""
LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2
LONG_TEXT = f"""{LONG_WORD}

    {"x" * 300}

> {"y" * 200}

| {LONG_WORD} | b | c |
|---|---|---|
| {"1" * 80} | {"2" * 80} | {"3" * 80} |

- 1
    - 2
        - 3
            - {LONG_WORD}

https://example.com/{"z" * 300} `{"code" * 40}`
"""
LONG_LINK = f"https://{'w' * 60}.{'m' * 60}.example/"
LONG_GROUPS = [letter * config.MAX_GROUP_NAME_LENGTH for letter in "wmäб编"]
MEMBER = "Ann_with_a_long_name"
MODERATOR = "Mod_with_a_long_name"
ADMIN = "Una_with_a_long_name"
POSTER = "Zoe_with_a_long_name"


def fill(store: Store) -> None:
    """Create members, groups, articles in every state, reports, an invitation and log entries."""
    mod = factories.user(store, MODERATOR, Role.MODERATOR)
    member, troll = factories.user(store, MEMBER), factories.user(store, "troll")
    for name, title in (("python", "Python & <friends>"), ("编程", "编程")):
        entry = LogEntry(LogAction.GROUP, mod.name, title=name)
        store.groups.make(name, title, f"What belongs in {title}. " * 5, entry)
    for number, title in enumerate(TITLES):
        link = "" if number % 3 == 0 else f"https://www.example.com/{number}?q=<&x=1"
        text = TEXT if number % 3 == 0 else ""
        draft = Draft(validation.title(title), link, text, ("python", "编程"))
        store.articles.post(draft, member, factories.token(), allow_duplicate=True)
    for number in range(30):
        factories.imported(store, title=f"Good story number {number}", votes=200 + number, groups=("python",))
    for id, reason in ((1, Reason.SPAM), (2, Reason.TOPIC)):
        store.reports.make(id, mod, reason, TITLES[5])
    for id in (3, 4, 6):
        store.my_sites.save(id, member)
    factories.remove(store, 3, TITLES[5], MODERATOR)
    store.removals.delete(4)
    factories.ban(store, troll.name, LONG_WORD, mod.name)
    store.bans.answer(troll.name, LONG_WORD)
    store.invitations.make(mod)
    store.notes.add(troll.name, TITLES[5], mod)
    rule = LogEntry(LogAction.DOMAIN, mod.name, title="look.example", why=LONG_WORD)
    store.domain_rules.set("look.example", DomainAction.HOLD, rule, actor=mod)
    _fill_long(store, member)
    _fill_admin(store, factories.user(store, ADMIN, Role.ADMIN))
    full_conversation.fill(store, mod, member, factories.user(store, POSTER), [TEXT, LONG_TEXT, *TITLES, LONG_WORD])
    store.articles.post(Draft(LONG_WORD, "https://look.example/", ""), member, factories.token())  # waits


def _fill_long(store: Store, member: User) -> None:
    """Create everything that has a limit as long as it may be; the articles 39 to 42."""
    for name in LONG_GROUPS:
        title = LONG_WORD[: config.MAX_GROUP_TITLE_LENGTH]
        factories.group(store, name, title, (LONG_WORD * 3)[: config.MAX_GROUP_DESCRIPTION_LENGTH])
    store.articles.set_groups(
        5, [LONG_GROUPS[0]], ["python"], LogEntry(LogAction.GROUPS, MODERATOR, MEMBER, 5, TITLES[4])
    )
    poster, groups = factories.user(store, POSTER), tuple(LONG_GROUPS)
    store.users.describe(poster, f"{LONG_WORD}\n\n    {'x' * 80}\n\n# Three lines")
    store.waiting.report_about(poster.name, member)
    for title, link, text in ((LONG_WORD, LONG_LINK, ""), ("编" * config.MAX_TITLE_LENGTH, "", LONG_TEXT)):
        id = store.articles.post(Draft(title, link, text, groups), poster, factories.token())
        entry = LogEntry(LogAction.GROUPS, MODERATOR, POSTER, id, LONG_WORD, LONG_WORD)
        store.articles.set_groups(id, [], LONG_GROUPS[1:], entry)
        store.articles.set_groups(id, LONG_GROUPS[1:], [], entry)
        store.reports.make(id, member, Reason.RULES, LONG_WORD)
        store.my_sites.save(id, member)
    factories.imported(store, title="W" * config.MAX_TITLE_LENGTH, votes=10_000_000, poster=POSTER, groups=groups)
    removed = factories.article(store, poster, title=LONG_WORD)
    factories.remove(store, removed.id, LONG_WORD, MODERATOR)
    store.waiting.answer(removed.id, poster, LONG_WORD[: config.MAX_REASON_LENGTH])
    for name in (*LONG_GROUPS, "编程"):
        store.my_sites.follow(name, member)
    for hidden in (hidden_member("troll"), Hidden(HiddenKind.ARTICLE, "39"), Hidden(HiddenKind.GROUP, LONG_GROUPS[1])):
        store.my_sites.hide(hidden, member)


def _fill_admin(store: Store, admin: User) -> None:
    """Set an announcement, invite somebody who invites others, and try to log in."""
    entry = LogEntry(LogAction.SWITCH, admin.name, title="announcement", why=LONG_WORD[:120])
    store.site_settings.set_switch(SwitchName.ANNOUNCEMENT, LONG_LINK, entry, actor=admin)
    for inviter, name in ((ADMIN, "First"), ("First", "Second"), ("Second", "Third")):
        invitation = store.invitations.make(store.users.get(inviter))
        store.users.make(name, "", invitation=invitation, network="")
    for outcome in LogInOutcome:
        store.sessions.note_log_in(admin.name, outcome, "0a1b2c3d", "Firefox/Linux")


_LONG_GROUP = f"/g/{LONG_GROUPS[0]}"
_LISTS = ["/", "/new?page=2", "/top?of=week", "/good", "/groups", "/g/python+编程", f"{_LONG_GROUP}/new"]
_LISTS += [f"{_LONG_GROUP}+{LONG_GROUPS[2]}", f"/u/{MEMBER}", "/u/troll", f"/u/{POSTER}", "/log"]
_ARTICLES = ["/a/1", "/a/1/reports", "/a/3", "/a/4", "/a/6", "/a/39", "/a/40", "/a/41", "/a/42"]
_FORMS = ["/groups/new", f"{_LONG_GROUP}/edit", "/a/1/edit", "/a/40/edit", "/a/40/edits"]
#: Every kind of page in every state, once: for the visitor, by name, to whom it shows most. For the other visitors, the
#: pages that show something different.
PAGES: dict[str, list[str]] = {
    "": ["/", "/search", "/search?q=a*", "/a/1", "/a/3", "/login", "/signup", *full_conversation.FOR_ALL],
    MEMBER: [
        *("/", "/a/3", "/a/40", f"/u/{MEMBER}", "/submit", "/account", "/account/access", "/a/7/edit"),
        *("/search?q=a*+in:comments&sort=new", "/search?q=-only+after:never"),
        *("/my", "/my/new", "/my/top", "/saved", "/votes", "/hidden"),
        *("/d/example.com", "/a/39", "/u/troll", _LONG_GROUP),
        *(f"/u/{MEMBER}/comments", *full_conversation.FOR_MEMBER),
    ],
    MODERATOR: [
        *_LISTS,
        *_ARTICLES,
        *_FORMS,
        "/search?q=group:ask+by:nobody",
        "/search?q=stor+numbe",  # which only begin words of titles
        "/search?q=the&sort=votes",
        "/queue",
        "/about",
        "/rules",
        "/privacy",
        "/guide",
        "/account/second-factor",
        "/account/programs",
        "/nowhere",
        "/new?page=99",
        "/invitations",
        f"/u/{POSTER}/ban",
        f"/ban?name={POSTER}",
        "/sort",
        "/sort?of=all",
        "/log?q=the&from=2026-01-01",
        "/members",
        "/members?of=banned",
        *("/a/1/voters", f"/u/{POSTER}/votes-together"),
        "/moderators",
        "/stats",
        *full_conversation.FOR_MODERATOR,
    ],
    ADMIN: [
        *("/admin", "/members/log-ins", "/members/looks", "/members/invited", "/admin/ranking", "/admin/rules"),
        *("/members", "/members?of=moderators", f"/log?who={MODERATOR}", f"/u/{MODERATOR}/undo?since=week"),
    ],
}
#: The paths of deleted and removed articles, and of a removed comment.
GONE = {"/a/3", "/a/4", "/a/42", full_conversation.GONE}
