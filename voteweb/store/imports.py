"""Stories from elsewhere, laid in by the batch: each is whole or absent, and none comes in twice."""

from collections.abc import Sequence
from dataclasses import dataclass

from voteweb import config, links
from voteweb.config import Settings
from voteweb.models import Draft, Role
from voteweb.store import keys, scripts
from voteweb.store.articles import group_keys
from voteweb.store.connect import Connection
from voteweb.store.log import UNLOGGED
from voteweb.store.users import new_session


@dataclass(frozen=True, slots=True)
class Story:
    """One story to import; ``time`` in unix seconds, ``digest`` tells it from all others."""

    draft: Draft
    poster: str
    time: float
    votes: int
    digest: str


class Imports:
    """The way in for stories of other sites."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._settings = settings
        self._poster_ids: dict[str, int] = {}

    def known(self, digests: Sequence[str]) -> list[bool]:
        """Tell of each digest whether its story was imported before."""
        if not digests:
            return []
        return [bool(answer) for answer in self._connection.command("SMISMEMBER", keys.imported(), *digests)]

    def add(self, stories: Sequence[Story]) -> int:
        """Import those of *stories* that are new, with the groups and posters they need; return how many.

        A handful of round trips for the whole batch; some hundreds of stories are a good batch.
        """
        known = self.known([story.digest for story in stories])
        fresh = [story for story, seen in zip(stories, known, strict=True) if not seen]
        if not fresh:
            return 0
        self._make_groups(fresh)
        self._make_posters(fresh)
        last = self._connection.command("INCRBY", keys.articles_count(), len(fresh))
        calls = [self._call(story, last - len(fresh) + 1 + i) for i, story in enumerate(fresh)]
        words = [answer[0] for answer in self._connection.pipeline(calls)]
        # A failover may have lost the count of ids: what met another's is laid in under the next ones.
        again = [story for story, word in zip(fresh, words, strict=True) if word == "taken"]
        return words.count("imported") + self.add(again)

    def _make_groups(self, stories: Sequence[Story]) -> None:
        names = sorted({name for story in stories for name in story.draft.groups})
        if names:
            self._connection.command("SADD", keys.groups(), *names)

    def _make_posters(self, stories: Sequence[Story]) -> None:
        names = {story.poster.lower(): story.poster for story in stories}
        new = [name for name in names if name not in self._poster_ids]
        found = self._connection.pipeline([("HGET", keys.user(name), "id") for name in new]) if new else []
        missing = [name for name, id in zip(new, found, strict=True) if id is None]
        self._poster_ids |= {name: int(id) for name, id in zip(new, found, strict=True) if id is not None}
        if not missing:
            return
        made = self._connection.pipeline(
            [
                scripts.call(
                    "make_user",
                    [keys.user(name), keys.invite(""), keys.user(name), keys.users_count()],
                    [*UNLOGGED.arguments, 0, names[name], "", Role.MEMBER, new_session()],
                )
                for name in missing
            ]
        )
        # A member who joined in between keeps the own id: the script answers with the one that holds.
        self._poster_ids |= {name: int(answer[1]) for name, answer in zip(missing, made, strict=True)}

    def _call(self, story: Story, id: int) -> tuple[object, ...]:
        settings, draft = self._settings, story.draft
        return scripts.call(
            "import_article",
            [
                keys.article(id),
                keys.voted(id),
                keys.by_time(),
                keys.by_score(),
                keys.good(),
                keys.posted(story.poster),
                keys.imported(),
                keys.link(links.digest(draft.link)),
                *group_keys(draft.groups),
            ],
            [
                draft.title,
                draft.link,
                draft.text,
                story.poster,
                self._poster_ids[story.poster.lower()],
                f"{story.time:.6f}",
                story.votes,
                settings.vote_score,
                settings.good_votes,
                settings.voting_seconds,
                config.VOTERS_GRACE,
                story.digest,
                config.LINK_SECONDS,
                *draft.groups,
            ],
        )
