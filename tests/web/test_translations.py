"""The catalogues: every visible string is in each, translated, with its placeholders, and compiled."""

import gettext
import re
from functools import cache
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.frontend import parse_keywords, parse_mapping_cfg
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from voteweb.web.i18n.locale import LANGUAGES

ROOT = Path(__file__).parent.parent
TRANSLATIONS = ROOT / "voteweb/translations"
PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[a-z%]")
HAN = "\u4e00-\u9fff"
#: Messages of placeholders alone: how two parts are put together.
GLUE = re.compile(r"(%\(\w+\)s|[：， ])+")

every_language = pytest.mark.parametrize("code", LANGUAGES)


@cache
def extracted() -> frozenset[str | tuple[str, ...]]:
    """Return every string of code and templates that `make translations` finds."""
    words = re.findall(r"-k (\w+)", (ROOT / "Makefile").read_text())
    with (ROOT / ".ci" / "babel.cfg").open() as file:
        methods, options = parse_mapping_cfg(file)
    found = extract_from_dir(ROOT, methods, options, {**DEFAULT_KEYWORDS, **parse_keywords(words)})
    return frozenset(message for _file, _line, message, _comments, _context in found)


@cache
def catalogue(code: str) -> Catalog:
    """Return the catalogue of a language as it was written."""
    with (TRANSLATIONS / code / "LC_MESSAGES/messages.po").open("rb") as file:
        return read_po(file, locale=code, abort_invalid=True)


def messages(code: str) -> list[Message]:
    """Return the messages of a language, without the header."""
    return [message for message in catalogue(code) if message.id]


def said(message: Message) -> tuple[str, ...]:
    """Return the translations of a message, one for each plural form."""
    return message.string if isinstance(message.string, tuple) else (message.string,)


@every_language
def test_every_visible_string_is_in_the_catalogue_and_nothing_else(code: str) -> None:
    """After a change of words: `make translations`."""
    known = {message.id for message in messages(code)}
    assert len(known) > 300
    assert sorted(map(str, extracted() - known)) == []
    assert sorted(map(str, known - extracted())) == []
    assert not catalogue(code).obsolete


@every_language
def test_every_message_is_translated_and_nothing_is_guessed(code: str) -> None:
    for message in messages(code):
        assert not message.fuzzy, message.id
        assert len(said(message)) == (catalogue(code).num_plurals if message.pluralizable else 1), message.id
        assert all(words.strip() for words in said(message)), message.id


@every_language
def test_every_translation_has_the_placeholders_of_its_message(code: str) -> None:
    for message in messages(code):
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        for words in said(message):
            assert sorted(PLACEHOLDER.findall(words)) == sorted(PLACEHOLDER.findall(ids[-1])), message.id


@every_language
def test_the_compiled_catalogue_is_the_written_one(code: str) -> None:
    """After a change of translations: `make translations`."""
    made = BytesIO()
    write_mo(made, catalogue(code))
    with (TRANSLATIONS / code / "LC_MESSAGES/messages.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    expected = gettext.GNUTranslations(BytesIO(made.getvalue()))._catalog  # type: ignore[attr-defined]
    # The header names the version of Babel that compiled it.
    assert {**compiled, "": ""} == {**expected, "": ""}


def test_there_is_a_catalogue_for_every_language_and_no_other() -> None:
    assert {folder.name for folder in TRANSLATIONS.iterdir()} == set(LANGUAGES)


def test_english_says_what_the_code_says() -> None:
    for message in messages("en"):
        assert message.string == message.id


def test_chinese_is_chinese() -> None:
    for message in messages("zh"):
        for words in said(message):
            assert re.search(f"[{HAN}]", words) or GLUE.fullmatch(words), words
            bare = re.sub(r"\[[^]]*\]\([^)]*\)", "", words)
            assert not re.search(rf"[{HAN}”）][,.;:?!()\"']|[,;?!][{HAN}]|[{HAN}] [{HAN}]", bare), words
            assert not re.search("[帐群您]|用户(?!名)", words), f"another word for the same thing: {words}"
            english = message.id[-1] if message.pluralizable else message.id
            assert words.endswith("。") == english.endswith("."), words


@pytest.mark.parametrize("script", sorted((ROOT / "static").glob("*.js")), ids=lambda script: script.name)
def test_scripts_hold_no_words(script: Path) -> None:
    """What a script shows comes from the page, which knows the language."""
    code = re.sub(r"^\s*//.*$", "", script.read_text(), flags=re.MULTILINE)
    for literal in re.findall(r'"([^"\n]*)"|\'([^\'\n]*)\'|`([^`]*)`', code):
        words = re.sub(r"\$\{[^}]*\}", "", "".join(literal))
        assert not re.match(r"[A-Z][a-z]+( |$)", words) or words in ("Accept", "Enter", "Escape"), words
        assert not re.search(rf"\w[.?!…]$|[{HAN}]", words), words
