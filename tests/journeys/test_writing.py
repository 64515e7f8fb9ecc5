"""Forms in place, drafts and keys: writing with script."""

import pytest
from playwright.sync_api import Locator, expect

from tests import factories
from tests.helpers import until
from tests.journeys.conftest import Join, Visit
from tests.journeys.visitor import Visitor
from voteweb.store import Store


@pytest.fixture
def bob(visit: Visit, store: Store, join: Join) -> Visitor:
    """A member on an article's page with three comments of ann's; the second answers the first."""
    join("bob")
    factories.article(store, title="Ann's article")
    for parent, text in ((0, "One."), (1, "Two."), (0, "Three.")):
        factories.comment(store, 1, parent=parent, text=text)
    return ready(visit("bob").open("/a/1?order=time"))


def ready(visitor: Visitor) -> Visitor:
    """Wait until the scripts listen."""
    expect(visitor.page.get_by_role("button", name="Keyboard shortcuts")).to_be_visible()
    return visitor


def field(visitor: Visitor, number: int) -> Locator:
    """Return the field of the form below a comment."""
    return visitor.page.locator(f"#c{number} > .reply-form textarea")


def open_form(visitor: Visitor, number: int, link: str = "Reply") -> Locator:
    visitor.page.locator(f"#c{number}").get_by_role("link", name=link, exact=True).first.click()
    expect(field(visitor, number)).to_be_focused()
    return field(visitor, number)


def press(visitor: Visitor, *keys: str) -> None:
    for key in keys:
        visitor.page.keyboard.press(key)


def test_reply_and_quote_open_in_place(bob: Visitor) -> None:
    open_form(bob, 1).fill("I think:")
    expect(open_form(bob, 1, "Quote")).to_have_value("I think:\n\n> One.\n\n")
    bob.is_at("/a/1?order=time")
    expect(field(bob, 1)).to_have_count(1)
    expect(bob.page.locator("#c1 > .reply-form").get_by_label("Your comment")).to_be_focused()


def test_link_leads_to_the_form_if_fetch_fails(visit: Visit, store: Store, join: Join) -> None:
    join("bob")
    factories.article(store)
    factories.comment(store)
    bob = ready(visit("bob", expect_errors=True).open("/a/1"))
    bob.page.route(
        "**/reply", lambda route: route.abort() if route.request.resource_type == "fetch" else route.continue_()
    )
    bob.follow("Reply").is_at("/a/1/c/1/reply")


def test_draft_comes_back_until_it_is_sent(bob: Visitor) -> None:
    open_form(bob, 2).fill("Not finished")
    ready(bob.open("/new"))
    ready(bob.open("/a/1?order=time"))
    expect(open_form(bob, 2)).to_have_value("Not finished")
    field(bob, 2).fill(" ")
    press(bob, "Control+Enter")
    bob.is_at("/a/1/c/2/reply")
    bob.type("Your comment", "Finished").press("Send")
    bob.is_at("/a/1?order=time#c4")
    expect(open_form(bob, 2)).to_have_value("")


def test_drafts_are_gone_after_logging_out(bob: Visitor) -> None:
    open_form(bob, 1).fill("Secret")
    bob.open("/account").press("Log out")
    bob.is_at("/")
    until(lambda: bob.page.evaluate("JSON.stringify(sessionStorage)") == "{}")


def test_control_enter_sends_but_not_while_composing(bob: Visitor, store: Store) -> None:
    text = open_form(bob, 3)
    devtools = bob.page.context.new_cdp_session(bob.page)
    devtools.send("Input.imeSetComposition", {"text": "ni hao", "selectionStart": 6, "selectionEnd": 6})
    key = {"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229, "modifiers": 2}
    devtools.send("Input.dispatchKeyEvent", key)
    devtools.send("Input.insertText", {"text": "你好"})
    expect(text).to_have_value("你好")
    press(bob, "Control+Enter")
    bob.is_at("/a/1?order=time#c4")
    assert len(store.threads.get(1).nodes) == 4


def test_keys_walk_fold_vote_and_reply(bob: Visitor) -> None:
    def is_at(number: int) -> None:
        expect(bob.page.locator(f"#c{number} > .comment-head a").last).to_be_focused()

    bob.page.locator("#c1 > .comment-head a").last.focus()
    press(bob, "j")
    is_at(2)
    press(bob, "k", "x")
    expect(bob.page.locator("#c2")).to_be_hidden()
    press(bob, "j")
    is_at(3)
    press(bob, "v")
    expect(bob.page.locator("#c3 > button.vote")).to_have_attribute("aria-pressed", "true")
    press(bob, "r")
    expect(field(bob, 3)).to_be_focused()
    press(bob, "j", "x")
    expect(field(bob, 3)).to_have_value("jx")


def test_n_walks_new_comments_and_unfolds_them(bob: Visitor, store: Store) -> None:
    factories.comment(store, 1, parent=1, text="Four.")
    ready(bob.open("/a/1?order=time"))
    bob.page.locator("#c1 > .comment-head a").last.focus()
    press(bob, "x", "n")
    expect(bob.page.locator("#c4 > .comment-head a").last).to_be_focused()
    expect(bob.page.locator("#c4 .text")).to_be_visible()
