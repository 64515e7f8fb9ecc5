"""Import the comments of a file: below articles that are found by their links, in batches."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from voteweb.cli.import_file import COMMENT_COLUMNS, ImportRow, digest_of, parse_count, parse_text, parse_time
from voteweb.cli.import_rows import ImportTimes, echo_error, read_file
from voteweb.core import config, links, validation
from voteweb.core.errors import Invalid, VotewebError
from voteweb.core.names import name_key
from voteweb.store.comments.imports import ImportedComment, Imports

T = TypeVar("T")

#: Comments sent to Redis at once.
COMMENT_BATCH_SIZE = 500
#: Numbers of comments in a file: other sites count all their comments together.
MAX_NUMBER = 10**15

#: What is said of a row that the store refused, by its answer.
REFUSALS = {
    "no-article": "no article here has this link",
    "no-parent": "answers a comment that was not imported before it",
    "parent-gone": "answers a comment that was deleted or removed",
    "too-deep": f"is a reply on level {config.MAX_COMMENT_LEVEL + 1}: no conversation is deeper than"
    f" {config.MAX_COMMENT_LEVEL}",
    "full": f"is one too many: a conversation takes {config.MAX_COMMENTS:,} comments",
    "gone": "its article was deleted or removed",
    "unknown": "its article has just been deleted",
}


class CommentRow(NamedTuple):
    """A row of the file: the digest of the link of its article, and of itself and the row that it answers."""

    link: str
    text: str
    poster: str
    time: float
    votes: int
    digest: str
    parent_digest: str


def parse_comment(row: ImportRow) -> CommentRow:
    """Return the comment in *row*; raise Invalid."""
    link = parse_link(row)
    text = validation.comment(parse_text(row, "text"))
    poster = validation.member_name(parse_text(row, "poster"))
    number, parent = (parse_count(row, name, default=0, max=MAX_NUMBER) for name in ("n", "parent"))
    if not number:
        raise Invalid("n must be a whole number from 1 to %(max)s", max=MAX_NUMBER)
    if parent == number:
        raise Invalid("answers itself")
    votes = parse_count(row, "votes", default=0)
    parent_digest = _digest(link, parent) if parent else ""
    return CommentRow(link, text, poster, parse_time(row), votes, _digest(link, number), parent_digest)


def parse_link(row: ImportRow) -> str:
    """Return the digest of the link of the article in *row*; raise Invalid."""
    link = validation.link(parse_text(row, "article link"))
    if not link:
        raise Invalid("article link is missing")
    return links.digest(link)


def _digest(link: str, number: int) -> str:
    return digest_of("comment", link, str(number))


@dataclass
class CommentRun:
    """A run of the importer: the comments of the current batch, and the counts so far.

    ``new_links`` are digests of the links of stories that a dry run did not write.
    """

    imports: Imports
    times: ImportTimes
    file: Path
    dry_run: bool
    new_links: set[str]
    imported: int = 0
    known: int = 0
    bad: int = 0
    _batch: list[tuple[int, ImportedComment]] = field(default_factory=list)
    _met: set[str] = field(default_factory=set)

    def read(self) -> None:
        """Import the comments of the file; without a dry run, put them into the lists where they belong."""
        wanted = (link for _, link in self._rows("Reading links", parse_link) if isinstance(link, str))
        articles = self.imports.find_articles(wanted)
        posters: set[str] = set()
        for line, row in self._rows("Importing comments", parse_comment):
            error: object = row
            if isinstance(row, CommentRow):
                error = self._add(line, row, articles.get(row.link, 0))
                posters.add(name_key(row.poster))
            if error:
                self._refuse(line, error)
        self._flush()
        if not self.dry_run:
            self.imports.order_lists(sorted(posters), sorted(set(articles.values())))

    def _rows(self, label: str, parse: Callable[[ImportRow], T]) -> Iterator[tuple[int, T | VotewebError]]:
        return read_file(self.file, label, parse, COMMENT_COLUMNS)

    def _add(self, line: int, row: CommentRow, article: int) -> object:
        """Add a row to the batch; return an error if it cannot be imported."""
        if not article and not (self.dry_run and row.link in self.new_links):
            return REFUSALS["no-article"]
        time = self.times.move(row.time)
        if isinstance(time, Invalid):
            return time
        comment = ImportedComment(article, row.text, row.poster, time, row.votes, row.digest, row.parent_digest)
        self._batch.append((line, comment))
        if len(self._batch) >= COMMENT_BATCH_SIZE:
            self._flush()
        return None

    def _flush(self) -> None:
        """Import the batch and count its comments."""
        comments = [comment for _, comment in self._batch]
        answers = self._check(comments) if self.dry_run else self.imports.add_comments(comments)
        for (line, _), answer in zip(self._batch, answers, strict=True):
            if answer in REFUSALS:
                self._refuse(line, REFUSALS[answer])
            self.imported += answer == "imported"
            self.known += answer == "known"
        self._batch = []

    def _check(self, comments: list[ImportedComment]) -> Iterator[str]:
        """Yield what would become of *comments*; only a dry run remembers all digests."""
        known = self.imports.known([comment.digest for comment in comments])
        parents = self.imports.known([comment.parent_digest for comment in comments])
        for comment, is_known, has_parent in zip(comments, known, parents, strict=True):
            if is_known or comment.digest in self._met:
                yield "known"
            elif comment.parent_digest and not has_parent and comment.parent_digest not in self._met:
                yield "no-parent"
            else:
                self._met.add(comment.digest)
                yield "imported"

    def _refuse(self, line: int, error: object) -> None:
        self.bad += 1
        echo_error(self.file, line, error)
