"""An admin makes the site read-only for a while: members are refused in words, lose nothing, and go on afterwards."""

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import Visit, Window
from voteweb.core.models import Role
from voteweb.store import Store

WORDS = "We move to another machine until nine."


@pytest.mark.heavy
def test_read_only_site_refuses_in_words_and_keeps_what_was_typed(visit: Visit, window: Window, store: Store) -> None:
    factories.article(store, title="An article.")
    admin, bob = visit("root", Role.ADMIN, **window), visit("bob", **window, expect_errors=True)  # each 503 is one
    bob.open("/a/1").open_details().type("Your comment", "Kept words")
    admin.open("/reports").follow("Admin")
    admin.type("Your words to everybody (optional)", WORDS).press("Make the site read-only")
    expect(admin.page.locator(".announcement")).to_contain_text(WORDS)
    bob.press("Send")
    expect(bob.page.get_by_role("alert").filter(has_text=WORDS)).to_be_visible()
    expect(bob.page.get_by_label("Your comment")).to_have_value("Kept words")
    other = visit("bob", **window, expect_errors=True).open("/new")
    other.vote_button("An article.").click()
    expect(other.page.get_by_text(f"nothing was saved: {WORDS}").first).to_be_visible()
    admin.press("Accept posts again")
    expect(admin.page.locator(".announcement")).to_have_count(0)
    bob.press("Send")
    expect(bob.page.get_by_text("Kept words").first).to_be_visible()
    assert (store.articles.get(1).votes, store.articles.get(1).comments) == (1, 1)
