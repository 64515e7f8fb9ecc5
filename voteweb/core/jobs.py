"""The table of background jobs, which one process runs beside the web server: `voteweb jobs`, part of `voteweb run`."""

from typing import NamedTuple


class Job(NamedTuple):
    """A background job: its name, the least seconds between two runs, and what remains undone while it does not run."""

    name: str
    interval: float
    undone: str


ACCOUNT_DELETIONS = Job("account-deletions", 10.0, "what members leave behind when they delete their account")
COMMENT_REMOVALS = Job(
    "comment-removals", 10.0, "the count of replies to comments that moderators removed or restored with their replies"
)
BAN_REMOVALS = Job("ban-removals", 5.0, "what bans remove and the votes that they take back, or the return of these")
DOMAIN_REMOVALS = Job("domain-removals", 10.0, "the removal of articles with links to a domain, with its rule")
GROUP_MERGES = Job("group-merges", 5.0, "planned merges of groups, and the articles and followers of merged ones")
UNDOING = Job("undoing", 5.0, "the undoing of all that a moderator did since a time")
MAIL = Job("mail", 10.0, "mails, on a site that sends any")
RESCORING = Job("rescoring", 3.0, "the new scores of articles after a change of the weight of a vote")
#: Every job; voteweb/cli/jobs.py has the code of each.
JOBS = (
    ACCOUNT_DELETIONS, COMMENT_REMOVALS, BAN_REMOVALS, DOMAIN_REMOVALS, GROUP_MERGES, UNDOING, MAIL, RESCORING,
)  # fmt: skip
