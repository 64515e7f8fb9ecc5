"""A site that is read-only refuses all forms but those of log-in, moderators and admins, and keeps what was typed."""

import pytest

from tests.store.test_site_switches import set_switch
from tests.web.addresses.address import PEOPLE
from tests.web.addresses.conftest import Everybody
from tests.web.addresses.table import FORMS
from tests.web.state import content
from voteweb.core.rate_limits import MODERATE
from voteweb.core.site_switches import ON, SwitchName
from voteweb.store import Store

#: The forms that are refused: they change something of the site.
REFUSED = [
    address
    for address in FORMS
    if address.writes
    and address.endpoint not in MODERATE.views
    and not address.endpoint.startswith(
        ("auth.log", "auth.second", "auth.reset", "recovery.recover", "mail.recover", "language.")
    )
    and address.endpoint not in ("account.logout_everywhere", "account.end_sessions", "programs.withdraw")
    and address.allowed
]


def test_form_is_refused_in_the_operators_words(everybody: Everybody, store: Store, subtests: pytest.Subtests) -> None:
    browsers = {person: everybody.browser(person) for person in PEOPLE}
    set_switch(store, store.users.get("other-admin"), SwitchName.READ_ONLY, ON, "Back at nine <b>.")
    before = content(store)
    for address in REFUSED:
        with subtests.test(str(address)):
            person = address.allowed[0]
            browser = everybody.send(address, person, browsers[person])
            assert content(store) == before
            assert (browser.status, browser.headers["Retry-After"]) == (503, "300")
            assert "nothing was saved: Back at nine &lt;b&gt;." in browser.text
            kept = {"title", "text", "note", "answer", "description"} & set(address.fields)
            assert all(address.fields[name] in browser.text for name in kept)
