"""Domain rules: made, changed, searched and deleted by moderators; read by whoever posts such a link."""

from tests.web.browser import Browser
from tests.web.escaping import HOSTILE


def test_rules_are_made_changed_searched_and_deleted(mod: Browser, reader: Browser) -> None:
    mod.open("/domains").submit("/domains", domain="https://WWW.Spam.Example/page", rule="refuse", why=HOSTILE)
    assert mod.follow().flashes == ["The rule of spam.example has been saved."]
    rule = mod.page.one("ol", class_="log").one("li")
    assert (rule.one("strong").text, rule.one("q").text) == ("spam.example", HOSTILE)
    for domain, rule, why in (("spam.example", "hold", "A look."), ("bücher.example", "refuse", "Shops.")):
        mod.post("/domains", {"csrf_token": mod.csrf_token(), "domain": domain, "rule": rule, "why": why})
    assert mod.follow().page.one("p", class_="total").text == "2 rules"
    listed = mod.open("/domains?q=SPAM").page.one("ol", class_="log").text
    assert "is held for a look: A look." in listed
    assert "xn--" not in listed
    mod.submit("/domains/spam.example/delete")
    assert mod.follow().flashes == ["The rule of spam.example has been deleted."]
    assert not mod.open("/domains?q=spam").page.all("ol", class_="log")
    assert [entry.all("p")[0].text for entry in reader.open("/log").page.one("ol").all("li")] == [
        "mod deleted the rule of spam.example",
        "mod decided to refuse links to xn--bcher-kva.example : Shops.",
        "mod decided to hold links to spam.example for a look : A look.",
        f"mod decided to refuse links to spam.example : {HOSTILE}",
    ]


def test_refused_rule_keeps_what_was_typed(mod: Browser) -> None:
    for domain in ("", "example", "a b.example", "a.b.c.d.e.example", "http://"):
        mod.open("/domains").submit("/domains", domain=domain, rule="hold", why="Because.")
        assert mod.status == 422
        assert "This is no domain." in mod.page.one("p", role="alert").text
        form = mod.form("/domains")
        assert [form.one("input", name=name)["value"] for name in ("domain", "why")] == [domain, "Because."]
        assert [radio["value"] for radio in form.all("input", type="radio") if "checked" in radio] == ["hold"]
    mod.open("/domains").submit("/domains", domain="spam.example", rule="hold")
    assert "Please give a reason." in mod.page.one("p", role="alert").text


def test_refused_link_keeps_what_was_typed_and_says_why(mod: Browser, bob: Browser) -> None:
    rule = {"domain": "spam.example", "rule": "refuse", "why": "An advertisement."}
    mod.post("/domains", {"csrf_token": mod.csrf_token(), **rule})
    bob.open("/submit").submit("/submit", title="Kept title", link="https://x.spam.example/", text="Kept words")
    assert bob.status == 422
    message = "Links to spam.example are not accepted here: An advertisement."
    assert bob.page.one("p", id="link-errors").text == message
    assert bob.page.one("input", name="title")["value"] == "Kept title"
    assert bob.page.one("textarea", name="text").text == "Kept words"
