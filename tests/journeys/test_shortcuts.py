"""Keyboard shortcuts: they move the focus and press buttons, and never act while somebody types."""

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import Join, Visit
from tests.journeys.visitor import Visitor
from voteweb.store import Store


@pytest.fixture
def ann(visit: Visit, store: Store, join: Join) -> Visitor:
    """A member on a front page of three articles of others."""
    join("ann")
    for title in ("third", "second", "first"):
        factories.article(store, factories.user(store, f"of_{title}"), title=title, text="words", link="")
    visitor = visit("ann").open("/")
    # The script shows this button once it listens for keys.
    expect(visitor.page.get_by_role("button", name="Keyboard shortcuts")).to_be_visible()
    return visitor


def press(visitor: Visitor, *keys: str) -> Visitor:
    for key in keys:
        visitor.page.keyboard.press(key)
    return visitor


def test_j_and_k_move_the_focus_between_articles(ann: Visitor) -> None:
    for keys, title in ((["j"], "first"), (["j"], "second"), (["j", "j"], "third"), (["k"], "second")):
        press(ann, *keys)
        expect(ann.page.get_by_role("link", name=title, exact=True)).to_be_focused()


def test_v_votes_and_takes_the_vote_back(ann: Visitor) -> None:
    press(ann, "j", "v")
    expect(ann.vote_button("first")).to_have_attribute("aria-pressed", "true")
    expect(ann.page.get_by_role("link", name="first", exact=True)).to_be_focused()
    expect(ann.vote_button("first")).not_to_have_attribute("aria-busy", "true")
    press(ann, "v")
    expect(ann.vote_button("first")).to_have_attribute("aria-pressed", "false")


def test_o_opens_the_article_and_g_the_lists(ann: Visitor) -> None:
    press(ann, "j", "o")
    ann.is_at("/a/3")
    for key, path in (("n", "/new"), ("g", "/groups"), ("f", "/")):
        press(ann, "g", key)
        ann.is_at(path)


def test_question_mark_opens_the_help_and_escape_closes_it(ann: Visitor) -> None:
    press(ann, "?")
    expect(ann.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    press(ann, "j", "Escape")
    expect(ann.page.get_by_role("dialog")).to_be_hidden()
    expect(ann.page.locator("dialog :focus")).to_have_count(0)  # keys in the dialog are no shortcuts


def test_slash_leads_to_the_field_of_search(ann: Visitor) -> None:
    press(ann, "/")
    field = ann.page.get_by_role("searchbox", name="Search")
    expect(field).to_be_focused()
    ann.page.set_viewport_size({"width": 360, "height": 800})
    expect(ann.open("/").page.get_by_role("button", name="Keyboard shortcuts")).to_be_visible()
    press(ann, "/")
    ann.is_at("/search")
    expect(field).to_be_focused()


def test_shortcuts_stay_switched_off_on_the_next_page(ann: Visitor) -> None:
    press(ann, "?")
    ann.page.get_by_label("Shortcuts are on").uncheck()
    ann.page.get_by_role("button", name="Close").click()
    ann.open("/")
    press(ann, "j")
    expect(ann.page.get_by_role("link", name="first", exact=True)).not_to_be_focused()
    ann.page.get_by_role("button", name="Keyboard shortcuts").click()
    expect(ann.page.get_by_label("Shortcuts are on")).not_to_be_checked()


def test_keys_in_a_field_or_with_a_modifier_are_no_shortcuts(ann: Visitor) -> None:
    press(ann, "Control+j", "Alt+g", "Meta+v")
    expect(ann.page.get_by_role("link", name="first", exact=True)).not_to_be_focused()
    ann.open("/submit").page.get_by_label("Title", exact=True).focus()
    press(ann, "j", "g", "n", "/", "?")
    expect(ann.page.get_by_label("Title", exact=True)).to_have_value("jgn/?")
    expect(ann.page.get_by_role("dialog")).to_be_hidden()
