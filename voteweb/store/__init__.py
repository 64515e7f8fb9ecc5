"""The store: all of Redis, behind one object with one part per noun. The only package that imports redis."""

from dataclasses import dataclass

from voteweb.config import Settings
from voteweb.store.articles import Articles
from voteweb.store.connect import Connection, Trip, connect
from voteweb.store.doctor import Doctor
from voteweb.store.groups import Groups
from voteweb.store.imports import Imports
from voteweb.store.listings import Listings
from voteweb.store.server import Server
from voteweb.store.users import Users
from voteweb.store.votes import Votes


@dataclass(frozen=True, slots=True)
class Store:
    """One site's data."""

    connection: Connection
    articles: Articles
    votes: Votes
    groups: Groups
    users: Users
    listings: Listings
    imports: Imports
    doctor: Doctor
    server: Server

    def trip(self) -> Trip:
        """Return an empty round trip: queue questions with the parts' ask methods, then go."""
        return self.connection.trip()


def open_store(settings: Settings) -> Store:
    """Return the store at ``settings.redis_url``; nothing is sent to Redis yet."""
    return assemble(connect(settings.redis_url, settings.redis_deadline), settings)


def assemble(connection: Connection, settings: Settings) -> Store:
    """Return the store on a *connection* that is there already."""
    return Store(
        connection=connection,
        articles=Articles(connection, settings),
        votes=Votes(connection, settings),
        groups=Groups(connection),
        users=Users(connection),
        listings=Listings(connection, settings),
        imports=Imports(connection, settings),
        doctor=Doctor(connection, settings),
        server=Server(connection),
    )
