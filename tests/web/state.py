"""The content of the database around a request, and links whose tokens a test must know beforehand."""

import secrets
from typing import Any
from unittest import mock

from tests.store.examination import snapshot
from voteweb.core.mail import PendingEmail
from voteweb.core.models import Right
from voteweb.store import Store
from voteweb.store.accounts.programs import new_token
from voteweb.store.accounts.secret_feeds import SecretFeed

#: The token of the links of :func:`make_links`, valid as any other token.
TOKEN = "0123456789abcdef"
CODE = "0" * 16
#: The address of each of the people, another one that they can confirm, and one that was theirs.
EMAIL = "kept@mail.example"
PENDING = PendingEmail(4_000_000_000, TOKEN, "new@mail.example")
FORMER = PendingEmail(4_000_000_000, TOKEN, "former@mail.example")


def content(store: Store) -> dict[str, Any]:
    """Return everything in the database but what pages write: cached rankings, visits, and looks."""
    return {
        key: value
        for key, value in snapshot(store).items()
        if not (key.startswith(("time:", "score:")) and "+" in key)
        and key not in ("combined:", "looks:")
        and not key.startswith(("seen:", "top-of:"))
    }


def make_links(store: Store, *, inviter: str = "", forgetful: str = "") -> None:
    """Make TOKEN an invitation by *inviter*, links and feeds of *forgetful*, and CODE their recovery code."""
    real = secrets.token_urlsafe
    # Acts have tokens of their own: shorter ones.
    with mock.patch("secrets.token_urlsafe", side_effect=lambda size: TOKEN if size > 9 else real(size)):
        if inviter:
            store.invitations.make(store.users.get(inviter))
        if forgetful:
            store.passwords.make_link(forgetful)
            store.feeds.renew(SecretFeed.INBOX, store.users.get(forgetful))
            store.feeds.renew(SecretFeed.SAVED, store.users.get(forgetful))
    if forgetful:
        make_codes(store, forgetful)


def make_codes(store: Store, name: str) -> None:
    """Make CODE a recovery code of the member *name*."""
    with mock.patch("secrets.choice", return_value=CODE[0]):
        store.passwords.renew_codes(store.users.get(name))


def make_program(store: Store, name: str) -> None:
    """Give the token with the secret TOKEN to a program of the member *name*."""
    store.programs.add(store.users.get(name), f"{new_token(name).partition('.')[0]}.{TOKEN}", "A bot", [Right.READ], 30)
