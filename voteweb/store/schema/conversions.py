"""All conversions of the data from one layout to the next."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from voteweb.core.config import Settings
from voteweb.store.connection.connection import Connection
from voteweb.store.schema import (
    articles,
    groups,
    imported,
    invitations,
    links,
    members,
    moderation_log,
    open_votes,
    password_resets,
    rankings,
    reports,
)

#: Converts all records of one kind in bounded steps, and yields after each how many it converted; with ``dry_run`` it
#: only counts. It may be stopped anywhere and run again: what is converted already is left alone.
Run = Callable[[Connection, Settings, bool], Iterator[int]]


class Conversion(NamedTuple):
    """One change of layout, with the words that tell an operator what it does."""

    title: str
    run: Run


#: The conversions that lead to each layout from the one before, in the order in which they run.
CONVERSIONS: dict[int, tuple[Conversion, ...]] = {
    1: (
        Conversion("Store with each article when voting on it ends", articles.convert),
        Conversion("List the votes that each member can take back", open_votes.convert),
        Conversion("Index members, and take up what those who left have left behind", members.convert),
        Conversion("Bind one-time links to the passwords they replace", password_resets.convert),
        Conversion("Keep imported rows in an eighth of the memory", imported.convert),
        Conversion("Keep the acts of the moderation log in one list", moderation_log.convert),
        Conversion("Give groups without a title their name", groups.convert),
        Conversion("Keep which articles a member reported without the words", reports.convert),
    ),
    # Conversations: only new keys and fields, which are absent on a site that has none.
    2: (),
    # Rankings that are computed from articles: by votes for each day, by domain of the link. Links in less memory.
    3: (
        Conversion("Rank articles by votes for each day and group, and list them by domain", rankings.convert),
        Conversion("Remember under links in whole seconds when articles were posted", links.convert),
    ),
    # Who may list the names of keys must not learn a token.
    4: (Conversion("Keep invitations under digests of their links", invitations.convert),),
}
