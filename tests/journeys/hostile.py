"""A site of long, Chinese, emoji, right-to-left and hostile words, with every state a page can be in."""

from collections.abc import Callable

from tests import factories
from voteweb.core import validation
from voteweb.core.models import Draft, LogAction, Reason, Role, User
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

TITLES = [
    "W" * 200,
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


def fill(store: Store, join: Callable[..., User]) -> None:
    """Lay in members, groups, articles in every state, reports, an invitation and acts for the log."""
    mod, ann = join("mod", Role.MODERATOR), join("ann", Role.MEMBER)
    join("root_admin", Role.ADMIN)
    for name, title in (("python", "Python & <friends>"), ("编程", "编程"), ("w" * 30, "W" * 60)):
        store.groups.make(name, title, f"What belongs in {title}. " * 5, NewLogEntry(LogAction.GROUP, mod.name, title=name))
    for at, title in enumerate(TITLES):
        link = "" if at % 3 == 0 else f"https://www.example.com/{at}?q=<&x=1"
        text = TEXT if at % 3 == 0 else ""
        store.articles.post(
            Draft(validation.title(title), link, text, ("python", "编程")), ann, factories.token(), allow_duplicate=True
        )
    for at in range(30):
        factories.imported(store, title=f"Good story number {at}", votes=200 + at, groups=("python",))
    for id, reason in ((1, Reason.SPAM), (2, Reason.TOPIC)):
        store.reports.make(id, mod, reason, TITLES[5])
    store.removals.remove(3, NewLogEntry(LogAction.REMOVE, mod.name, about=ann.name, article=3, title=TITLES[2], why=TITLES[5]))
    store.removals.delete(4)
    store.articles.set_groups(5, ["w" * 30], ["python"], _about(5, mod, ann))
    troll = join("troll", Role.MEMBER)
    store.users.ban(troll.name, NewLogEntry(LogAction.BAN, mod.name, about=troll.name, why=TITLES[6]))
    store.invitations.make(mod)


def _about(id: int, mod: User, ann: User) -> NewLogEntry:
    return NewLogEntry(LogAction.GROUPS, mod.name, about=ann.name, article=id, title=TITLES[id - 1])


#: Pages for everybody, and those for members and moderators besides.
PAGES = ["/", "/?page=2", "/new", "/good", "/groups", "/g/python", "/g/python/new", "/g/python+编程", "/g/" + "w" * 30]
PAGES += ["/a/1", "/a/2", "/a/3", "/a/4", "/a/6", "/a/999", "/u/ann", "/u/troll", "/about", "/log", "/log?kind=ban"]
FOR_READERS = [*PAGES, "/login", "/signup"]
FOR_MEMBERS = [*PAGES, "/submit", "/account", "/a/7/edit"]
FOR_MODERATORS = [*FOR_MEMBERS, "/reports", "/groups/new", "/g/python/edit", "/invitations"]
BY_ROLE: dict[str, list[str]] = {"": FOR_READERS, "ann": FOR_MEMBERS, "mod": FOR_MODERATORS}
