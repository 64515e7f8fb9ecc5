"""Read what is searched of articles and comments, as it is now, in bounded steps."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from voteweb.core import config
from voteweb.core.comments import CommentId, CommentStatus, Node
from voteweb.core.models import Article
from voteweb.core.search_documents import Document
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import batched
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import article_id, is_article
from voteweb.store.schema.nodes import parse_node
from voteweb.store.site.context import StorePart

#: Articles, or comments of one article, that are read by commands which Redis answers as one block: under 1 ms.
BLOCK_SIZE = 100


class SearchDocuments(StorePart):
    """The documents of one site."""

    def newest_ids(self, count: int) -> list[int]:
        """Return the ids of the newest listed articles."""
        members = self._connection.command("ZRANGE", self._keys.by_time(), 0, count - 1, "REV")
        return [article_id(member) for member in members if is_article(member)]

    def listed_ids(self, size: int) -> Iterator[tuple[list[int], float]]:
        """Yield the ids of all listed articles, oldest first, about *size* at once, and the share that these complete.

        Those that are listed from the beginning to the end are among them.
        """
        key, after, count = self._keys.by_time(), "-inf", 0
        while True:
            step: Command = ("ZRANGE", key, after, "+inf", "BYSCORE", "LIMIT", 0, size, "WITHSCORES")
            ranked, total = self._connection.run([step, ("ZCARD", key)])
            if not ranked:
                return
            last = repr(float(ranked[-1][1]))
            # Another program may have given more articles the same time than fit into a step.
            members = [member for member, _ in ranked]
            members += self._connection.command("ZRANGE", key, last, last, "BYSCORE")
            after, count = f"({last}", count + len(ranked)
            yield [article_id(member) for member in dict.fromkeys(members) if is_article(member)], count / max(total, 1)

    def articles(self, ids: Iterable[int]) -> list[Document]:
        """Return those of these articles that are listed."""
        return [_article(article) for article in self._read_articles(ids).values()]

    def last_comments(self, ids: Iterable[int]) -> dict[int, int]:
        """Return the highest number of a comment, MAX_COMMENTS at most, for those articles that have a conversation."""
        wanted = list(ids)
        replies = self._run([("HGET", self._keys.thread(id), "last") for id in wanted])
        highest = config.MAX_COMMENTS
        return {
            id: min(int(last), highest) for id, last in zip(wanted, replies, strict=True) if last and last.isdecimal()
        }

    def comments(self, ids: Iterable[CommentId]) -> list[Document]:
        """Return those of these comments that everybody can read."""
        wanted = list(dict.fromkeys(ids))
        articles = self._read_articles({id.article for id in wanted})
        nodes = self._read_nodes([id for id in wanted if id.article in articles])
        visible = [id for id in wanted if _is_visible(id, nodes)]
        texts = self._hash_values("words", visible)
        return [_comment(articles[id.article], nodes[id], texts.get(id, "")) for id in visible]

    def _read_articles(self, ids: Iterable[int]) -> dict[int, Article]:
        wanted = list(ids)
        fields = (*decoding.FIELDS, *decoding.TEXT_FIELDS)
        replies = self._run([("HMGET", self._keys.article(id), *fields) for id in wanted])
        rows = (decoding.article_with_text(id, reply) for id, reply in zip(wanted, replies, strict=True))
        return {row.id: row for row in rows if row and row.is_listed}

    def _read_nodes(self, ids: Sequence[CommentId]) -> dict[CommentId, Node]:
        """Return these comments and all above them."""
        nodes: dict[CommentId, Node] = {}
        for _ in range(config.MAX_COMMENT_LEVEL + 1):
            stored = self._hash_values("thread", ids)
            found = {id: parse_node(id.number, text) for id, text in stored.items()}
            nodes |= {id: node for id, node in found.items() if node}
            above = {CommentId(id.article, node.parent) for id, node in found.items() if node and node.parent}
            ids = sorted(above - nodes.keys())
            if not ids:
                break
        return nodes

    def _hash_values(self, noun: str, ids: Iterable[CommentId]) -> dict[CommentId, str]:
        """Return the field of each comment in ``<noun>:<article id>``, where there is one."""
        numbers: dict[int, list[int]] = defaultdict(list)
        for id in ids:
            numbers[id.article].append(id.number)
        blocks = [(article, block) for article, all in numbers.items() for block in batched(all, BLOCK_SIZE)]
        key_of = self._keys.thread if noun == "thread" else self._keys.words
        replies = self._run([("HMGET", key_of(article), *block) for article, block in blocks])
        return {
            CommentId(article, number): text
            for (article, block), reply in zip(blocks, replies, strict=True)
            for number, text in zip(block, reply, strict=True)
            if text is not None
        }

    def _run(self, commands: Sequence[Command]) -> list[Any]:
        return [reply for block in batched(commands, BLOCK_SIZE) for reply in self._connection.run(block)]


def _is_visible(id: CommentId, nodes: dict[CommentId, Node]) -> bool:
    """Tell whether a comment is neither deleted nor removed, with or without one above it."""
    node = nodes.get(id)
    if node is None or node.status is not CommentStatus.VISIBLE:
        return False
    while node is not None and 0 < node.parent < node.number:
        node = nodes.get(CommentId(id.article, node.parent))
        if node is not None and node.removes_replies:
            return False
    return True


def _article(article: Article) -> Document:
    poster = _named(article.poster)
    return Document(article.id, article.time, article.title, article.text, article.link, poster, article.groups)


def _comment(article: Article, node: Node, text: str) -> Document:
    id = CommentId(article.id, node.number)
    return Document(id, node.time, "", text, "", _named(node.author), article.groups)


def _named(name: str) -> str:
    """Return a member's name, "" for one who has left: a member might be called "deleted"."""
    return "" if name == config.DELETED_MEMBER else name
