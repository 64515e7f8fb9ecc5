"""The catalogues of messages in each language."""

import re
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[3]
TRANSLATIONS = ROOT / "voteweb/web/i18n/translations"
PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[a-z%]")


@cache
def catalogue(code: str) -> Catalog:
    """Return the catalogue of a language as it was written."""
    with (TRANSLATIONS / code / "LC_MESSAGES/messages.po").open("rb") as file:
        return read_po(file, locale=code, abort_invalid=True)


def messages(code: str) -> list[Message]:
    """Return the messages of a language, without the header."""
    return [message for message in catalogue(code) if message.id]
