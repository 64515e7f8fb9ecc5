"""No page is wider than a narrow phone, whatever people wrote on it; and every target can be hit with a finger."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import Visit
from voteweb.core.models import Draft, LogAction, Reason, Role, User
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2
TEXT = f"""{LONG}

    {"x" * 300}

> {"y" * 200}

| {LONG} | b | c |
|---|---|---|
| {"1" * 80} | {"2" * 80} | {"3" * 80} |

- 1
    - 2
        - 3
            - {LONG}

https://example.com/{"z" * 300} `{"code" * 40}`
"""
LISTS = ["/", "/?page=2", "/new", "/new?page=2", "/good", "/groups", "/u/Longest_user_name_20"]
PAGES = [*LISTS, "/a/1", "/a/2", "/a/3", "/about", "/login", "/signup", "/nowhere", "/new?page=99"]
PAGES += ["/log", "/a/5", "/u/Banned"]


@pytest.fixture
def crowded(store: Store) -> str:
    """A site where everything is as long as it may be; returns the name of the longest group."""
    names = [letter * 30 for letter in "wmäб编"]
    for name in names:
        factories.group(store, name, LONG[:60], (LONG * 3)[:300])
    poster = factories.user(store, "Longest_user_name_20")
    store.articles.post(Draft(LONG, f"https://{'w' * 60}.{'m' * 60}.example/", "", tuple(names)), poster, "0123456789")
    store.articles.post(Draft("编" * 200, "", TEXT, tuple(names)), poster, "0123456788")
    factories.imported(store, title="W" * 200, votes=10_000_000, poster=poster.name, groups=tuple(names))
    for i in range(26):
        factories.article(store, poster, title=f"Article {i}")
    long = {"about": poster.name, "title": LONG, "why": LONG}
    store.articles.set_groups(1, [], names[1:], NewLogEntry(LogAction.GROUPS, poster.name, article=1, **long))
    store.articles.set_groups(1, names[1:], [], NewLogEntry(LogAction.GROUPS, poster.name, article=1, **long))
    store.removals.remove(5, NewLogEntry(LogAction.REMOVE, poster.name, article=5, **long))
    store.users.ban(factories.user(store, "Banned").name, NewLogEntry(LogAction.BAN, poster.name, about="Banned", why=LONG))
    for id in (1, 2):
        store.reports.make(id, factories.user(store, "Banned"), Reason.RULES, LONG)
    return names[0]


@pytest.mark.parametrize("role", [None, Role.MEMBER, Role.MODERATOR], ids=["reader", "member", "moderator"])
def test_no_page_scrolls_sideways(role: Role | None, visit: Visit, crowded: str, join: Callable[..., User]) -> None:
    somebody = visit(expect_complaints=True)  # of pages that are not there
    pages = [*PAGES, f"/g/{crowded}", f"/g/{crowded}/new", f"/g/{crowded}+{'ä' * 30}"]
    if role:
        join("Somebody_with_a_name", role)
        somebody.log_in("Somebody_with_a_name").is_at("/")
        pages += ["/submit", "/groups/new", f"/g/{crowded}/edit", "/account", "/reports", "/a/1/edit"]
    too_wide = {}
    for page in pages:
        somebody.open(page).page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        for width in (320, 360, 1280):
            somebody.page.set_viewport_size({"width": width, "height": 800})
            if somebody.overflow() > 0:
                too_wide[page, width] = somebody.overflow()
    assert not too_wide


def test_forms_with_mistakes_do_not_scroll_sideways(visit: Visit, crowded: str, join: Callable[..., User]) -> None:
    join("mod", Role.MODERATOR)
    mod = visit(width=320).log_in("mod")
    mod.open("/submit").type("Title", LONG * 3).type("Link", LONG).press("Post")
    expect(mod.page.locator("#title-errors")).to_be_visible()
    assert mod.overflow() <= 0
    mod.open("/groups/new").type("Name", LONG).type("Title", LONG).press("Make the group")
    expect(mod.page.locator("#name-errors")).to_be_visible()
    assert mod.overflow() <= 0


TARGETS = (
    "button.vote, .masthead nav a, .masthead button, .pages a, .orders a, main .call, .second, summary, "
    "label.chip:visible, .field input:not([type=checkbox], [type=radio]):visible, .sort button:visible, "
    ".sort input:not([type]):visible"
)
#: Which of *all* elements are not hit 21 pixels above and below their middle.
MISSED = """all => all.filter(each => {
  each.scrollIntoView({block: "center"});
  const box = each.getBoundingClientRect();
  const hit = y => each.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2 + y));
  return !(hit(-21) && hit(21));
}).map(each => each.outerHTML)"""


def test_buttons_can_be_hit_with_a_finger(visit: Visit, crowded: str, join: Callable[..., User]) -> None:
    join("mod", Role.MODERATOR)
    mod = visit(width=360).log_in("mod")
    for place in ("/", "/new", "/a/1", "/submit", "/account", "/log", "/reports"):
        mod.open(place).page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert mod.page.locator(TARGETS).evaluate_all(MISSED) == [], place
