"""The catalogues have every visible text, translated, with its placeholders, and compiled."""

import gettext
import re
from functools import cache
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.frontend import parse_keywords, parse_mapping_cfg
from babel.messages.mofile import write_mo

from tests.web.i18n.catalogues import PLACEHOLDER, ROOT, TRANSLATIONS, catalogue, messages
from voteweb.web.i18n.locale import ENGLISH, LANGUAGES

HAN = "\u4e00-\u9fff"
#: Messages of placeholders alone, which join two parts.
ONLY_PLACEHOLDERS = re.compile(r"(%\(\w+\)s|[：，。 ])+")

TRANSLATED = sorted(LANGUAGES.keys() - {ENGLISH.code})
every_language = pytest.mark.parametrize("code", TRANSLATED)


@cache
def extracted() -> frozenset[str | tuple[str, ...]]:
    """Return every message in code and templates that `make translations` extracts."""
    keywords = re.findall(r"-k (\S+)", (ROOT / "Makefile").read_text())
    with (ROOT / ".ci" / "babel.cfg").open() as file, pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / ".ci")
        methods, options = parse_mapping_cfg(file)
        extraction = extract_from_dir(ROOT, methods, options, {**DEFAULT_KEYWORDS, **parse_keywords(keywords)})
        return frozenset(message for _file, _line, message, _comments, _context in extraction)


def translations(message: Message) -> tuple[str, ...]:
    """Return the translations of a message, one for each plural form."""
    return message.string if isinstance(message.string, tuple) else (message.string,)


@every_language
def test_catalogue_has_every_visible_text_and_no_other(code: str) -> None:
    """After a change of texts: `make translations`."""
    ids = {message.id for message in messages(code)}
    assert len(ids) > 300
    assert sorted(map(str, extracted() - ids)) == []
    assert sorted(map(str, ids - extracted())) == []
    assert not catalogue(code).obsolete


@every_language
def test_every_message_has_a_finished_translation_with_its_placeholders(code: str) -> None:
    for message in messages(code):
        assert not message.fuzzy, message.id
        assert len(translations(message)) == (catalogue(code).num_plurals if message.pluralizable else 1), message.id
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        for text in translations(message):
            assert text.strip(), message.id
            assert sorted(PLACEHOLDER.findall(text)) == sorted(PLACEHOLDER.findall(ids[-1])), message.id


@every_language
def test_compiled_catalogue_is_up_to_date(code: str) -> None:
    """After a change of translations: `make translations`."""
    written = BytesIO()
    write_mo(written, catalogue(code))
    with (TRANSLATIONS / code / "LC_MESSAGES/messages.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    expected = gettext.GNUTranslations(BytesIO(written.getvalue()))._catalog  # type: ignore[attr-defined]
    # The header names the version of Babel that compiled it.
    assert {**compiled, "": ""} == {**expected, "": ""}


def test_chinese_has_chinese_punctuation_and_terms() -> None:
    for message in messages("zh"):
        for text in translations(message):
            assert re.search(f"[{HAN}]", text) or ONLY_PLACEHOLDERS.fullmatch(text), text
            bare = PLACEHOLDER.sub("值", re.sub(r"\[[^]]*\]\([^)]*\)", "", text))
            assert not re.search(rf"[{HAN}”）][,.;:?!()\"']|[,;?!][{HAN}]|[,;(][ \w]", bare), text
            # Fonts set Chinese apart from digits and Latin letters.
            is_sentence = not ONLY_PLACEHOLDERS.fullmatch(text)
            assert not (is_sentence and re.search(rf"[{HAN}] ([^\W_]|[@/])|([^\W_]|/) [{HAN}]", bare)), text
            assert not re.search("[帐群您]|用户(?!名)", text), f"another word for the same thing: {text}"
            english = message.id[-1] if message.pluralizable else message.id
            assert text.endswith("。") == english.endswith("."), text


@pytest.mark.parametrize("script", sorted((ROOT / "static").glob("*.js")), ids=lambda script: script.name)
def test_scripts_contain_no_visible_text(script: Path) -> None:
    """A script shows texts of the page, which are in the reader's language."""
    code = re.sub(r"^\s*//.*$", "", script.read_text(), flags=re.MULTILINE)
    for literal in re.findall(r'"([^"\n]*)"|\'([^\'\n]*)\'|`([^`]*)`', code):
        text = re.sub(r"\$\{[^}]*\}", "", "".join(literal))
        assert not re.match(r"[A-Z][a-z]+( |$)", text) or text in ("Accept", "Enter", "Escape"), text
        assert not re.search(rf"\w[.?!…]$|[{HAN}]", text), text
