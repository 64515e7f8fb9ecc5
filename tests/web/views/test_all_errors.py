"""A form that is refused names all its errors at once: those of its fields, and those that the act would find."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests import factories
from tests.web.browser import PASSWORD, Browser
from voteweb.core.models import DomainAction, LogAction, LogEntry, Role
from voteweb.store import Store

SHORT = "A password must have 8 to 256 characters."
NOT_MINE = "This is not your password."
NO_TITLE = "A title needs at least 2 characters, with a letter or digit among them."
NO_CONTENT = "An article needs a link or a text."
GROUP_TITLE = "A group's title must have 1 to 60 characters."


@pytest.fixture(autouse=True)
def site(store: Store) -> None:
    """Groups with an alias, a rule, and an article of mia for which another has voted."""
    mod = factories.user(store, "mod", Role.MODERATOR)
    for name in ("go", "redis"):
        factories.group(store, name)
    entry = LogEntry(LogAction.GROUP, "mod", title="go")
    store.groups.change("go", "Go", "", entry, aliases=["golang"], actor=mod)
    rule = LogEntry(LogAction.DOMAIN, "mod", title="spam.example", why="Spam.")
    store.domain_rules.set("spam.example", DomainAction.REFUSE, rule, actor=mod)
    article = factories.article(store, factories.user(store, "mia"), link="https://example.com/")
    store.votes.cast(article.id, mod)


@pytest.fixture
def people(reader: Browser, bob: Browser, store: Store, app: Any) -> Mapping[str, Browser]:
    """Browsers by who uses them."""
    members = {name: Browser(app).start_session(store.users.get(name)) for name in ("mia", "mod")}
    return {"reader": reader, "bob": bob, **members}


@pytest.mark.parametrize(
    ("person", "page", "action", "typed", "messages"),
    [
        (
            "reader", "/signup", "/signup", {"username": "bob", "password": "1"},
            {"username": "The name bob is taken. If this is you, log in.", "password": SHORT},
        ),
        (
            "reader", "/recover", "/recover", {"username": "bob", "code": "abcd", "new": "1"},
            {"code": "No member has this name and this recovery code. Each code works once.", "new": SHORT},
        ),
        ("bob", "/account", "/account", {"old": "wrong", "new": "1"}, {"old": NOT_MINE, "new": SHORT}),
        (
            "bob", "/account", "/account/delete", {"password": "wrong"},
            {"articles": "Please choose what happens to what you wrote.", "password": NOT_MINE},
        ),
        (
            "bob", "/account/second-factor", "/account/second-factor", {"password": "wrong", "code": " "},
            {"password": NOT_MINE, "code": "Please type the code that your app shows."},
        ),
        (
            "bob", "/submit", "/submit", {"title": "", "groups": "nope"},
            {"title": NO_TITLE, "link": NO_CONTENT, "groups": "There is no group named nope."},
        ),
        (
            "bob", "/submit", "/submit", {"title": "", "link": "https://example.com/", "groups": "golang"},
            {"title": NO_TITLE, "link": "This link was posted already."},
        ),
        (
            "mia", "/submit", "/submit", {"title": "", "link": "https://example.com/", "groups": "a b c d e f"},
            {
                "title": NO_TITLE,
                "link": "You have posted this link already.",
                "groups": "An article can be in at most 5 groups.",
            },
        ),
        (
            "bob", "/submit", "/submit", {"title": "", "link": "https://spam.example/"},
            {"title": NO_TITLE, "link": "Links to spam.example are not accepted here: Spam."},
        ),
        (
            "mia", "/a/1/edit", "/a/1/edit", {"title": "", "link": "https://example.org/", "groups": "nope"},
            {
                "title": NO_TITLE,
                "link": "Others have voted for this article, so you can no longer change its link.",
                "groups": "There is no group named nope.",
            },
        ),
        (
            "mod", "/groups/new", "/groups/new", {"name": "golang", "title": ""},
            {"name": "There is already a group named golang.", "title": GROUP_TITLE},
        ),
        (
            "mod", "/g/redis/edit", "/g/redis/edit", {"title": "", "alias": "golang"},
            {"title": GROUP_TITLE, "alias": "The name golang is taken by a group already."},
        ),
    ],
)  # fmt: skip
def test_form_names_all_errors_at_once(
    person: str,
    page: str,
    action: str,
    typed: dict[str, str],
    messages: dict[str, str],
    people: Mapping[str, Browser],
    store: Store,
) -> None:
    before = (store.users.get("bob"), store.articles.get(1))
    browser = people[person].open(page).submit(action, **typed)
    assert browser.status == 422
    assert {name: browser.page.by_id(f"{name}-errors").text for name in messages} == messages
    assert browser.page.one("div", role="alert").text.startswith("Please correct these fields:")
    assert (store.users.get("bob"), store.articles.get(1)) == before


@pytest.mark.parametrize(
    ("action", "typed", "messages"),
    [
        (
            "/u/bob/ban", {"reason": "", "days": "many"},
            "Please give a reason. It is shown in the public log. The days must be a whole number from 1 to 3,650, or "
            "empty for a ban for good.",
        ),
        (
            "/ban", {"offered": "bob", "reason": ""},
            "Please choose whom to ban. Please give a reason. It is shown in the public log.",
        ),
        (
            "/domains", {"domain": "no", "why": ""},
            "This is no domain. Write it as in example.com, with at most 5 parts. Please give a reason. It is shown "
            "in the public log.",
        ),
    ],
)  # fmt: skip
def test_form_of_a_moderator_names_all_errors_at_once(
    action: str, typed: dict[str, str], messages: str, people: Mapping[str, Browser], bob: Browser
) -> None:
    mod = people["mod"].send(action, **typed)
    assert (mod.status, mod.refusal) == (422, messages)
    assert bob.is_logged_in()


def test_log_names_both_days_that_are_none(reader: Browser) -> None:
    reader.open("/log?from=yesterday&to=today")
    assert all(f"{typed} is no day." in reader.main for typed in ("yesterday", "today"))


def test_link_can_be_posted_anyway_once_the_title_is_right(bob: Browser, store: Store) -> None:
    bob.fill_in("/submit", title="", link="https://example.com/", text="")
    assert bob.titles
    bob.submit("/submit", title="", anyway="1")
    assert "link-errors" not in bob.text
    bob.submit("/submit", title="Once more", anyway="1")
    assert (bob.status, store.articles.get(2).title) == (303, "Once more")


@pytest.mark.site(limits=1)
def test_wrong_codes_count_beside_a_bad_password(reader: Browser) -> None:
    """The limit refuses in the form, which keeps what was typed."""
    typed = {"username": "bob", "code": "abcd", "new": "1"}
    for _ in range(10):
        assert reader.fill_in("/recover", **typed).status == 422
    assert reader.submit("/recover", **typed).status == 429
    assert reader.value("username") == "bob"
    assert PASSWORD not in reader.text
