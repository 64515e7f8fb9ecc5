"""A member's own choice: the groups that they follow, and the things that they hide from their lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from voteweb.core.config import MAX_HOST_LENGTH
from voteweb.core.links import domain
from voteweb.core.models import Article
from voteweb.core.names import name_key

#: The value of the field ``front`` of members whose front page shows the groups they follow.
MY_GROUPS = "my"
#: The values of the field ``theme``; "" is that of the system.
THEMES = ("", "light", "dark")


class HiddenKind(StrEnum):
    """The kinds of things that can be hidden, as the letter that begins their entries."""

    ARTICLE = "a"
    GROUP = "g"
    DOMAIN = "d"
    MEMBER = "m"


class Hidden(NamedTuple):
    """Something that a member hides: an article by its id, all others by their name; ``time`` is since when.

    The name of a member is the one in the key of the member.
    """

    kind: HiddenKind
    name: str
    time: float = 0.0

    @property
    def entry(self) -> str:
        """The entry that stands for it in the list of the member who hides it."""
        return f"{self.kind}{self.name}"


def parse_hidden(entry: str, time: float = 0.0) -> Hidden | None:
    """Return what *entry* stands for, None if it is no entry."""
    kind, name = entry[:1], entry[1:]
    if kind not in set(HiddenKind) or not 0 < len(name) <= MAX_HOST_LENGTH:
        return None
    if kind == HiddenKind.ARTICLE and not (name.isascii() and name.isdigit()):
        return None
    return Hidden(HiddenKind(kind), name, time)


def hidden_member(name: str) -> Hidden:
    """Return what hides a member, however *name* is spelled."""
    return Hidden(HiddenKind.MEMBER, name_key(name))


@dataclass(frozen=True, slots=True)
class MySite:
    """The choice of one member: groups that they follow, in alphabetical order, and entries of hidden things."""

    follows: tuple[str, ...] = ()
    hides: frozenset[str] = field(default_factory=frozenset)

    def is_hidden(self, article: Article, shown: str = "") -> bool:
        """Tell whether *article* is to be left out of a list, which shows what the entry *shown* hides elsewhere."""
        return any(entry != shown for entry in self._hiding(article))

    def reasons(self, article: Article) -> list[Hidden]:
        """Return what hides *article*, nothing if it is not hidden."""
        return [hidden for hidden in map(parse_hidden, self._hiding(article)) if hidden]

    @property
    def hidden_members(self) -> frozenset[str]:
        """The members who are hidden, as :func:`name_key` spells their names."""
        return frozenset(entry[1:] for entry in self.hides if entry.startswith(HiddenKind.MEMBER))

    def hides_member(self, name: str) -> bool:
        """Tell whether a member is hidden, however *name* is spelled."""
        return hidden_member(name).entry in self.hides

    def _hiding(self, article: Article) -> list[str]:
        """Return the entries that hide *article*."""
        if not self.hides:
            return []
        poster = hidden_member(article.poster).entry
        entries = [f"a{article.id}", poster, *(f"g{group}" for group in article.groups)]
        if article.link:
            entries.append(f"d{domain(article.link)}")
        return [entry for entry in entries if entry in self.hides]

    def visible(self, articles: Sequence[Article], shown: str = "") -> list[int]:
        """Return the positions of those *articles* that a list shows, which itself shows what *shown* hides."""
        return [at for at, article in enumerate(articles) if not self.is_hidden(article, shown)]


NOTHING_CHOSEN = MySite()


def merged(scores: Sequence[Mapping[int, float]], first: int, last: int) -> list[int]:
    """Return the ids from position *first* to before *last* of the articles in any of some rankings, highest first.

    Each of *scores* is the beginning of one ranking, *last* articles long or all of it: ids with their scores. Of two
    articles with one score the one posted later, which has the higher id, is first.
    """
    union: dict[int, float] = {}
    for ranking in scores:
        union.update(ranking)
    return sorted(union, key=lambda id: (union[id], id), reverse=True)[first:last]
