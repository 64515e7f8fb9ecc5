"""Import of stories and comments from other sites, in batches: each is whole or absent, and none is imported twice.

A row is remembered as a fingerprint; one of a comment also as a second one that tells its number here: so that an
import that was stopped can go on with the replies to what it has imported.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

from voteweb.core import config, links
from voteweb.core.caches import BoundedCache
from voteweb.core.errors import Conflict
from voteweb.core.models import Draft
from voteweb.core.names import name_key
from voteweb.store.accounts.users import Users
from voteweb.store.articles.articles import new_words
from voteweb.store.comments.comments import Comments
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import Scanner, batched, replacement
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import comment_numbers, split_node
from voteweb.store.schema.rankings import ranking_values
from voteweb.store.schema.values import Fingerprint, article_of, fingerprint, finite_number, parse_comment
from voteweb.store.site.context import Context, StorePart

#: Comments whose times, or numbers, are read in one round trip.
READ_SIZE = 2_000


def times_of(run: Callable[[Sequence[Command]], list[Any]], keys: Keys, items: Sequence[str]) -> dict[str, float]:
    """Return the times of comments; one that is not there counts as the oldest."""
    times: dict[str, float] = {}
    for batch in batched(items, READ_SIZE):
        ids = [parse_comment(item) for item in batch]
        reads = [("HGET", keys.thread(id.article if id else 0), id.number if id else 0) for id in ids]
        times |= {item: _time(stored or "") for item, stored in zip(batch, run(reads), strict=True)}
    return times


def _time(stored: str) -> float:
    return finite_number((split_node(stored) or {}).get("time")) or 0.0


def newest_first(times: dict[str, float]) -> list[tuple[str, float]]:
    """Return comments with their times; of one time, the one with the higher number is the newer."""
    return sorted(times.items(), key=lambda item: (item[1], parse_comment(item[0]) or (0, 0)), reverse=True)


#: Numbers of rows that a run remembers instead of asking: an import has the replies of one day close together.
MAX_KNOWN_NUMBERS = 200_000
#: Bits of a fingerprint that hold the number of a comment: more than a conversation has.
_NUMBER_BITS = 16


@dataclass(frozen=True, slots=True)
class Story:
    """One story to import; ``time`` in unix seconds, ``digest`` identifies it."""

    draft: Draft
    poster: str
    time: float
    votes: int
    digest: str


@dataclass(frozen=True, slots=True)
class ImportedComment:
    """One comment to import below an article; ``time`` in unix seconds.

    ``digest`` identifies it, and ``parent_digest`` the one that it answers, "" for none.
    """

    article: int
    text: str
    poster: str
    time: float
    votes: int
    digest: str
    parent_digest: str = ""


#: The states that can be imported.
Row = TypeVar("Row", Story, ImportedComment)


class Imports(StorePart):
    """Imports stories and comments into one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        #: The id of each poster of the last batch by the key of the name, and the name as the member spells it.
        self._posters: dict[str, tuple[int, str]] = {}
        self._numbers: BoundedCache[str, int] = BoundedCache(MAX_KNOWN_NUMBERS)

    def known(self, digests: Sequence[str]) -> list[bool]:
        """Tell for each digest whether its row was imported before."""
        rows = [fingerprint(digest) for digest in digests]
        commands = [("SISMEMBER", self._keys.imported(row.bucket), row.member) for row in rows]
        return [bool(reply) for reply in self._connection.run(commands)]

    def find_articles(self, digests: Iterable[str]) -> dict[str, int]:
        """Return the newest listed article of each of these digests of links that has one.

        Links of the last 30 days have an index; for others all articles are read, in bounded steps.
        """
        found: dict[str, int] = {}
        missing = set(digests)
        for batch in batched(sorted(missing)):
            newest = self._connection.run([("ZRANGE", self._keys.link(digest), 0, 0, "REV") for digest in batch])
            for digest, members in zip(batch, newest, strict=True):
                if members and (id := article_of(members[0])):
                    found[digest] = id
        missing -= found.keys()
        return found | self._find_older(missing) if missing else found

    def _find_older(self, wanted: set[str]) -> dict[str, int]:
        found: dict[str, tuple[float, int]] = {}
        scanner = Scanner(self._connection)
        for batch in batched(scanner.article_ids()):
            rows = scanner.run_atomic([("HMGET", self._keys.article(id), "link", "time", "gone") for id in batch])
            for id, (link, time, gone) in zip(batch, rows, strict=True):
                digest = links.digest(link or "")
                if digest in wanted and not gone:
                    found[digest] = max(found.get(digest, (0.0, 0)), (finite_number(time) or 0.0, id))
        return {digest: id for digest, (_, id) in found.items()}

    def order_lists(self, names: Iterable[str], articles: Iterable[int]) -> None:
        """Put the comments of these members and articles into the lists where they belong by their times."""
        for name in names:
            self._order(self._keys.commented(name), {})
        newest: dict[str, float] = {}
        for id in articles:
            fields = self._connection.command("HGETALL", self._keys.thread(id))
            newest |= {f"{id}.{number}": _time(fields[str(number)]) for number in comment_numbers(fields)}
            if len(newest) > 2 * config.NEWEST_COMMENTS:
                newest = dict(newest_first(newest)[: config.NEWEST_COMMENTS])
        self._order(self._keys.comments(), newest, config.NEWEST_COMMENTS)

    def _order(self, key: str, more: dict[str, float], size: int | None = None) -> None:
        """Order a list of comments, with *more* at their times."""
        connection = self._connection
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            items = connection.command("LRANGE", key, 0, -1)
            times = times_of(connection.run, self._keys, [item for item in items if item not in more]) | more
            ordered = [item for item, _ in newest_first(times)][:size]
            if ordered == items:
                return
            prepare, replace = replacement(self._keys, key, items, ordered)
            connection.run(prepare)
            if connection.run([replace]) == [["done"]]:
                return
        raise Conflict()

    def add(self, stories: Sequence[Story]) -> list[str]:
        """Import those of *stories* that are new, with the groups and posters they need; return what became of each.

        That is "imported" or "known". Takes a handful of round trips for the whole batch; some hundreds of rows are a
        good one.
        """
        return self._import(stories, self._attempt_stories)

    def add_comments(self, comments: Sequence[ImportedComment]) -> list[str]:
        """Import *comments* as :meth:`add` does stories.

        The answers are those of the script, and "no-parent" for a comment whose parent was not imported.
        """
        return self._import(comments, self._attempt_comments)

    def _import(self, rows: Sequence[Row], attempt: Callable[[Sequence[Row]], Sequence[str]]) -> list[str]:
        """Import those of *rows* that are new, with their posters, and return what became of each.

        *attempt* returns the answers of the script. A row is imported in another attempt after "again", and after
        "taken": a failover has given out its id twice. Raises Conflict when nothing but "again" is left.
        """
        answers = ["known" if is_known else "again" for is_known in self.known([row.digest for row in rows])]
        self._make_posters([row.poster for row, answer in zip(rows, answers, strict=True) if answer == "again"])
        failures = 0
        while places := [place for place, answer in enumerate(answers) if answer in ("again", "taken")]:
            replies = attempt([rows[place] for place in places])
            for place, answer in zip(places, replies, strict=True):
                answers[place] = answer
            failures = failures + 1 if set(replies) == {"again"} else 0
            if failures > config.MAX_SCRIPT_ATTEMPTS:
                raise Conflict()
        return answers

    def _attempt_stories(self, stories: Sequence[Story]) -> list[str]:
        first_id = self._connection.command("INCRBY", self._keys.last_article_id(), len(stories)) - len(stories) + 1
        calls = [self._story_call(story, id) for id, story in enumerate(stories, first_id)]
        return [answer for (answer,) in self._connection.run(calls)]

    def _attempt_comments(self, comments: Sequence[ImportedComment]) -> list[str]:
        """Import *comments*, each with the next number of its article; where one is refused, those after it wait."""
        self._find_numbers(comments)
        articles = list(dict.fromkeys(comment.article for comment in comments))
        next_numbers = {id: last + 1 for id, last in zip(articles, self._last_numbers(articles), strict=True)}
        answers: list[str] = ["no-parent"] * len(comments)
        calls: dict[int, Command] = {}
        numbers: dict[str, int] = {}
        for place, comment in enumerate(comments):
            number = next_numbers[comment.article]
            parent = numbers.get(comment.parent_digest) or self._numbers.get(comment.parent_digest) or 0
            if comment.digest in numbers:
                answers[place] = "known"
            elif number > config.MAX_COMMENTS:
                answers[place] = "full"
            elif parent or not comment.parent_digest:
                numbers[comment.digest] = number
                next_numbers[comment.article] += 1
                calls[place] = self._comment_call(comment, number, parent)
        for place, (answer,) in zip(calls, self._connection.run(list(calls.values())), strict=True):
            answers[place] = answer
            if answer == "imported":
                self._numbers.put(comments[place].digest, numbers[comments[place].digest])
        return answers

    def _last_numbers(self, articles: Sequence[int]) -> list[int]:
        lasts = self._connection.run([("HGET", self._keys.thread(id), "last") for id in articles])
        return [int(last or 0) for last in lasts]

    def _make_posters(self, posters: Sequence[str]) -> None:
        """Make those of the members with these names who do not exist."""
        names = {name_key(poster): poster for poster in posters}
        self._posters = self._read_posters(names)
        if missing := names.keys() - self._posters.keys():
            Users(self._context).make_missing([names[name] for name in names if name in missing])
            self._posters = self._read_posters(names)

    def _read_posters(self, names: Collection[str]) -> dict[str, tuple[int, str]]:
        stored = self._connection.run([("HMGET", self._keys.user(name), "id", "name") for name in names])
        rows = zip(names, stored, strict=True)
        return {name: (int(id), spelled or name) for name, (id, spelled) in rows if id is not None}

    def _poster(self, name: str) -> tuple[int, str]:
        """Return a poster's id, and the name as scripts compare it: one that is not ASCII as the member spells it."""
        id, spelled = self._posters[name_key(name)]
        return id, name if spelled.isascii() else spelled

    def _story_call(self, story: Story, id: int) -> Command:
        settings, draft, row = self._settings, story.draft, fingerprint(story.digest)
        poster_id, poster = self._poster(story.poster)
        return scripts.call(
            self._keys,
            "import_article",
            article=id,
            bucket=row.bucket,
            row=row.member,
            words=new_words(draft),
            link_digest=links.digest(draft.link),
            domain=links.domain(draft.link),
            groups=" ".join(draft.groups),
            poster=poster,
            poster_id=poster_id,
            wanted_time=f"{story.time:.6f}",
            votes=story.votes,
            voting_seconds=settings.voting_seconds,
            **ranking_values(settings),
        )

    def _find_numbers(self, comments: Sequence[ImportedComment]) -> None:
        """Find the numbers of parents that an earlier run, or an earlier batch, has imported."""
        wanted = {comment.parent_digest: comment.article for comment in comments if comment.parent_digest}
        unknown = [(digest, id) for digest, id in wanted.items() if digest not in self._numbers]
        if not unknown:
            return
        known = self.known([digest for digest, _ in unknown])
        unknown = [row for row, is_known in zip(unknown, known, strict=True) if is_known]
        for (digest, _), last in zip(unknown, self._last_numbers([id for _, id in unknown]), strict=True):
            rows = [_numbered(digest, number) for number in range(1, last + 1)]
            key = self._keys.imported(_numbered(digest, 0).bucket)
            batches = [("SMISMEMBER", key, *(row.member for row in batch)) for batch in batched(rows, READ_SIZE)]
            found = list(chain.from_iterable(self._connection.run(batches)))
            if 1 in found:
                self._numbers.put(digest, found.index(1) + 1)

    def _comment_call(self, comment: ImportedComment, number: int, parent: int) -> Command:
        row, numbered_row = fingerprint(comment.digest), _numbered(comment.digest, number)
        answered_row = _numbered(comment.parent_digest, parent)
        return scripts.call(
            self._keys,
            "import_comment",
            article=comment.article,
            number=number,
            block=number // config.VOTER_BLOCK,
            parent=parent,
            text=comment.text,
            state=Comments(self._context).named(comment.text)[1] or "-",
            poster=self._poster(comment.poster)[1],
            time=f"{comment.time:.6f}",
            votes=comment.votes,
            commenting_seconds=self._settings.commenting_seconds,
            bucket=row.bucket,
            row=row.member,
            numbered_bucket=numbered_row.bucket,
            numbered_row=numbered_row.member,
            answered_bucket=answered_row.bucket,
            answered_row=answered_row.member,
        )


def _numbered(digest: str, number: int) -> Fingerprint:
    """Return the fingerprint of the row with its number here."""
    bucket, member = fingerprint(f"{digest} number")
    return Fingerprint(bucket, (member >> _NUMBER_BITS << _NUMBER_BITS) + number)
