"""Import the comments of a file: below articles that are found by their links, in batches."""

from typing import NamedTuple

from voteweb.cli.import_file import COMMENT_COLUMNS, ImportRow, digest_of, parse_count, parse_text, parse_time
from voteweb.cli.import_rows import REFUSALS, ImportRun, read_file
from voteweb.core import links, validation
from voteweb.core.errors import Invalid, VotewebError
from voteweb.core.names import name_key
from voteweb.store.comments.imports import ImportedComment

#: Numbers of comments in a file: other sites count all their comments together.
MAX_NUMBER = 10**15


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


def import_comments(run: ImportRun[ImportedComment], new_links: set[str]) -> None:
    """Import the comments of the file of *run*; without a dry run, put them into the lists where they belong.

    *new_links* are digests of the links of stories that a dry run did not write.
    """
    wanted = (link for _, link in read_file(run.file, "Reading links", parse_link, COMMENT_COLUMNS))
    articles = run.imports.find_articles(link for link in wanted if isinstance(link, str))
    posters: set[str] = set()
    for line, row in read_file(run.file, "Importing comments", parse_comment, COMMENT_COLUMNS):
        if isinstance(row, VotewebError):
            run.refuse(line, row)
            continue
        posters.add(name_key(row.poster))
        article = articles.get(row.link, 0)
        if article or (run.dry_run and row.link in new_links):
            values = (row.text, row.poster, row.time, row.votes, row.digest, row.parent_digest)
            run.add(line, ImportedComment(article, *values))
        else:
            run.refuse(line, REFUSALS["no-article"])
    run.flush()
    if not run.dry_run:
        run.imports.order_lists(sorted(posters), sorted(set(articles.values())))
