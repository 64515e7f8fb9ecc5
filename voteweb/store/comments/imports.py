"""Import of comments from other sites, in batches: each is whole or absent, and none is imported twice.

A row is remembered as a fingerprint, as that of a story, and as a second one that tells its number here: so that an
import that was stopped can go on with the replies to what it has imported.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from voteweb.core import config
from voteweb.core.errors import Conflict
from voteweb.store.articles.imports import StoryImports
from voteweb.store.articles.links import find_articles
from voteweb.store.comments.order import READ_SIZE, order_members, order_newest
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import batched
from voteweb.store.schema.fingerprints import Fingerprint, fingerprint
from voteweb.store.site.context import Context

#: Numbers of rows that a run remembers instead of asking: an import has the replies of one day close together.
MAX_KNOWN_NUMBERS = 200_000
#: Bits of a fingerprint that hold the number of a comment: more than a conversation has.
_NUMBER_BITS = 16


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


class Imports(StoryImports):
    """Imports stories and comments into one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._numbers: dict[str, int] = {}

    def find_articles(self, digests: Iterable[str]) -> dict[str, int]:
        """Return the newest listed article of each of these digests of links that has one."""
        return find_articles(self._connection, digests)

    def order_lists(self, names: Iterable[str], articles: Iterable[int]) -> None:
        """Put the comments of these members and articles into the lists where they belong by their times."""
        order_members(self._connection, names)
        order_newest(self._connection, articles)

    def add_comments(self, comments: Sequence[ImportedComment]) -> list[str]:
        """Import those of *comments* that are new, with the posters they need; return what became of each.

        The answers are those of the script, and "no-parent" for a comment whose parent was not imported. Takes a
        handful of round trips for the whole batch; some hundreds of comments are a good batch.
        """
        answers = ["known" if known else "again" for known in self.known([comment.digest for comment in comments])]
        places = [place for place, answer in enumerate(answers) if answer == "again"]
        self.make_posters([comments[place].poster for place in places])
        failures = 0
        while places:
            for place, answer in zip(places, self._attempt([comments[place] for place in places]), strict=True):
                answers[place] = answer
            remaining = [place for place in places if answers[place] == "again"]
            failures = failures + 1 if len(remaining) == len(places) else 0
            if failures > config.MAX_SCRIPT_ATTEMPTS:
                raise Conflict()
            places = remaining
        return answers

    def _attempt(self, comments: Sequence[ImportedComment]) -> list[str]:
        """Import *comments*, each with the next number of its article; where one is refused, those after it wait."""
        self._find_numbers(comments)
        articles = list(dict.fromkeys(comment.article for comment in comments))
        lasts = self._connection.run([("HGET", self._keys.thread(id), "last") for id in articles])
        next_numbers = {id: int(last or 0) + 1 for id, last in zip(articles, lasts, strict=True)}
        answers, calls, sent = ["no-parent"] * len(comments), [], []
        numbers: dict[str, int] = {}
        for place, comment in enumerate(comments):
            number = next_numbers[comment.article]
            parent = numbers.get(comment.parent_digest) or self._numbers.get(comment.parent_digest, 0)
            if comment.digest in numbers:
                answers[place] = "known"
            elif number > config.MAX_COMMENTS:
                answers[place] = "full"
            elif parent or not comment.parent_digest:
                numbers[comment.digest] = number
                next_numbers[comment.article] += 1
                calls.append(self._comment_call(comment, number, parent))
                sent.append(place)
        for place, (answer, *_) in zip(sent, self._connection.run(calls) if calls else [], strict=True):
            answers[place] = answer
            if answer == "imported":
                self._remember(comments[place].digest, numbers[comments[place].digest])
        return answers

    def _find_numbers(self, comments: Sequence[ImportedComment]) -> None:
        """Find the numbers of parents that an earlier run, or an earlier batch, has imported."""
        wanted = {comment.parent_digest: comment.article for comment in comments if comment.parent_digest}
        unknown = [(digest, id) for digest, id in wanted.items() if digest not in self._numbers]
        if not unknown:
            return
        known = self.known([digest for digest, _ in unknown])
        unknown = [row for row, is_known in zip(unknown, known, strict=True) if is_known]
        lasts = self._connection.run([("HGET", self._keys.thread(id), "last") for _, id in unknown]) if unknown else []
        for (digest, _), last in zip(unknown, lasts, strict=True):
            rows = [_numbered(digest, number) for number in range(1, int(last or 0) + 1)]
            key = self._keys.imported(_numbered(digest, 0).bucket)
            batches = [("SMISMEMBER", key, *(row.member for row in batch)) for batch in batched(rows, READ_SIZE)]
            found = list(chain.from_iterable(self._connection.run(batches))) if batches else []
            if 1 in found:
                self._remember(digest, found.index(1) + 1)

    def _remember(self, digest: str, number: int) -> None:
        if len(self._numbers) >= MAX_KNOWN_NUMBERS:
            self._numbers.clear()
        self._numbers[digest] = number

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
            poster=self.spelling(comment.poster),
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
