"""The store: all of Redis, behind one object with one part per noun. The only package that imports redis."""

from dataclasses import dataclass

from voteweb.config import Settings
from voteweb.store.articles import Articles
from voteweb.store.backup import Backup
from voteweb.store.checks import Checks
from voteweb.store.clients import connect
from voteweb.store.connect import Connection
from voteweb.store.doctor import Doctor
from voteweb.store.groups import Groups
from voteweb.store.imports import Imports
from voteweb.store.joining import Joining
from voteweb.store.leaving import Leaving
from voteweb.store.limits import Limits
from voteweb.store.listings import Listings
from voteweb.store.log import Log
from voteweb.store.removals import Removals
from voteweb.store.reports import Reports
from voteweb.store.rescoring import Rescoring
from voteweb.store.server import Server
from voteweb.store.trip import Trip
from voteweb.store.users import Users
from voteweb.store.votes import Votes


@dataclass(frozen=True, slots=True)
class Store:
    """One site's data."""

    connection: Connection
    articles: Articles
    removals: Removals
    reports: Reports
    votes: Votes
    groups: Groups
    users: Users
    joining: Joining
    leaving: Leaving
    limits: Limits
    log: Log
    listings: Listings
    imports: Imports
    doctor: Doctor
    rescoring: Rescoring
    backup: Backup
    server: Server
    checks: Checks

    def trip(self, *, reader: bool = False) -> Trip:
        """Return an empty round trip: queue questions with the parts' ask methods, then go.

        One of a *reader* may be answered by a replica, a moment late; whoever must see the own acts is none.
        """
        return self.connection.trip(reader=reader)


def open_store(settings: Settings) -> Store:
    """Return the store at ``settings.redis_url``; nothing is sent to Redis yet."""
    connection = connect(
        settings.redis_url,
        settings.redis_deadline,
        read_replicas=bool(settings.read_replicas),
        wait=settings.wait_replicas,
    )
    return assemble(connection, settings)


def assemble(connection: Connection, settings: Settings) -> Store:
    """Return the store on a *connection* that is there already."""
    log = Log(connection)
    server, checks = Server(connection), Checks(connection)
    removals, limits = Removals(connection, settings, log), Limits(connection, settings)
    return Store(
        connection=connection,
        articles=Articles(connection, settings, log),
        removals=removals,
        reports=Reports(connection, log),
        votes=Votes(connection, settings, limits),
        groups=Groups(connection, log),
        users=Users(connection, log),
        joining=Joining(connection),
        leaving=Leaving(connection, removals),
        limits=limits,
        log=log,
        listings=Listings(connection, settings),
        imports=Imports(connection, settings),
        doctor=Doctor(connection, settings),
        rescoring=Rescoring(connection, settings),
        backup=Backup(connection, settings, server, checks),
        server=server,
        checks=checks,
    )
