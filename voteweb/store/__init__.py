"""The store: all of Redis, behind one object with one part per noun. The only package that imports redis."""

from dataclasses import dataclass

from voteweb.core.config import Settings
from voteweb.store.accounts.invitations import Invitations
from voteweb.store.accounts.mail import Mail
from voteweb.store.accounts.password_resets import PasswordResets
from voteweb.store.accounts.recovery_codes import RecoveryCodes
from voteweb.store.accounts.secret_feeds import SecretFeeds
from voteweb.store.accounts.sessions import Sessions
from voteweb.store.accounts.users import Users
from voteweb.store.articles.articles import Articles
from voteweb.store.articles.group_deletion import GroupDeletion
from voteweb.store.articles.groups import Groups
from voteweb.store.articles.held_articles import HeldArticles
from voteweb.store.articles.imports import Imports
from voteweb.store.articles.listings import Listings
from voteweb.store.articles.search_documents import SearchDocuments
from voteweb.store.backup import Backup
from voteweb.store.comments.comments import Comments
from voteweb.store.comments.imports import CommentImports
from voteweb.store.comments.threads import Threads
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.factory import open_connection
from voteweb.store.connection.pipeline import Pipeline
from voteweb.store.connection.tls import TlsFiles
from voteweb.store.doctor import Doctor
from voteweb.store.members.account_deletion import AccountDeletion
from voteweb.store.members.inbox import Inbox
from voteweb.store.members.member_lists import MemberLists
from voteweb.store.members.my_site import MySites
from voteweb.store.members.viewers import Viewers
from voteweb.store.migrations import Schema
from voteweb.store.moderation.admissions import Admissions
from voteweb.store.moderation.answers import Answers
from voteweb.store.moderation.bans import Bans
from voteweb.store.moderation.comment_removals import CommentRemovals
from voteweb.store.moderation.notes import Notes
from voteweb.store.moderation.purges import Purges
from voteweb.store.moderation.removals import Removals
from voteweb.store.moderation.reports import Reports
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.rankings import Rankings
from voteweb.store.server.health import HealthChecks
from voteweb.store.server.last_backup import LastBackup
from voteweb.store.server.rescoring import Rescoring
from voteweb.store.server.server_info import ServerInfo
from voteweb.store.site.changes import ChangeStream
from voteweb.store.site.context import Context
from voteweb.store.site.domain_rules import DomainRules
from voteweb.store.site.leases import Leases
from voteweb.store.site.moderation_log import ModerationLog
from voteweb.store.site.rate_limits import RateLimits
from voteweb.store.site.site_settings import SiteSettings
from voteweb.store.site.site_switches import Switches
from voteweb.store.votes.votes import Votes


@dataclass(frozen=True, slots=True)
class Store:
    """One site's data."""

    context: Context
    articles: Articles
    removals: Removals
    purges: Purges
    answers: Answers
    comment_removals: CommentRemovals
    reports: Reports
    votes: Votes
    comments: Comments
    threads: Threads
    inbox: Inbox
    groups: Groups
    group_deletion: GroupDeletion
    users: Users
    viewers: Viewers
    member_lists: MemberLists
    bans: Bans
    notes: Notes
    domain_rules: DomainRules
    switches: Switches
    site_settings: SiteSettings
    held_articles: HeldArticles
    admissions: Admissions
    sessions: Sessions
    invitations: Invitations
    password_resets: PasswordResets
    recovery_codes: RecoveryCodes
    account_deletion: AccountDeletion
    inbox_feeds: SecretFeeds
    saved_feeds: SecretFeeds
    my_sites: MySites
    rate_limits: RateLimits
    moderation_log: ModerationLog
    rankings: Rankings
    listings: Listings
    imports: Imports
    comment_imports: CommentImports
    doctor: Doctor
    rescoring: Rescoring
    backup: Backup
    last_backup: LastBackup
    server_info: ServerInfo
    health: HealthChecks
    leases: Leases
    mail: Mail
    schema: Schema
    changes: ChangeStream
    search_documents: SearchDocuments

    @property
    def connection(self) -> Connection:
        """The connection to the site's data."""
        return self.context.connection

    @property
    def keys(self) -> Keys:
        """The keys of the site."""
        return self.connection.keys

    def pipeline(self) -> Pipeline:
        """Return an empty pipeline: queue commands with the parts' queue methods, then execute it."""
        return self.connection.pipeline()


def open_store(settings: Settings, keys: Keys | None = None) -> Store:
    """Return the store of ``settings.site`` at ``settings.redis_url``; nothing is sent to Redis yet."""
    connection = open_connection(
        settings.redis_url,
        settings.redis_deadline,
        keys=keys or Keys.of_site(settings.site),
        wait_replicas=settings.wait_replicas,
        files=TlsFiles.of(settings),
    )
    return build_store(connection, settings)


def with_settings_in_force(store: Store) -> Store:
    """Return *store* with the settings that the data have; new data take those of the environment.

    Raises ConfigError if stored scores tell of other settings.
    """
    settings = store.site_settings.take()
    return store if settings == store.context.settings else build_store(store.connection, settings)


def build_store(connection: Connection, settings: Settings) -> Store:
    """Return the store on an existing *connection*."""
    moderation_log = ModerationLog(connection)
    rate_limits = RateLimits(connection, settings)
    users = Users(connection, rate_limits.digest)
    sessions = Sessions(connection, settings)
    leases = Leases(connection)
    last_backup = LastBackup(connection, settings)
    server_info = ServerInfo(connection, users)
    health = HealthChecks(connection, leases, last_backup)
    removals = Removals(connection, settings)
    comment_removals = CommentRemovals(connection, settings, moderation_log)
    comments, keys = Comments(connection, settings, rate_limits), connection.keys
    inbox_feeds = SecretFeeds(connection, "inbox-feed", keys.inbox_feed)
    saved_feeds = SecretFeeds(connection, "saved-feed", keys.saved_feed)
    imports, reports = Imports(connection, settings, users), Reports(connection, settings)
    context = Context(connection, settings, moderation_log, rate_limits)
    votes = Votes(context, sessions)
    admissions, answers = Admissions(connection), Answers(connection, settings)
    held_articles = HeldArticles(connection, settings)
    rankings = Rankings(keys)
    listings = Listings(context, votes)
    articles = Articles(connection, settings, rate_limits)
    groups = Groups(connection)
    return Store(
        context=context,
        articles=articles,
        removals=removals,
        purges=Purges(connection, removals, comments),
        answers=answers,
        comment_removals=comment_removals,
        reports=reports,
        votes=votes,
        comments=comments,
        threads=Threads(context, votes),
        inbox=Inbox(connection, settings),
        groups=groups,
        group_deletion=GroupDeletion(connection, articles, groups),
        users=users,
        viewers=Viewers(context, sessions, admissions, reports, held_articles, answers),
        member_lists=MemberLists(context, users),
        bans=Bans(connection, moderation_log, users, removals, comment_removals),
        notes=Notes(connection),
        domain_rules=DomainRules(connection),
        switches=Switches(connection),
        site_settings=SiteSettings(connection, settings),
        held_articles=held_articles,
        admissions=admissions,
        sessions=sessions,
        invitations=Invitations(connection, users),
        password_resets=PasswordResets(connection),
        recovery_codes=RecoveryCodes(connection, settings),
        account_deletion=AccountDeletion(connection, removals, comments, reports, (inbox_feeds, saved_feeds), sessions),
        inbox_feeds=inbox_feeds,
        saved_feeds=saved_feeds,
        my_sites=MySites(context),
        rate_limits=rate_limits,
        moderation_log=moderation_log,
        rankings=rankings,
        listings=listings,
        imports=imports,
        comment_imports=CommentImports(connection, settings, imports),
        doctor=Doctor(connection, settings),
        rescoring=Rescoring(connection, settings),
        backup=Backup(connection, settings, health),
        last_backup=last_backup,
        server_info=server_info,
        health=health,
        leases=leases,
        mail=Mail(connection),
        schema=Schema(connection, settings),
        changes=ChangeStream(connection),
        search_documents=SearchDocuments(connection),
    )
