"""Members talk below an article: they write, answer, are told of answers and vote."""

from playwright.sync_api import Locator, expect

from tests import factories
from tests.journeys.conftest import Visit, Window
from tests.journeys.visitor import Visitor
from voteweb.store import Store
from voteweb.store.doctor import Doctor


def comment(visitor: Visitor, number: int) -> Locator:
    return visitor.page.locator(f"#c{number}")


def reply(visitor: Visitor, number: int, text: str) -> Visitor:
    """Answer a comment: with script the form opens below it, without script on a page of its own."""
    comment(visitor, number).get_by_role("link", name="Reply", exact=True).first.click()
    return send(visitor, visitor.page.locator("textarea:visible"), text)


def send(visitor: Visitor, field: Locator, text: str, then: str = "") -> Visitor:
    visitor.loaded()
    field.fill(text)
    field.locator("xpath=ancestor::form").get_by_role("button", name="Post").click()
    visitor.sees_flash(f"Your comment has been posted.{then}")
    return visitor


def inbox_number(visitor: Visitor) -> Locator:
    return visitor.page.get_by_role("banner").get_by_role("link", name="Inbox").locator(".badge")


def test_members_write_answer_read_and_vote(visit: Visit, window: Window, store: Store) -> None:
    ann, bob, carl = visit("ann", **window), visit("bob", **window), visit("carl", **window)
    factories.article(store)
    bob.open("/a/1").page.get_by_text("Write a comment").click()
    send(bob, bob.page.get_by_label("Your comment"), "What about **performance**?").is_at("/a/1#c1")
    expect(comment(bob, 1).locator(".text strong")).to_have_text("performance")
    expect(comment(bob, 1)).to_be_in_viewport()

    expect(inbox_number(ann.open("/"))).to_have_text("1")
    inbox_number(ann).click()
    ann.follow("In context").is_at("/a/1/c/1")
    expect(inbox_number(ann)).to_have_count(0)
    reply(ann, 1, "Ask @Carl，who measured it.").is_at("/a/1#c2")

    for visitor, text in ((bob, "ann answered you in"), (carl, "ann mentioned you in")):
        expect(inbox_number(visitor.open("/inbox"))).to_have_text("1")
        expect(visitor.page.locator(".notices")).to_contain_text(text)
        for pressed in ("true", "false"):  # the vote returns to the inbox
            button = visitor.page.locator(".notices button.vote")
            button.click()
            expect(button).to_have_attribute("aria-pressed", pressed)
            expect(button).not_to_have_attribute("aria-busy", "true")  # it takes the next press
            visitor.loaded()
        visitor.is_at("/inbox" if window["script"] else "/inbox#c1-2")
        if window["script"]:
            visitor.follow("Reply")
            expect(visitor.page.locator(".notices").get_by_label("Your comment")).to_be_focused()
        visitor.press("Mark all as read")
        expect(inbox_number(visitor)).to_have_count(0)

    carl.open("/a/1")
    comment(carl, 1).locator(".replies > summary").first.click()
    expect(comment(carl, 2)).to_be_hidden()
    comment(carl, 1).locator(".replies > summary").first.click()
    expect(comment(carl, 2)).to_be_visible()
    fold, text = (comment(carl, 2).locator(part) for part in (".replies > summary", ".text"))  # nobody has answered
    fold.click()
    expect(text).to_be_hidden()
    if window["script"]:
        carl.keeps('folded:/a/1":"c2"')
        carl.page.reload()
        expect(text).to_be_hidden()
        fold.click()
        carl.keeps("{}")
    carl.open("/a/1")
    expect(text).to_be_visible()
    reply(carl, 2, "> Ask\n\n2 ms.").is_at("/a/1#c3")
    ann.open("/inbox").follow("Reply")
    send(ann, ann.page.locator("textarea:visible"), "Thank you.", " In context").is_at("/inbox#c1-3")
    expect(ann.page.locator("textarea")).to_have_count(0)  # the draft has been sent
    assert not list(Doctor(store.context).examine())


def test_messages_are_in_sight_where_an_answer_leads(visit: Visit, store: Store) -> None:
    factories.article(store)
    for number in range(25):
        factories.comment(store, 1, text=f"Words {number}.")
    bob = visit("bob", script=False).open("/a/1")
    bob.page.locator(".thread button.vote").last.click()
    bob.sees_flash("Your vote has been counted.")
    expect(bob.page.locator(".flash")).to_be_in_viewport()
    expect(bob.page.locator(".comment:target .comment-head")).to_be_in_viewport(ratio=1)


#: Of each block of a comment: whether its exclamation mark is to the left of its first Hebrew letter.
_ENDS_ON_THE_LEFT = """blocks => blocks.map(block => {
  const left = character => {
    for (const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT); walker.nextNode();) {
      const at = walker.currentNode.data.indexOf(character), range = document.createRange();
      if (at >= 0) {
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + 1);
        return range.getBoundingClientRect().left;
      }
    }
  };
  return left("!") < left("ש");
})"""


def test_each_block_of_a_text_has_its_own_direction(visit: Visit, store: Store) -> None:
    blocks = ["שלום!", "@ann שלום!", "- שלום!", "> > שלום!", "https://example.com שלום!", "English שלום!"]
    factories.article(store)
    text = "\n\n".join(["English, then", *blocks, "אחר `ש!`"])
    factories.comment(store, 1, factories.user(store, "ann"), text=text)
    shown = comment(visit("bob").open("/a/1"), 1).locator(".text")
    hebrew = shown.locator("p, li").filter(has_text="שלום")
    assert hebrew.evaluate_all(_ENDS_ON_THE_LEFT) == [True, True, True, True, True, False]
    assert shown.locator("code").evaluate_all(_ENDS_ON_THE_LEFT) == [False]
