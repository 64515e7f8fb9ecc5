"""Import of stories from other sites, in batches: each is whole or absent, and none is imported twice."""

from collections.abc import Sequence
from dataclasses import dataclass

from voteweb.core import links
from voteweb.core.models import Draft
from voteweb.core.names import name_key
from voteweb.store.accounts.users import Users
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.fingerprints import fingerprint
from voteweb.store.schema.rankings import ranking_values
from voteweb.store.site.context import Context, StorePart


@dataclass(frozen=True, slots=True)
class Story:
    """One story to import; ``time`` in unix seconds, ``digest`` identifies it."""

    draft: Draft
    poster: str
    time: float
    votes: int
    digest: str


class StoryImports(StorePart):
    """Imports stories into one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._users = Users(context)
        self._poster_ids: dict[str, int] = {}
        self._spellings: dict[str, str] = {}

    def known(self, digests: Sequence[str]) -> list[bool]:
        """Tell for each digest whether its story was imported before."""
        rows = [fingerprint(digest) for digest in digests]
        commands = [("SISMEMBER", self._keys.imported(row.bucket), row.member) for row in rows]
        return [bool(reply) for reply in self._connection.run(commands)] if commands else []

    def add(self, stories: Sequence[Story]) -> int:
        """Import those of *stories* that are new, with the groups and posters they need; return how many.

        Takes a handful of round trips for the whole batch; some hundreds of stories are a good batch.
        """
        known = self.known([story.digest for story in stories])
        new = [story for story, is_known in zip(stories, known, strict=True) if not is_known]
        if not new:
            return 0
        self._make_groups(new)
        self.make_posters([story.poster for story in new])
        last_id = self._connection.command("INCRBY", self._keys.last_article_id(), len(new))
        calls = [self._call(story, last_id - len(new) + 1 + at) for at, story in enumerate(new)]
        replies = self._connection.run(calls)
        statuses = [status for (status,) in replies]
        # A failover may have lost the counter of ids: the story gets the next one.
        repeat = [story for story, status in zip(new, statuses, strict=True) if status == "taken"]
        return statuses.count("imported") + self.add(repeat)

    def _make_groups(self, stories: Sequence[Story]) -> None:
        names = sorted({name for story in stories for name in story.draft.groups})
        if names:
            titles = [("HSETNX", self._keys.group_info(name), "title", name) for name in names]
            self._connection.run([*titles, ("SADD", self._keys.groups(), *names)])

    def make_posters(self, posters: Sequence[str]) -> None:
        """Make those of the members with these names who do not exist."""
        names = {name_key(poster): poster for poster in posters}
        self._read_posters([name for name in names if name not in self._poster_ids])
        missing = [name for name in names if name not in self._poster_ids]
        self._users.make_missing([names[name] for name in missing])
        self._read_posters(missing)

    def _read_posters(self, names: Sequence[str]) -> None:
        stored = self._connection.run([("HMGET", self._keys.user(name), "id", "name") for name in names])
        for name, (id, spelled) in zip(names, stored, strict=True):
            if id is not None:
                self._poster_ids[name], self._spellings[name] = int(id), spelled or name

    def spelling(self, poster: str) -> str:
        """Return *poster* as the member spells the name, by which scripts compare names that are not ASCII."""
        spelled = self._spellings.get(name_key(poster), poster)
        return poster if spelled.isascii() else spelled

    def _call(self, story: Story, id: int) -> Command:
        settings, draft, row = self._settings, story.draft, fingerprint(story.digest)
        return scripts.call(
            self._keys,
            "import_article",
            article=id,
            bucket=row.bucket,
            row=row.member,
            title=draft.title,
            link=draft.link,
            link_digest=links.digest(draft.link),
            domain=links.listed_domain(draft.link),
            text=draft.text,
            groups=" ".join(draft.groups),
            poster=self.spelling(story.poster),
            poster_id=self._poster_ids[name_key(story.poster)],
            wanted_time=f"{story.time:.6f}",
            votes=story.votes,
            voting_seconds=settings.voting_seconds,
            **ranking_values(settings),
        )
