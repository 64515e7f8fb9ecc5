"""Keys, forms in place and drafts: a list and a conversation with script."""

from playwright.sync_api import Locator, Route, expect

from tests import factories
from tests.helpers import until
from tests.journeys.conftest import Visit
from tests.journeys.visitor import Visitor
from voteweb.store import Store


def press(visitor: Visitor, *keys: str) -> None:
    for key in keys:
        visitor.page.keyboard.press(key)


def test_keys_lead_through_lists_and_act_only_outside_of_fields(visit: Visit, store: Store) -> None:
    for title in ("third", "second", "first"):
        factories.article(store, title=title, text="words", link="")
    ann = visit("bob").open("/")
    dialog, button = ann.page.get_by_role("dialog", name="Keyboard shortcuts"), ann.vote_button("first")

    press(ann, "Control+j", "Alt+g", "Meta+v")
    expect(ann.page.get_by_role("link", name="first", exact=True)).not_to_be_focused()
    for keys, title in ((["j"], "first"), (["j", "j", "j"], "third"), (["k", "k"], "first")):
        press(ann, *keys)
        expect(ann.page.get_by_role("link", name=title, exact=True)).to_be_focused()
    for pressed in ("true", "false"):
        press(ann, "v")
        expect(button).to_have_attribute("aria-pressed", pressed)
        expect(button).not_to_have_attribute("aria-busy", "true")
    press(ann, "o")
    ann.is_at("/a/3")
    for key, path in (("n", "/new"), ("g", "/groups"), ("f", "/")):
        press(ann, "g", key)
        ann.is_at(path)

    press(ann, "?")
    expect(dialog).to_be_visible()
    press(ann, "j", "Escape")
    expect(dialog).to_be_hidden()
    expect(ann.page.locator("dialog :focus")).to_have_count(0)  # keys in the dialog are no shortcuts
    press(ann, "/")
    field = ann.page.get_by_role("searchbox", name="Search")
    expect(field).to_be_focused()
    ann.page.set_viewport_size({"width": 360, "height": 800})
    press(ann.open("/"), "/")
    ann.is_at("/search")
    expect(field).to_be_focused()
    title_field = ann.open("/submit").page.get_by_label("Title", exact=True)
    title_field.focus()
    press(ann, "j", "g", "n", "/", "?")
    expect(title_field).to_have_value("jgn/?")
    expect(dialog).to_be_hidden()

    ann.page.get_by_role("button", name="Keyboard shortcuts").click()
    ann.page.get_by_label("Shortcuts are on").uncheck()
    ann.page.get_by_role("button", name="Close").click()
    press(ann.open("/"), "j")
    expect(ann.page.get_by_role("link", name="first", exact=True)).not_to_be_focused()


def field(visitor: Visitor, number: int) -> Locator:
    """Return the field of the form below a comment."""
    return visitor.page.locator(f"#text-c{number}")


def open_form(visitor: Visitor, number: int, link: str = "Reply") -> Locator:
    visitor.page.locator(f"#c{number}").get_by_role("link", name=link, exact=True).first.click()
    expect(field(visitor, number)).to_be_focused()
    return field(visitor, number)


def test_answers_are_written_in_place_and_kept_until_sent(visit: Visit, store: Store) -> None:
    factories.article(store)
    for parent, text in ((0, "One."), (1, "Two."), (0, "Three.\n\nTo be quoted.")):
        factories.comment(store, 1, parent=parent, text=text)
    bob, path = visit("bob", expect_errors=True), "/a/1?order=time"
    cancel_a_comment(bob.open(path))
    walk_and_fold(bob)

    open_form(bob, 1).fill("I think:")
    expect(open_form(bob, 1, "Quote")).to_have_value("I think:\n\n> One.\n\n")
    expect(field(bob, 1)).to_have_count(1)
    open_form(bob, 2).fill("Not finished")
    field(bob, 1).locator("xpath=ancestor::form").get_by_role("link", name="Cancel").click()
    expect(field(bob, 1)).to_have_count(0)
    bob.open("/new")
    expect(field(bob.open(path), 2)).to_have_value("Not finished")
    expect(field(bob, 1)).to_have_count(0)
    expect(open_form(bob, 1)).to_have_value("I think:")
    bob.page.locator("#c3 p").nth(1).select_text()
    expect(open_form(bob, 3, "Quote")).to_have_value("> To be quoted.\n\n")
    field(bob, 3).fill("")
    field(bob, 2).fill(" ")
    press(bob, "Control+Enter")
    bob.is_at("/a/1/c/2/reply")
    bob.type("Your comment", "Finished").press("Post").is_at(f"{path}#c4")
    expect(open_form(bob, 2)).to_have_value("")
    compose(bob, open_form(bob, 3))
    bob.is_at(f"{path}#c5")
    assert store.threads.get(1).nodes.keys() == {1, 2, 3, 4, 5}

    factories.comment(store, 1, parent=1, text="Four.")
    bob.open(path).page.locator("#c1 > .comment-head a").last.focus()
    press(bob, "x", "n")
    expect(bob.page.locator("#c6 > .comment-head a").last).to_be_focused()
    expect(bob.page.locator("#c6 .text")).to_be_visible()

    open_form(bob, 1).fill("Secret")
    bob.page.route(
        "**/reply*", lambda route: route.continue_() if route.request.is_navigation_request() else route.abort()
    )
    bob.page.locator("#c3").get_by_role("link", name="Reply", exact=True).first.click()
    bob.is_at("/a/1/c/3/reply?order=time")
    bob.log_out()
    bob.keeps("{}")


def walk_and_fold(bob: Visitor) -> None:
    """Walk through the comments with keys, and write an answer that stays a draft."""
    bob.page.locator("#c1 > .comment-head a").last.focus()
    press(bob, "j")
    expect(bob.page.locator("#c2 > .comment-head a").last).to_be_focused()
    assert marked(bob) == ["c2"]
    assert bob.page.locator(":focus").evaluate("link => getComputedStyle(link).outlineColor") == "rgba(0, 0, 0, 0)"
    press(bob, "k", "x")
    bob.keeps('folded:/a/1":"c1"')
    bob.page.goto(f"{bob.page.url}#c3")
    bob.page.reload()
    assert marked(bob) == ["c3"]
    expect(bob.page.locator("#c1 .text").first).to_be_hidden()
    expect(bob.page.locator("#c2")).to_be_hidden()
    press(bob, "k")
    assert marked(bob) == ["c1"]
    press(bob, "j", "v")
    expect(bob.page.locator("#c3 > button.vote")).to_have_attribute("aria-pressed", "true")
    press(bob, "k", "x", "r")
    expect(field(bob, 1)).to_be_focused()
    press(bob, "j", "x")
    expect(field(bob, 1)).to_have_value("jx")
    press(bob, "Escape")
    expect(field(bob, 1)).to_have_count(0)
    bob.page.reload()
    expect(field(bob, 1)).to_have_count(0)
    expect(open_form(bob, 1)).to_have_value("jx")
    bob.page.locator("#c1").get_by_role("link", name="Reply", exact=True).first.click()
    expect(field(bob, 1)).to_have_count(0)


def cancel_a_comment(bob: Visitor) -> None:
    """Close the box of a new comment by its link and by Escape: it stays closed, and keeps the words."""
    box, text = bob.page.locator("#write"), bob.page.locator("#text")
    box.locator("summary").click()
    expect(text).to_be_focused()
    text.fill("Perhaps.")
    box.get_by_role("link", name="Cancel").click()
    expect(box.locator("summary")).to_be_focused()
    bob.page.reload()
    expect(bob.page.locator("#write[open]")).to_have_count(0)
    box.locator("summary").click()
    expect(text).to_have_value("Perhaps.")
    box.locator("summary").press("Escape")
    expect(text).to_be_hidden()
    box.locator("summary").click()
    expect(text).to_be_focused()
    press(bob, "Escape")
    expect(text).to_be_hidden()


def marked(bob: Visitor) -> list[str]:
    """Return the comments with a bar beside their head, text and acts."""
    parts = "[[comment, '::after'], [comment.querySelector('.comment-body'), '::before']]"
    has_bar = f"comment => {parts}.every(([part, bar]) => getComputedStyle(part, bar).content != 'none')"
    ids = bob.page.locator(".comment").evaluate_all(f"all => all.filter({has_bar}).map(comment => comment.id)")
    return [str(id) for id in ids]


def compose(bob: Visitor, text: Locator) -> None:
    """Type Chinese into a form: control and enter send it, but not while it is composed."""
    devtools = bob.page.context.new_cdp_session(bob.page)
    devtools.send("Input.imeSetComposition", {"text": "ni hao", "selectionStart": 6, "selectionEnd": 6})
    key = {"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229, "modifiers": 2}
    devtools.send("Input.dispatchKeyEvent", key)
    devtools.send("Input.insertText", {"text": "你好"})
    expect(text).to_have_value("你好")
    press(bob, "Control+Enter")


def test_words_typed_before_the_scripts_run_stay(visit: Visit, store: Store) -> None:
    factories.comment(store, factories.article(store), text="One.")
    bob = visit("bob").open("/a/1/c/1/reply").type("Your comment", "A draft").open("/new")
    held: list[Route] = []
    bob.page.route("**/site.js*", lambda route: held.append(route))
    bob.page.goto(f"{bob.site_url}/a/1/c/1/reply", wait_until="commit")
    bob.type("Your comment", "Typed at once")
    until(lambda: bob.page.evaluate("true") and held)
    held[0].continue_()
    expect(bob.loaded().page.get_by_label("Your comment")).to_have_value("Typed at once")
