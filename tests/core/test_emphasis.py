"""Emphasis beside Chinese, Japanese and Korean characters, and everywhere else as CommonMark has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it.rules_inline import StateInline

from voteweb.core import markdown
from voteweb.core.markdown import InlineState

#: Examples of the section about emphasis in CommonMark 0.31, and of strikethrough.
COMMONMARK = [
    "*foo bar*", "a * foo bar*", 'a*"foo"*', "*\u00a0a\u00a0*", "*$*alpha.", "*£*bravo.", "*€*charlie.", "foo*bar*",
    "5*6*78", "_foo bar_", "_ foo bar_", 'a_"foo"_', "foo_bar_", "5_6_78", "пристаням_стремятся_", 'aa_"bb"_cc',
    "foo-_(bar)_", "_foo*", "*foo bar *", "*(*foo)", "*(*foo*)*", "*foo*bar", "_foo_bar", "_foo_bar_baz_",
    "_(bar)_.", "**foo bar**", "** foo bar**", 'a**"foo"**', "foo**bar**", "__foo bar__", "foo-__(bar)__",
    "**foo bar **", "**(**foo)", "*(**foo**)*", '**foo "*bar*" foo**', "**foo**bar", "__foo__bar__baz__",
    "*foo **bar** baz*", "*foo**bar**baz*", "***foo** bar*", "*foo **bar***", "foo***bar***baz",
    "foo******bar*********baz", "*foo **bar *baz* bim** bop*", "** is not an empty emphasis", "foo *\\**", "foo **_**",
    "**foo*", "****foo*", "*foo**", "__foo_", "***foo***", "*foo _bar* baz_", "**foo **bar baz**", "*[bar*](/url)",
    "*a `*`*", "~~foo~~", "a ~~ b~~", "~~(~~a)~~", "foo~~bar~~",
]  # fmt: skip
BOLD = [
    ("**提示：**请", "<strong>提示：</strong>请"),
    ("请看**「提示」**。", "请看<strong>「提示」</strong>。"),
    ("**これは太字。**次の文", "<strong>これは太字。</strong>次の文"),
    ("**이것(bold)**은", "<strong>이것(bold)</strong>은"),
    ("见**[链接](https://a.example)**后", '见<strong><a href="https://a.example">链接</a></strong>后'),
    ("他说**“你好”**就走", "他说<strong>“你好”</strong>就走"),
    ("*注意！*别", "<em>注意！</em>别"),
    ("~~旧的。~~新", "<s>旧的。</s>新"),
    ("**一：**和**二：**与", "<strong>一：</strong>和<strong>二：</strong>与"),
    ("**重点**：", "<strong>重点</strong>："),
    ("中__文__字", "中__文__字"),
    ("** 空 **", "** 空 **"),
    ("**提示：请", "**提示：请"),
]


def unpatched(source: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InlineState, "scanDelims", StateInline.scanDelims)
        return markdown.to_html(source)[0]


@pytest.mark.parametrize(("source", "html"), BOLD)
def test_emphasis_beside_cjk_punctuation(source: str, html: str) -> None:
    assert markdown.to_html(source)[0] == f"<p>{html}</p>\n"


@pytest.mark.parametrize("source", COMMONMARK)
def test_examples_of_commonmark_render_as_before(source: str) -> None:
    assert markdown.to_html(source)[0] == unpatched(source)


@given(st.text(st.sampled_from('**__~a1é .,()"“”—€😀\n[]`'), max_size=40))
def test_texts_without_cjk_characters_render_as_before(source: str) -> None:
    assert markdown.to_html(source)[0] == unpatched(source)


@given(st.text(st.sampled_from("**_~a中文：。「」 .\n"), max_size=40))
def test_cjk_texts_lose_no_emphasis_run(source: str) -> None:
    """A run that could begin or end emphasis still can."""
    for start, character in enumerate(source):
        if character in "*~" and (not start or source[start - 1] != character):
            before = StateInline(source, markdown._parser, {}, []).scanDelims(start, True)
            after = InlineState(source, markdown._parser, {}, []).scanDelims(start, True)
            assert after.can_open >= before.can_open
            assert after.can_close >= before.can_close
            assert after.length == before.length
