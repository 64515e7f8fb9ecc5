"""``voteweb import``: import stories of other sites from a file, in batches."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from voteweb.cli.import_file import (
    COMMENT_COLUMNS,
    REFUSALS,
    STORY_COLUMNS,
    ImportRow,
    ImportRun,
    ImportTimes,
    digest_of,
    parse_count,
    parse_story,
    parse_text,
    parse_time,
    read_file,
)
from voteweb.cli.site import Site, with_site
from voteweb.core import clock, config, links, validation
from voteweb.core.errors import Invalid, VotewebError
from voteweb.core.names import name_key
from voteweb.store.comments.imports import ImportedComment

#: Seconds before now at which --shift-to-now puts the newest story.
NEWEST_AGE_SECONDS = 300


def _check_file(_context: click.Context, _parameter: click.Parameter, file: Path | None) -> Path | None:
    """Return *file* if it can be read, before any database is started for it; raise OSError if not."""
    if file is None:
        return None
    if file.suffix.lower() not in (".csv", ".jsonl"):
        raise click.BadParameter("the name must end in .csv or .jsonl")
    file.open("rb").close()
    return file


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path), callback=_check_file, required=False)
@click.option(
    "--comments",
    type=click.Path(path_type=Path),
    callback=_check_file,
    help="A file with comments on these stories, or on articles that are there.",
)
@click.option(
    "--shift-to-now",
    is_flag=True,
    help=f"Move all times so that the newest story or comment is {NEWEST_AGE_SECONDS // 60} minutes old.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing; only count what would be imported.")
@with_site()
def import_(site: Site, file: Path | None, comments: Path | None, shift_to_now: bool, dry_run: bool) -> None:
    """Import the stories of FILE, a .csv or .jsonl, and comments.

    Columns: title, poster, time (unix seconds); optional: link, text, votes, groups. Groups are separated by spaces;
    in JSON they may be a list. Groups and posters that do not exist yet are made; posters cannot log in until
    "voteweb user password" gives them a password.

    Columns of comments: article link, n (the number of the comment below its article), text, poster, time; optional:
    parent (the n of the comment that it answers, which comes before it), votes.

    Two stories with the same link, title, poster and time are one, and two comments with the same article link and n:
    importing them again adds nothing. A row with an error is reported and left out.
    """
    if not file and not comments:
        raise click.UsageError("Name a FILE of stories, or one of comments with --comments.")
    now = clock.now()
    shift, latest = 0.0, now + config.CLOCK_SKEW_SECONDS
    if shift_to_now:
        files = [(file, STORY_COLUMNS), (comments, COMMENT_COLUMNS)]
        read = (
            result
            for source, columns in files
            if source
            for _, result in read_file(source, "Reading times", parse_time, columns)
            if isinstance(result, float)
        )
        shift = int(now) - NEWEST_AGE_SECONDS - max(read, default=0.0)
    imports, links_met = site.store.imports, set[str]()
    if file:
        stories = ImportRun(file, imports, ImportTimes(latest, shift), dry_run, imports.add)
        for line, story in read_file(file, "Importing", partial(parse_story, max_groups=site.settings.max_groups)):
            if isinstance(story, VotewebError):
                stories.refuse(line, story)
            elif stories.add(line, story) and dry_run and story.draft.link:
                links_met.add(links.digest(story.draft.link))
        stories.flush()
        stories.echo_summary()
    if comments:
        run = ImportRun(
            comments, imports, ImportTimes(latest, shift), dry_run, imports.add_comments, lambda row: row.parent_digest
        )
        import_comments(run, links_met)
        run.echo_summary("comments: ")


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
