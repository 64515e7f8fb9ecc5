"""Open votes: which articles a member has voted for and can still take the vote back, kept by every vote."""

from collections import defaultdict
from math import inf

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import ArticleStatus
from voteweb.core.ranking import voting_end
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema import decoding
from voteweb.store.schema.values import article_member, is_member_id

#: Commands in one round trip of a rebuild.
COMMANDS_PER_STEP = 1_000


def rebuild(connection: Connection, settings: Settings) -> None:
    """Compute all open votes from the voters of the articles.

    For data that no site serves, as at the end of a restore. May run again. Members who left have
    no such list, while their votes stay counted; nor have voters of another program, whose ids were never given out.
    """
    scanner = Scanner(connection)
    keys = scanner.site_keys
    counter = connection.command("GET", keys.last_user_id()) or ""
    last_id = int(counter) if is_member_id(counter) else inf
    for ids in batched(scanner.article_ids()):
        reads: list[Command] = [("TIME",), *(("HMGET", keys.article(id), *decoding.FIELDS) for id in ids)]
        (seconds, _), *values = scanner.run_atomic(reads)
        read = (decoding.article(id, fields) for id, fields in zip(ids, values, strict=True))
        articles = [article for article in read if article]
        ends = {article: voting_end(article, settings.voting_seconds) for article in articles}
        still_open = [a for a in articles if a.status is not ArticleStatus.DELETED and int(seconds) < ends[a]]
        voters = scanner.run_atomic([("SMEMBERS", keys.voted(article.id)) for article in still_open])
        posters = scanner.run_atomic([("HGET", keys.user(article.poster or "?"), "id") for article in still_open])
        open_votes: dict[str, dict[str, int]] = defaultdict(dict)
        for article, voter_ids, poster_id in zip(still_open, voters, posters, strict=True):
            for id in voter_ids:
                if is_member_id(id) and int(id) <= last_id and id != poster_id:
                    open_votes[id][article_member(article.id)] = ends[article]
        writes = [command for id, votes in open_votes.items() for command in _commands(keys.open_votes(id), votes)]
        for step in batched(writes, COMMANDS_PER_STEP):
            connection.run(step)
    for batch in batched(scanner.keys(keys.user("?*"))):
        members = scanner.run_atomic([("HMGET", key, "id", "left") for key in batch])
        if gone := [keys.open_votes(id) for id, left in members if id is not None and left is not None]:
            connection.command("UNLINK", *gone)


def _commands(key: str, votes: dict[str, int]) -> list[Command]:
    """Return the commands that add *votes*, the end of voting by article, to the open votes of one member."""
    expires = max(votes.values()) + config.VOTERS_GRACE_SECONDS
    return [
        ("ZADD", key, *(item for member, end in votes.items() for item in (end, member))),
        ("ZREMRANGEBYRANK", key, 0, -config.MAX_OPEN_VOTES - 1),
        ("EXPIREAT", key, expires, "NX"),
        ("EXPIREAT", key, expires, "GT"),
    ]
