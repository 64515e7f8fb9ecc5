"""A field that is refused has its error beside it, and everything typed stays in the form, but passwords."""

import pytest

from tests.web.addresses.conftest import Everybody
from tests.web.addresses.table import FORMS
from tests.web.dom import fields_of
from tests.web.state import TOKEN

TITLE = "A title needs at least 2 characters, with a letter or digit among them."
SCHEME = "A link must begin with http:// or https://."
TOO_LONG = "A text can have at most 20,000 characters; this one has 20,001."
USER_NAME = "A user name must have 2 to 20 letters or digits of one script, - or _."
#: A form, wrong values of its fields, the field that has the error, and the message.
REFUSED = [
    ("/submit", {"title": ""}, "title", TITLE),
    ("/submit", {"link": "javascript:alert(1)"}, "link", SCHEME),
    ("/submit", {"text": "x" * 20_001}, "text", TOO_LONG),
    ("/submit", {"link": "", "text": ""}, "link", "An article needs a link or a text."),
    ("/a/1/edit", {"link": "javascript:alert(1)"}, "link", SCHEME),
    ("/groups/new", {"name": ""}, "name", "A group's name must have 1 to 30 characters."),
    ("/groups/new", {"name": "python"}, "name", "There is already a group named python."),
    ("/groups/new", {"title": "  "}, "title", "A group's title must have 1 to 60 characters."),
    ("/groups/new", {"description": "x" * 301}, "description", "A description can have at most 300 characters."),
    ("/g/python/edit", {"title": ""}, "title", "A group's title must have 1 to 60 characters."),
    (
        "/a/1/comment",
        {"text": "字" * 10_001},
        "text",
        "A comment can have at most 10,000",
    ),
    ("/signup", {"username": "<b>x</b>"}, "username", USER_NAME),
    ("/signup", {"username": "ZOE"}, "username", "The name ZOE is taken. If this is you, log in."),
    ("/signup", {"password": ""}, "password", "A password must have 8 to 256 characters."),
]


def test_error_is_beside_its_field_and_everything_typed_stays(everybody: Everybody, subtests: pytest.Subtests) -> None:
    for path, wrong, field, message in REFUSED:
        with subtests.test(path, **wrong):
            address = next(form for form in FORMS if form.url() == path)
            browser, typed = everybody.browser(address.sender), {**address.fields, **wrong}
            browser.open(f"{path}?next=/new&invite={TOKEN}").submit(path, **typed)
            assert browser.status == 422
            assert browser.field_error(field).startswith(message)
            shown = fields_of(browser.form(path))
            for name in shown.keys() & typed.keys():
                assert shown[name] == ("" if name == "password" else typed[name]), name
            assert shown.get("next", "/new") == "/new"
            assert everybody.is_unchanged()
