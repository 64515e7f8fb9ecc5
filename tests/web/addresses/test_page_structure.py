"""Every page has one heading, one title, a label for each field, and blanks between words, for those who copy them."""

from itertools import pairwise

from tests.web.addresses.address import MODERATOR, READER
from tests.web.addresses.conftest import MakePerson
from tests.web.addresses.table import PAGES
from tests.web.dom import Element


def test_every_page_has_a_heading_a_title_and_labels(make_person: MakePerson) -> None:
    browsers = [make_person(READER), make_person(MODERATOR)]
    for url in ["/nowhere", *(address.url() for address in PAGES if address.is_html)]:
        for browser in browsers:
            if browser.open(url).status != 303:
                assert_well_structured(browser.page)


def assert_well_structured(page: Element) -> None:
    """Fail unless *page* has one heading, one title, a label for each field, and no style of its own."""
    assert page.one("h1").text
    assert page.one("head").one("title").text.endswith(" · voteweb")
    assert page.one("main")["id"] == page.one("a", class_="skip")["href"].removeprefix("#")
    labels = page.all("label")
    labelled_ids = {label["for"] for label in labels if "for" in label}
    for field in page:
        if field.tag in ("input", "textarea") and field.attrs.get("type") != "hidden" and "hidden" not in field:
            is_inside = any(field in label.children for label in labels)
            assert is_inside or field["id"] in labelled_ids, field.attrs
    ids = [element["id"] for element in page if "id" in element.attrs]
    names = ("aria-describedby", "aria-labelledby")
    named = {id for element in page for name in names for id in element.attrs.get(name, "").split()}
    assert named <= set(ids)
    assert [id for id in ids if ids.count(id) > 1 or (id.endswith("-hint") and id not in named)] == []
    assert all(page.texts("button"))
    assert_words_stand_apart(page)
    assert not page.all("style")
    assert all("style" not in element.attrs for element in page)


#: Elements that a page without styles puts into a line.
INLINE = "a b button cite code em input kbd label mark q select small span strong time".split()


def assert_words_stand_apart(page: Element) -> None:
    """Fail where two elements in a line follow one another without a blank between their words."""
    for parent in page.one("body"):
        for one, other in pairwise(parent.children):
            if isinstance(one, Element) and isinstance(other, Element) and {one.tag, other.tag} <= set(INLINE):
                words, others = _words(one), _words(other)
                assert not (words and others) or words[-1].isspace() or others[0].isspace(), (
                    parent.attrs,
                    words,
                    others,
                )


def _words(element: Element) -> str:
    return "".join(child if isinstance(child, str) else _words(child) for child in element.children)
