"""Conversations for the benchmark, written by the code that imports them."""

import random
import time

from bench.constants import THREAD_SIZE, THREAD_TEXT_LENGTH
from voteweb.core.config import MAX_COMMENT_LEVEL
from voteweb.store import Store
from voteweb.store.comments.imports import ImportedComment

#: Comments in one call.
BATCH_SIZE = 500
#: The accounts that write them.
WRITERS = 50
#: The share of comments that answer the article itself.
TOP_LEVEL_SHARE = 0.15
#: Votes of a comment, at most.
MAX_VOTES = 30
#: Words of the texts: so many that texts compress about as well as English.
_SYLLABLES = [consonant + vowel for consonant in "bdfghklmnprstvw" for vowel in ("a", "e", "i", "o", "u", "ar", "en")]
_WORDS = ["".join(random.choices(_SYLLABLES, k=random.choice((1, 2, 2, 3)))) for _ in range(2_000)]


def generate_text(length: int) -> str:
    """Return a text of *length* characters in words."""
    text = ""
    while len(text) < length:
        text += random.choice(_WORDS) + " "
    return text[: length - 1] + "."


def write_thread(store: Store, article: int, size: int = THREAD_SIZE, length: int = THREAD_TEXT_LENGTH) -> None:
    """Put a conversation of *size* comments of *length* characters below *article*, at most MAX_COMMENT_LEVEL deep."""
    now, levels = time.time(), [0]
    for first in range(1, size + 1, BATCH_SIZE):
        batch = []
        for number in range(first, min(first + BATCH_SIZE, size + 1)):
            parent = 0 if random.random() < TOP_LEVEL_SHARE else random.randrange(number)
            parent = parent if levels[parent] < MAX_COMMENT_LEVEL else 0
            levels.append(levels[parent] + 1)
            batch.append(
                ImportedComment(
                    article,
                    generate_text(length),
                    f"writer{random.randrange(WRITERS)}",
                    now - size + number,
                    random.randrange(MAX_VOTES),
                    f"bench {article}.{number}",
                    f"bench {article}.{parent}" if parent else "",
                )
            )
        answers = store.imports.add_comments(batch)
        if set(answers) != {"imported"}:
            raise RuntimeError(f"A comment was not imported: {set(answers)}")
    store.imports.order_lists([f"writer{number}" for number in range(WRITERS)], [article])
