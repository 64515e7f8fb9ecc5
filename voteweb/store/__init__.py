"""The store: all of Redis, behind one object with one part per noun. The only package that imports redis."""

from collections.abc import Callable, Iterator
from typing import TypeVar, get_type_hints

from voteweb.core.models import Page
from voteweb.core.settings import Settings
from voteweb.store.accounts.mail import Mail
from voteweb.store.accounts.programs import Programs
from voteweb.store.accounts.second_factors import SecondFactors
from voteweb.store.accounts.secret_feeds import SecretFeeds
from voteweb.store.accounts.secret_links import Invitations, Passwords
from voteweb.store.accounts.sessions import Sessions
from voteweb.store.accounts.users import Users
from voteweb.store.articles.articles import Articles
from voteweb.store.articles.groups import Groups
from voteweb.store.articles.listings import Listings
from voteweb.store.articles.search_documents import Search
from voteweb.store.comments.comments import Comments
from voteweb.store.comments.imports import Imports
from voteweb.store.comments.threads import Threads
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.factory import open_connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.members.account_deletion import AccountDeletion
from voteweb.store.members.group_merges import GroupMerges
from voteweb.store.members.my_site import MySites
from voteweb.store.members.viewers import Inbox, Viewers
from voteweb.store.moderation.bans import Bans, Notes
from voteweb.store.moderation.domain_rules import DomainRules
from voteweb.store.moderation.planned_merges import PlannedMerges
from voteweb.store.moderation.removals import Removals
from voteweb.store.moderation.reports import Reports
from voteweb.store.moderation.undoing import Undoing
from voteweb.store.moderation.waiting import Waiting
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.rankings import Rankings
from voteweb.store.server.health import HealthChecks
from voteweb.store.server.rescoring import Rescoring
from voteweb.store.site.context import Context
from voteweb.store.site.leases import Leases
from voteweb.store.site.rows import read_all
from voteweb.store.votes.open_votes import OpenVotes
from voteweb.store.votes.voters import Voters
from voteweb.store.votes.votes import Votes

T = TypeVar("T")
#: The name or id of a member.
Owner = TypeVar("Owner", str, int)


class Store:
    """One site's data, in parts of one noun each: all that are annotated here."""

    articles: Articles
    votes: Votes
    voters: Voters
    listings: Listings
    groups: Groups
    group_merges: GroupMerges
    imports: Imports
    search: Search
    comments: Comments
    threads: Threads
    users: Users
    sessions: Sessions
    passwords: Passwords
    second_factors: SecondFactors
    programs: Programs
    invitations: Invitations
    mail: Mail
    inbox: Inbox
    feeds: SecretFeeds
    my_sites: MySites
    viewers: Viewers
    account_deletion: AccountDeletion
    removals: Removals
    reports: Reports
    bans: Bans
    open_votes: OpenVotes
    notes: Notes
    undoing: Undoing
    waiting: Waiting
    domain_rules: DomainRules
    planned_merges: PlannedMerges
    site_settings: Rescoring
    health: HealthChecks
    jobs: Leases

    def __init__(self, context: Context) -> None:
        self.context = context
        self.connection, self.keys = context.connection, context.keys
        self.read, self.pipeline = self.connection.read, self.connection.pipeline
        self.limits = context.limits
        self.log = context.log
        self.rankings = Rankings(context.keys)
        for name, part in get_type_hints(Store).items():
            setattr(self, name, part(context))

    def read_all(self, queue: Callable[[Pipeline, Owner, int, int], Future[Page[T]]], owner: Owner) -> Iterator[T]:
        """Yield all rows of a list of *owner*, whose pages *queue* reads, in batches of READ_BATCH_SIZE."""
        return read_all(self.connection, lambda pipeline, number, size: queue(pipeline, owner, number, size))


def open_store(settings: Settings, keys: Keys | None = None) -> Store:
    """Return the store of ``settings.site`` at ``settings.redis_url``; nothing is sent to Redis yet."""
    return build_store(open_connection(settings, keys), settings)


def build_store(connection: Connection, settings: Settings) -> Store:
    """Return the store on an existing *connection*."""
    return Store(Context(connection, settings))
