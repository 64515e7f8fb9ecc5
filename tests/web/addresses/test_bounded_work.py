"""The longest input that a proxy passes costs little work: work is counted, since its time differs between machines."""

import encodings.idna
import encodings.punycode
import unicodedata
from bisect import bisect_right
from functools import cache
from itertools import accumulate
from typing import Any
from urllib.parse import quote_plus, urlencode

import pytest
from markdown_it.parser_inline import ParserInline

from tests.web.addresses.conftest import Everybody
from tests.web.addresses.table import FORMS
from voteweb.core import config
from voteweb.store import Store

#: Characters whose normalization takes the square of their number, and letters whose encoding as a host name does.
MARKS = "a" + "\u0323\u0301\u0315" * 50_000
LETTERS = "".join(chr(code) for code in range(0x4E00, 0x9F00))
VALUES = (f"http://{MARKS}/", f"http://{LETTERS}/", "[a+" * 50_000)
#: Bytes of a path with its query, percent-encoded: nginx passes 8,000, a site without a proxy more.
PASSED_BYTES = 30_000
#: More than the token of a form and the names of its fields take.
TOKEN_BYTES = 1_000
#: The longest text that is worth normalizing: a reason, before cleaning.
MAX_NORMALIZED = 10 * config.MAX_REASON_LENGTH
#: Characters of a label of a host name.
MAX_ENCODED = 63
MAX_SKIPPED_TOKENS = 20_000


class Work:
    """The longest text that each costly function was given, and how often the Markdown parser looked ahead."""

    normalized = encoded = skipped = 0

    def assert_little(self) -> None:
        assert self.normalized <= MAX_NORMALIZED
        assert self.encoded <= MAX_ENCODED
        assert self.skipped <= MAX_SKIPPED_TOKENS

    def clear(self) -> None:
        self.normalized = self.encoded = self.skipped = 0


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    work = Work()

    def record(module: Any, name: str, kind: str) -> None:
        function = getattr(module, name)

        def recorded(*arguments: Any) -> Any:
            *options, text = arguments
            setattr(work, kind, max(getattr(work, kind), len(text)))
            return function(*options, text[:MAX_NORMALIZED])  # all of it could take minutes

        monkeypatch.setattr(module, name, recorded)

    def skip_token(parser: ParserInline, state: Any) -> None:
        work.skipped += 1
        skip(parser, state)

    record(unicodedata, "normalize", "normalized")
    record(encodings.punycode, "punycode_encode", "encoded")
    record(encodings.idna, "nameprep", "encoded")
    skip = ParserInline.skipToken
    monkeypatch.setattr(ParserInline, "skipToken", skip_token)
    return work


@cache
def encoded_lengths(value: str) -> list[int]:
    """Return the bytes that each beginning of *value* takes when percent-encoded."""
    lengths = {character: len(quote_plus(character)) for character in set(value)}
    return list(accumulate(lengths[character] for character in value))


def cut(value: str, max_bytes: int) -> str:
    """Return the longest beginning of *value* that takes at most *max_bytes* when percent-encoded."""
    return value[: bisect_right(encoded_lengths(value), max_bytes)]


@pytest.mark.heavy
def test_longest_input_costs_little(everybody: Everybody, work: Work, subtests: pytest.Subtests) -> None:
    for address, name, send, values in everybody.inputs(VALUES):
        is_field = address.method == "POST" and name not in address.part_names
        bound = config.MAX_BODY_BYTES - len(urlencode(address.fields)) - TOKEN_BYTES if is_field else PASSED_BYTES
        for value in values:
            work.clear()
            with subtests.test(str(address), name=name, value=value[:9]):
                assert send(cut(value, bound)).status != 413
                work.assert_little()


@pytest.mark.parametrize("path", ["/submit", "/a/1/edit", "/a/1/groups"])
def test_form_with_hundreds_of_groups_names_few_keys(
    path: str, everybody: Everybody, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = store.connection.script

    def checked(name: str, /, **values: Any) -> Any:
        assert len(values.get("named", ())) < 200, name
        assert len(values.get("groups", "").split()) < 50, name
        return script(name, **values)

    monkeypatch.setattr(store.connection, "script", checked)
    address = next(address for address in FORMS if address.url() == path)
    groups = [f"g{number}" for number in range(config.MAX_FIELDS - 50)]
    field = "remove" if path == "/a/1/groups" else "groups"
    assert everybody.post(address, {**address.fields, field: groups}).status in (409, 422)
