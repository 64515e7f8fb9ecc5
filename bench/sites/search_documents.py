"""Documents for an index of search, recombined from stories, and what people might type to find them.

They are the same in every run. A tenth of the titles and texts is Chinese.
"""

import csv
import random
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from bench.sites.stories import COLUMNS, generate_row
from voteweb.core.comments import CommentId
from voteweb.core.search_documents import Document
from voteweb.search.words import tokens

#: The ids of the documents begin above those of a site.
FIRST_ID = 10**8
#: Publish time of the first document, and mean seconds between two.
FIRST_TIME, SECONDS_BETWEEN = 1.3e9, 60
CHINESE_SHARE = 0.1
COMMENTS_OF_ARTICLE = 50
#: Titles in the text of a comment, at most.
MAX_SENTENCES = 6
#: The searches for words that begin so: the rows of each such word are put together first.
BEGINNINGS = "the beginning of a word"
#: Frequent characters, and frequent words of the subject.
_CHINESE = (
    *"的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学么之都好看"
    "起发当没成只如事把还用第样道想作种开美总从无情己面最女但现前些所同日手又行意动方期它头经长儿回位分爱老因很给名法间斯知世什",
    *"编程 语言 数据 公司 中国 技术 人工智能 开源 软件 互联网 谷歌 苹果".split(),
)


class Recombined:
    """Stories of *file*, or generated ones if there is no file, taken apart and put together at random."""

    def __init__(self, file: Path | None) -> None:
        self._random = random.Random(1)
        if file:
            with file.open(newline="", encoding="utf-8-sig") as stream:
                self._stories = list(csv.DictReader(stream))
        else:
            rows = (generate_row(position, int(FIRST_TIME)) for position in range(5_000))
            self._stories = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        self._titles = [words for story in self._stories if (words := story["title"].split())]

    def articles(self, count: int) -> Iterator[Document]:
        """Yield *count* articles, the oldest first."""
        for number, story in enumerate(islice(cycle(self._stories), count)):
            link = f"{story['link']}{number}" if story["link"] else ""
            yield Document(FIRST_ID + number, self._time(number), self._title(), "", link, *self._origin())

    def comments(self, count: int) -> Iterator[Document]:
        """Yield *count* comments, the oldest first, each of 1 to MAX_SENTENCES titles."""
        for number in range(count):
            article, position = divmod(number, COMMENTS_OF_ARTICLE)
            text = ". ".join(self._title() for _ in range(self._random.randint(1, MAX_SENTENCES)))
            id = CommentId(FIRST_ID + article, position + 1)
            yield Document(id, self._time(number), "", text, "", *self._origin())

    def typed(self, count: int) -> dict[str, list[str]]:
        """Return *count* searches of each kind, with those for the commonest words among them."""
        searches: dict[str, list[str]] = {
            "a word": ["the"], "two words": ["of the"], "a phrase": ['"of the"'], "one of two words": ["the OR of"],
            "one word without another": ["the -of"], "a word and a filter": ["the after:2012"], "Chinese": ["的"],
            BEGINNINGS: ["the*"],
        }  # fmt: skip
        for _ in range(count):
            first, second = self._word(), self._word()
            poster, groups = self._origin()
            phrase = " ".join(self._random.choice(self._titles)[:2]).replace('"', "")
            searches["a word"].append(first)
            searches["two words"].append(f"{first} {second}")
            searches["a phrase"].append(f'"{phrase}"')
            searches["one of two words"].append(f"{first} OR {second}")
            searches["one word without another"].append(f"{first} -{second}")
            searches["a word and a filter"].append(f"{first} group:{groups[0]}" if groups else f"{first} by:{poster}")
            searches["Chinese"].append(self._chinese(self._random.randint(1, 2)))
            searches[BEGINNINGS].append(f"{first[:3]}*" if len(first) > 3 else f"{second}*")
        return searches

    def _time(self, number: int) -> float:
        return FIRST_TIME + SECONDS_BETWEEN * (number + self._random.random())

    def _origin(self) -> tuple[str, tuple[str, ...]]:
        story = self._random.choice(self._stories)
        return story["poster"], tuple(story["groups"].split())

    def _title(self) -> str:
        """Return the beginning of a title with the end of another."""
        if self._random.random() < CHINESE_SHARE:
            return self._chinese(self._random.randint(6, 20))
        begin, end = self._random.choice(self._titles), self._random.choice(self._titles)
        cut = self._random.randint(1, len(begin))
        return " ".join([*begin[:cut], *end[cut:]])

    def _chinese(self, count: int) -> str:
        return "".join(self._random.choices(_CHINESE, k=count))

    def _word(self) -> str:
        """Return a word, each as often as it stands in titles."""
        while True:
            found = tokens(self._random.choice(self._random.choice(self._titles)))
            if found:
                return found[0]
