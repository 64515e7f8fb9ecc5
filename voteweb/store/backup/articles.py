"""Reads all articles, each with its voters, its open reports and its link at one instant."""

from collections.abc import Iterable, Iterator, Sequence

from voteweb import links
from voteweb.errors import Conflict
from voteweb.store import keys
from voteweb.store.articles import TRIES
from voteweb.store.backup import records
from voteweb.store.backup.ids import Ids
from voteweb.store.look import Look, steps

#: Voters that Redis hands out in one block, if they are of more than one article: some milliseconds at the most.
VOTERS = 5_000


def read_articles(look: Look) -> Iterator[records.Article]:
    """Yield every article once."""
    seen = Ids()
    for ids in steps(id for id in map(keys.article_id, look.articles()) if seen.add(id)):
        facts = look.at_once(
            [words for id in ids for words in (("HGET", keys.article(id), "link"), ("SCARD", keys.voted(id)))]
        )
        links_of = dict(zip(ids, facts[::2], strict=True))
        for portion in _portions(ids, facts[1::2]):
            yield from _at_once(look, portion, links_of)


def _portions(ids: Sequence[int], voters: Iterable[int]) -> Iterator[list[int]]:
    """Yield *ids* in lists of articles that have VOTERS *voters* at the most, or of one alone."""
    portion: list[int] = []
    weight = 0
    for id, count in zip(ids, voters, strict=True):
        if portion and weight + count > VOTERS:
            yield portion
            portion, weight = [], 0
        portion.append(id)
        weight += count
    yield portion


def _at_once(look: Look, ids: list[int], links_of: dict[int, str | None]) -> Iterator[records.Article]:
    """Yield these articles; one whose link has changed is asked for again, since its key is another."""
    for _ in range(TRIES):
        answers = look.at_once([words for id in ids for words in _questions(id, links_of[id])])
        changed = []
        for at, id in enumerate(ids):
            fields, voters, voters_until, reports, linked, linked_until = answers[6 * at : 6 * at + 6]
            if not fields:
                continue  # another program took it away
            if fields.get("link") != links_of[id]:
                links_of[id] = fields.get("link")
                changed.append(id)
                continue
            yield records.Article(
                id=id,
                fields=fields,
                voters=sorted(map(_voter, voters), key=lambda each: (isinstance(each, str), each)),
                voters_until=moment(voters_until),
                reports=reports,
                linked=linked is not None,
                linked_until=moment(linked_until),
            )
        ids = changed
        if not ids:
            return
    raise Conflict()


def _questions(id: int, link: str | None) -> list[tuple[str, ...]]:
    name, voted, of_link = keys.article(id), keys.voted(id), keys.link(links.digest(link or ""))
    return [
        ("HGETALL", name),
        ("SMEMBERS", voted),
        ("PEXPIRETIME", voted),
        ("HGETALL", keys.report(id)),
        ("ZSCORE", of_link, name),
        ("PEXPIRETIME", of_link),
    ]


def moment(milliseconds: int) -> int | None:
    """Return when a key expires; below zero Redis says that it is not there, or never does."""
    return milliseconds if milliseconds >= 0 else None


def _voter(stored: str) -> int | str:
    """Return a voter: our ids as numbers, the names of a program after the book as they are."""
    return int(stored) if stored.isascii() and stored.isdigit() and str(int(stored)) == stored else stored
