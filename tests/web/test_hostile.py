"""Whatever is sent to whichever address: no mistake of ours, no markup, no other site, no header of the sender's."""

import re
from typing import Any
from urllib.parse import quote, urlencode
from xml.etree import ElementTree

import pytest
from flask import Flask
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from tests import factories
from tests.web.browser import JSON, PASSWORD, Browser
from tests.web.conftest import MakeMember
from tests.web.dom import parse
from tests.web.state import TOKEN, know_token
from tests.web.test_tokens import PARTS
from voteweb.core.models import LogAction, Role
from voteweb.store import Store
from voteweb.store.moderation_log import NewLogEntry
from voteweb.web import views

#: What is tried in every field, parameter, header and part of an address. "hx" marks what came from us.
VALUES = [
    "hx\r\nX-Hx: 1\r\nSet-Cookie: hx=1\r\n\r\n<hx>", "\x00\u202ehx\u2028\ufffe", "\ud800hx",
    '"><hx onhx=1>', "' onhx='1' x='", "</title></textarea><script>hx()</script>", "<!--]]><hx/>", "&lt;hx&gt;",
    "javascript:hx(1)", "//hx.example", "/\\hx.example", "/\t/hx.example", "https://u:p@hx.example/",
    "{{7*7}}hx", "${7*7}%(hx)s%s%n", "../../../etc/passwd", "%2e%2e%2f", "*", "' OR '1'='1", "",
    "-1", "1e309", "٣", "9" * 400, "x" * 3_000, "😀" * 400, "e\u0301\u0323" * 900, "a+b+c+d+e",
]  # fmt: skip
#: The fields of every form, such that the form succeeds: each is made hostile in turn, and "next" besides.
FORMS: dict[str, dict[str, str]] = {
    "articles.submit": {
        "title": "A title", "link": "https://example.com/", "text": "", "groups": "python", "once": TOKEN,
        "anyway": "1",
    },
    "articles.edit": {"title": "A title", "link": "https://example.com/", "text": "", "groups": "python", "once": ""},
    "articles.delete": {},
    "votes.vote": {},
    "votes.unvote": {},
    "groups.new": {"name": "golang", "title": "Go", "description": "words"},
    "groups.edit": {"title": "Go", "description": "words"},
    "auth.signup": {"username": "carl", "password": PASSWORD, "invite": TOKEN},
    "auth.login": {"username": "boss", "password": PASSWORD},
    "auth.logout": {},
    "auth.reset": {"new": PASSWORD},
    "account.index": {"old": PASSWORD, "new": PASSWORD},
    "account.logout_everywhere": {},
    "account.delete": {"password": PASSWORD, "articles": "keep"},
    "invitations.make": {},
    "invitations.revoke": {},
    "users.ban": {"reason": "Spam."},
    "users.unban": {},
    "users.set_role": {"role": "moderator"},
    "moderation.set_groups": {"add": "redis", "remove": "python", "settle": "1"},
    "moderation.remove": {"reason": "Spam."},
    "moderation.restore": {},
    "moderation.report": {"reason": "spam", "note": "words"},
    "moderation.dismiss": {},
    "moderation_log.undo": {},
    "language.choose": {"language": "zh"},
}  # fmt: skip
#: Forms of those who are not logged in.
OF_READERS = {"auth.signup", "auth.login", "auth.reset"}
#: Parameters of all pages that look at any, but for those of a few, by the end of the view's name.
PARAMETERS = ("page", "next")
MORE = {"signup": ("invite",), "submit": ("title", "link"), "moderation_log.index": ("who", "kind"), "moderation_log.feed": ("who", "kind")}
HEADERS = """Accept Accept-Language Cookie Referer User-Agent X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto
Forwarded X-CSRFToken If-None-Match If-Modified-Since Range Content-Type Origin""".split()


def rules(method: str) -> list[Rule]:
    """Return the rules of the site that take *method*."""
    app = Flask("routes only")
    for module in vars(views).values():
        if hasattr(module, "blueprint"):
            app.register_blueprint(module.blueprint)
    return [rule for rule in app.url_map.iter_rules() if method in (rule.methods or ())]


def filled(rule: Rule, **parts: str) -> str:
    """Return an address of *rule*, with *parts* in place of the usual ones, as a browser would send it."""
    words = {name: str(parts.get(name, PARTS[name])) for name in rule.arguments}
    return re.sub(r"<(?:[^:<>]*:)?(\w+)>", lambda found: quote(words[found[1]], errors="surrogatepass"), rule.rule)


def parameters(rule: Rule) -> tuple[str, ...]:
    """Return the parameters that may mean something to the page of *rule*."""
    return PARAMETERS + next((more for end, more in MORE.items() if rule.endpoint.endswith(end)), ())


GETS = [(rule, name) for rule in rules("GET") for name in (*sorted(rule.arguments), *parameters(rule))]
POSTS = [
    (rule, name)
    for rule in rules("POST")
    for name in (*sorted(rule.arguments), *FORMS[rule.endpoint], "next", "csrf_token")
]


def assert_harmless(answer: TestResponse, sent: str) -> None:
    """Fail if *answer* shows a mistake of ours, or if what was *sent* got anywhere but into words."""
    assert answer.status_code < 500, sent
    for name, value in answer.headers:
        assert name != "X-Hx", sent
        assert not re.search(r"[\x00-\x08\x0a-\x1f\x7f]", value), sent
        assert not (name == "Set-Cookie" and value.startswith("hx")), sent
    where = answer.headers.get("Location", "/")
    assert re.match(r"/(?![/\\])", where), where
    body = answer.get_data().decode()
    if answer.status_code == 304:
        assert not body
        return
    assert not re.search(r"Traceback|werkzeug|jinja2|voteweb/|\.py\b|49hx|root:", body), sent
    if answer.mimetype == "text/html" and "<title>Redirecting" not in body:
        for element in parse(body):
            assert element.tag != "hx"
            assert not [name for name in element.attrs if name.startswith("on")], element.attrs
            assert "hx(" not in element.raw or element.tag != "script"
            for name in ("href", "action", "formaction", "src"):
                assert re.match(r"(/(?![/\\])|#|https?://|$)", element.attrs.get(name, "/")) or (
                    element.attrs[name].startswith("javascript:location.href=")  # the bookmarklet, which is ours
                ), element.attrs
    elif answer.mimetype.endswith("xml"):
        ElementTree.fromstring(body)
        assert "<hx" not in body
    elif answer.mimetype.endswith("json"):
        assert answer.json is not None


class Sender:
    """Somebody who may do everything, or a reader; comes back as somebody new when a form ends the session."""

    def __init__(self, app: Flask, make_member: MakeMember) -> None:
        self.app = app
        self.make_member = make_member
        self.count = 0
        self.as_admin()

    def as_admin(self) -> None:
        """Log in as a new admin."""
        self.count += 1
        self.browser = self.make_member(f"boss{self.count}", Role.ADMIN)
        self.token = self.browser.token()

    def as_reader(self) -> None:
        """Be nobody, with the token of the log-in page."""
        self.browser = Browser(self.app)
        self.token = self.browser.open("/login").page.one("input", name="csrf_token")["value"]

    def post(self, rule: Rule, fields: dict[str, str], address: str = "") -> TestResponse:
        """Send a form with the own token, unless *fields* hold another."""
        if rule.endpoint in OF_READERS:
            self.as_reader()
        else:
            with self.browser.client.session_transaction() as session:
                is_out = "_user_id" not in session
            if is_out:
                self.as_admin()
        body = urlencode({"csrf_token": self.token} | fields, errors="surrogatepass")
        return self.browser.client.post(
            address or filled(rule), data=body, content_type="application/x-www-form-urlencoded", buffered=True
        )


@pytest.fixture(autouse=True)
def site(fake_store: Store) -> None:
    """What the usual addresses name: an article, groups, a member, an act, an invitation, a link."""
    factories.article(fake_store, factories.user(fake_store, "zoe"), groups=("python",))
    factories.group(fake_store, "redis")
    factories.user(fake_store, PARTS["name"])
    fake_store.articles.set_groups(1, ["redis"], [], NewLogEntry(LogAction.GROUPS, "mod", article=1))
    know_token(fake_store, inviter="zoe", forgetful="zoe")


@pytest.fixture
def sender(app: Flask, make_member: MakeMember) -> Sender:
    """An admin."""
    return Sender(app, make_member)


def test_there_are_enough_cases_and_a_form_for_every_address(app: Flask) -> None:
    assert set(FORMS) == {rule.endpoint for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    assert len(GETS) * len(VALUES) > 2_000
    assert len(POSTS) * len(VALUES) > 2_000


@pytest.mark.parametrize(("rule", "name"), GETS, ids=lambda each: str(getattr(each, "rule", each)))
def test_nothing_in_an_address_does_harm(rule: Rule, name: str, mod: Browser, reader: Browser) -> None:
    for at, value in enumerate(VALUES):
        person = (reader, mod)[at % 2]
        is_part = name in rule.arguments
        query = "" if is_part else urlencode({name: value}, errors="surrogatepass")
        address = filled(rule, **{name: value}) if is_part else filled(rule)
        assert_harmless(person.client.get(address, query_string=query, buffered=True), value)


@pytest.mark.parametrize(("rule", "name"), POSTS, ids=lambda each: str(getattr(each, "rule", each)))
def test_nothing_in_a_form_does_harm(rule: Rule, name: str, sender: Sender) -> None:
    usual = FORMS[rule.endpoint]
    for value in VALUES:
        if name in rule.arguments:
            assert_harmless(sender.post(rule, usual, filled(rule, **{name: value})), value)
        else:
            answer = sender.post(rule, usual | {name: value})
            assert_harmless(answer, value)
            assert answer.status_code != 400 or name in ("csrf_token", "role"), "the token was good"


@pytest.mark.parametrize("name", HEADERS)
def test_nothing_in_a_header_does_harm(name: str, sender: Sender, reader: Browser) -> None:
    for value in (each for each in VALUES if each.isprintable() and each.isascii()):
        for address in ("/a/1", "/feed.atom", "/login"):
            assert_harmless(reader.client.get(address, headers={name: value}, buffered=True), value)
        headers = JSON | {name: value}
        answer = sender.browser.client.post("/a/1/vote", data={"csrf_token": sender.token}, headers=headers)
        assert_harmless(answer, value)


@pytest.mark.parametrize("name", ["voteweb", "known", "language"])
def test_nothing_in_a_cookie_does_harm(name: str, app: Flask) -> None:
    for value in (each for each in VALUES if each.isprintable() and each.isascii() and len(each) < 3_000):
        reader = Browser(app)
        reader.client.set_cookie(name, value)
        for address in ("/", "/login", "/submit", "/feed.atom"):
            assert_harmless(reader.client.get(address, buffered=True), value)
        assert_harmless(reader.client.post("/login", data={"username": "zoe", "password": "x"}), value)


any_text = st.text(max_size=60) | st.sampled_from(VALUES)
without_fixtures_anew = examples(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)


@without_fixtures_anew
@given(data=st.data())
def test_no_form_of_whatever_fields_does_harm(sender: Sender, data: Any) -> None:
    rule = data.draw(st.sampled_from(rules("POST")))
    names = [*FORMS[rule.endpoint], "next", "x"]
    fields = data.draw(st.dictionaries(st.sampled_from(names), any_text, max_size=len(names)))
    assert_harmless(sender.post(rule, FORMS[rule.endpoint] | fields), str(fields))


@without_fixtures_anew
@given(data=st.data())
def test_no_address_of_whatever_parts_does_harm(reader: Browser, data: Any) -> None:
    rule = data.draw(st.sampled_from(rules("GET")))
    parts = {name: data.draw(any_text) for name in rule.arguments}
    query = data.draw(st.dictionaries(st.sampled_from(parameters(rule)) | st.text(max_size=5), any_text, max_size=4))
    answer = reader.client.get(
        filled(rule, **parts), query_string=urlencode(query, errors="surrogatepass"), buffered=True
    )
    assert_harmless(answer, f"{parts} {query}")
