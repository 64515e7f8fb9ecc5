"""A transcription of the program in *Redis in Action*, chapter 1, call by call and with its names.

A page of 25 articles costs 26 round trips, a vote four, and a group's page intersects two whole sets once a minute.
"""

import time
from typing import Any

import redis

ONE_WEEK = 7 * 86_400
VOTE_SCORE = 432
ARTICLES_PER_PAGE = 25


class Book:
    """The book's program on a *connection* that decodes replies."""

    def __init__(self, connection: redis.Redis) -> None:
        self.conn: Any = connection

    def post_article(self, user: str, title: str, link: str) -> str:
        """Post an article and return its id."""
        id = str(self.conn.incr("article:"))
        voted = f"voted:{id}"
        self.conn.sadd(voted, user)
        self.conn.expire(voted, ONE_WEEK)
        now = time.time()
        article = f"article:{id}"
        self.conn.hset(article, mapping={"title": title, "link": link, "poster": user, "time": now, "votes": 1})
        self.conn.zadd("score:", {article: now + VOTE_SCORE})
        self.conn.zadd("time:", {article: now})
        return id

    def article_vote(self, user: str, article: str) -> None:
        """Count the vote of *user* on *article* (``article:<id>``) within a week of posting, once."""
        cutoff = time.time() - ONE_WEEK
        if self.conn.zscore("time:", article) < cutoff:
            return
        id = article.partition(":")[-1]
        if self.conn.sadd(f"voted:{id}", user):
            self.conn.zincrby("score:", VOTE_SCORE, article)
            self.conn.hincrby(article, "votes", 1)

    def get_articles(self, page: int, order: str = "score:") -> list[dict[str, Any]]:
        """Return the articles of a page (from 1) of the ranking *order*."""
        start = (page - 1) * ARTICLES_PER_PAGE
        ids = self.conn.zrevrange(order, start, start + ARTICLES_PER_PAGE - 1)
        return [self.conn.hgetall(id) | {"id": id} for id in ids]

    def add_remove_groups(self, id: str, to_add: tuple[str, ...] = (), to_remove: tuple[str, ...] = ()) -> None:
        """Add an article to groups and remove it from others."""
        article = f"article:{id}"
        for group in to_add:
            self.conn.sadd(f"group:{group}", article)
        for group in to_remove:
            self.conn.srem(f"group:{group}", article)

    def get_group_articles(self, group: str, page: int, order: str = "score:") -> list[dict[str, Any]]:
        """Return the articles of a page of a group."""
        key = f"{order}{group}"
        if not self.conn.exists(key):
            self.conn.zinterstore(key, [f"group:{group}", order], aggregate="max")
            self.conn.expire(key, 60)
        return self.get_articles(page, key)
