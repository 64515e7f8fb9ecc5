"""Extract messages for the catalogues from the description of the API, whose texts are on the page about it, too."""

from collections.abc import Iterator
from typing import IO, Any

from babel.messages.extract import extract_python

from voteweb.web.api.openapi import messages


def extract(file: IO[bytes], keywords: Any, comment_tags: Any, options: Any) -> Iterator[tuple[int, Any, Any, Any]]:
    """Yield the messages of the module that makes the description, and the texts of that."""
    yield from extract_python(file, keywords, comment_tags, options)
    for text in sorted(messages()):
        yield 1, None, text, []
