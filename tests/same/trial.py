"""``python -m tests.same.trial BEFORE``: change the behaviour of a copy of BEFORE in twelve ways; each must be found.

The changes are text of the commit at which this was written; one whose text is gone is reported as not tried.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple


class Change(NamedTuple):
    """A change of behaviour: in which file, of which text, and the part of the comparison that meets it."""

    name: str
    file: str
    old: str
    new: str
    part: str


CHANGES = (
    Change("a header is missing", "voteweb/web/security.py", '"X-Frame-Options": "DENY",', "", "forms"),
    Change(
        "scores are rounded", "voteweb/store/lua/helpers/rankings.lua",
        "points = exact(score(time, votes, weight, days * 86400)),",
        "points = exact(math.floor(score(time, votes, weight, days * 86400))),", "acts",
    ),
    Change(
        "a log entry is lost", "voteweb/store/lua/commit.lua",
        "if entry then", "if false then", "forms",
    ),
    Change(
        "a key expires earlier", "voteweb/store/lua/helpers/thread.lua",
        "redis.call('EXPIRE', unread_key, INBOX_SECONDS)",
        "redis.call('EXPIRE', unread_key, INBOX_SECONDS - 60)", "forms",
    ),
    Change(
        "a message is another", "voteweb/core/errors.py", "You have already reported this article.",
        "You reported this article.", "forms",
    ),
    Change(
        "comments stand in another order", "voteweb/core/conversation.py",
        "node.votes, comment_vote_score), node.time, n)", "0, comment_vote_score), node.time, n)", "pages",
    ),
    Change(
        "a moderator may ban an admin", "voteweb/core/permissions.py",
        "(member.role is Role.MEMBER or may_administer(user)) and member.role is not Role.ADMIN", "True", "forms",
    ),
    Change(
        "a title is not escaped", "templates/articles/_parts.html", 'dir="auto">{{ title }}</a>',
        'dir="auto">{{ title|safe }}</a>', "acts",
    ),
    Change("a form leads elsewhere", "voteweb/web/views/my_site.py", 'f"{path}#feed"', "path", "forms"),
    Change(
        "JSON lacks a field", "voteweb/web/views/votes.py",
        "votes=votes, voted=ACTS[endpoint].outcome is VoteFlash.COUNTED", "votes=votes", "forms",
    ),
    Change(
        "a feed lacks a field", "voteweb/web/feeds.py", '"date_modified": formatting.iso(item.updated),', "", "pages",
    ),
    Change(
        "the doctor has a rule less", "voteweb/store/doctor/key_checks.py", "if exists and not has_owner:", "if False:",
        "doctor",
    ),
)  # fmt: skip


def copy_checkout(source: Path, copy: Path) -> None:
    """Copy the files under version control and link those of the environment."""
    names = subprocess.run(["git", "-C", source, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (source / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, copy / name)
    shutil.copytree(source / ".venv", copy / ".venv", symlinks=True, copy_function=os.link)
    for link in (copy / ".venv").glob("lib/*/site-packages/*voteweb*.pth"):
        link.unlink()  # the file itself belongs to both
        link.write_text(f"{copy}\n")


def is_found(change: Change, source: Path, copy: Path) -> str:
    """Return what the comparison said about a copy with *change*."""
    file = copy / change.file
    text = file.read_text("utf-8")
    if change.old not in text:
        return "NOT TRIED: the text is gone"
    file.write_text(text.replace(change.old, change.new), "utf-8")
    try:
        command = [
            str(word)
            for word in (sys.executable, "-m", "tests.same", source, copy, "--parts", change.part, "--acts", "400")
        ]
        result = subprocess.run(command, capture_output=True, text=True)
    finally:
        file.write_text(text, "utf-8")
    lines = result.stdout.splitlines()
    first = next((line for line in lines if line.endswith(" times")), "")
    if result.returncode == 1 and first:
        return f"found: {first}; {lines[-1]}"
    return f"NOT FOUND (status {result.returncode})\n{result.stdout[-500:]}{result.stderr[-2000:]}"


def main() -> int:
    source, *names = Path(sys.argv[1]).resolve(), *sys.argv[2:]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="same-trial-", dir=source.parent) as folder:
        copy = Path(folder)
        copy_checkout(source, copy)
        for change in CHANGES:
            if not names or any(name in change.name for name in names):
                outcome = is_found(change, source, copy)
                failed += not outcome.startswith("found")
                print(f"{change.name} | {change.part} | {outcome}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
