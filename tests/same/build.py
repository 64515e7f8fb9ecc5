"""Build the sites that both checkouts begin with: ``build.py small | full | sample | table``.

The interpreter, the product and the tests are those of the checkout BEFORE, which does not change: nothing here is
read by AFTER but the keys that it makes. The clock is that of ``fixed_clock.c``, in the file of ``SAME_CLOCK``.
"""

import json
import os
import struct
import sys
from typing import Any

from tests import factories
from tests.web.addresses import address, table
from tests.web.addresses.conftest import build_site, choose
from tests.web.browser import PASSWORD
from tests.web.state import EMAIL, PENDING
from voteweb.cli.sample import import_sample
from voteweb.core import passwords
from voteweb.core.comments import CommentId
from voteweb.core.models import DomainAction, LogAction, Role
from voteweb.core.settings import from_env
from voteweb.core.site_switches import ON, SwitchName
from voteweb.store import Store, open_store
from voteweb.store.migrations import Migrations
from voteweb.store.schema.log_entries import NewLogEntry

START, DAY = 1_800_000_000, 86_400
#: Those who are added to the people of the table: who waits for a moderator, joined just now, or hides most things.
HELD, NEW, HIDER = "held", "new", "hider"
MEMBERS = (*address.MEMBERS, address.BANNED, HIDER)
#: Those of whom somebody acts at random, besides.
CROWD = tuple(f"crowd{number}" for number in range(12))
CONVERSATION = 300


def set_clock(now: float) -> None:
    with open(os.environ["SAME_CLOCK"], "r+b") as stream:
        stream.write(struct.pack("q", round(now * 1e6)))


def build_small(store: Store) -> None:
    """Make the site of the table of addresses, with everybody who asks."""
    hashed = passwords.hash_password(PASSWORD)
    set_clock(START - 40 * DAY)
    for name in (*MEMBERS, *CROWD):
        store.users.make(name, hashed, address.ROLES.get(name, Role.MEMBER))
    set_clock(START)
    build_site(store)
    store.users.make(HELD, hashed, network="", request="Please let me in.")
    store.users.make(NEW, hashed, network="")
    for number, name in enumerate((*MEMBERS, NEW), 1):
        member = store.users.get(name)
        set_clock(START + number)
        store.votes.cast(4, member)
        store.votes.cast(CommentId(1, 3), member)
        choose(store, member)
        store.connection.command("HSET", store.keys.user(name), "email", EMAIL, "email-pending", str(PENDING))
    for entry in ("gpython", "mzoe", "dexample.com", "a1"):
        store.connection.command("ZADD", store.keys.hides(HIDER), 2, entry)


def build_full(store: Store) -> None:
    """Add a long conversation and what moderators and members have done, beside the imported stories."""
    now = START + DAY
    set_clock(now)
    admin, moderator = (store.users.get(name) for name in (address.ADMIN, address.MODERATOR))
    people = [store.users.get(name) for name in (*CROWD, address.MEMBER, address.POSTER)]
    talk = factories.article(
        store, people[0], link="", text="*Talk* & <b>shout</b>\n\n> quote\n\n`code`", groups=("go",)
    )
    for number in range(1, CONVERSATION + 1):
        set_clock(now + number)
        text = f"Comment **{number}** & <i>more</i> https://example.com/{number}"
        factories.comment(store, talk, people[number % 14], parent=number * 7 % number if number % 3 else 0, text=text)
    for number in range(1, CONVERSATION, 5):
        store.votes.cast(CommentId(talk.id, number), people[(number + 1) % 14])
    spam = NewLogEntry(LogAction.BAN, moderator.name, about="crowd11", why="Spam & <b>ads</b>.")
    store.bans.ban("crowd11", spam, days=7)
    rule = NewLogEntry(LogAction.DOMAIN, admin.name, title="hold.example", why="Spam.")
    store.domain_rules.set("hold.example", DomainAction.HOLD, rule, actor=admin)
    words = NewLogEntry(LogAction.SWITCH, admin.name, title="announcement", why="We move on <Sunday>.")
    store.site_settings.set_switch(SwitchName.ANNOUNCEMENT, ON, words, actor=admin)
    store.groups.change("go", "Go", "A *language*.", alias="golang")
    store.invitations.make(moderator)


def rows() -> dict[str, Any]:
    """Return the table of addresses, and what fills its variable parts for each of those who ask."""
    return {
        "rows": [
            {
                "method": row.method, "path": row.path, "fields": dict(row.fields),
                "urls": {person: row.url(person) for person in (address.READER, *MEMBERS, HELD, NEW)},
                "parts": {**address.PARTS, **row.parts}, "has_csrf": row.has_csrf, "allowed": row.allowed,
                "query": dict(row.query), "parameters": row.parameters,
            }
            for row in table.TABLE
        ],
        "password": PASSWORD, "crowd": CROWD,
    }  # fmt: skip


def main() -> None:
    if sys.argv[1] == "table":
        print(json.dumps(rows()))
        return
    settings = from_env()
    store = open_store(settings)
    Migrations(store.context).state()
    if sys.argv[1] == "sample":
        set_clock(START)
        import_sample(store, settings, START)
    else:
        {"small": build_small, "full": build_full}[sys.argv[1]](store)


if __name__ == "__main__":
    main()
