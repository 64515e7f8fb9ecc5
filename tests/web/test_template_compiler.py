"""Templates as they are compiled: a macro gives the same HTML in place of its call as when it is called."""

import pytest
from flask import Flask
from jinja2 import DictLoader

from voteweb.web.pages.templating import TemplateEnvironment

PARTS = """
{% macro named(name, mark="!") %}{% set shown = name ~ mark %}<b>{{ shown }}</b>{% endmacro %}
{% macro marked(name, mark=name ~ "?", end=mark) %}{{ name }}{{ mark }}{{ end }}{% endmacro %}
{% macro doubled(name) %}  {{ named(name) }}{{ named(name ~ name, mark="<") }}
{% endmacro %}
{% macro of_global() %}{{ site() }}{% endmacro %}
{% macro boxed() %}[{{ caller() if caller }}{{ varargs|join }}{{ kwargs.title }}]{% endmacro %}
"""


def render(body: str, parameters: str = "name") -> str:
    environment = TemplateEnvironment(
        Flask(__name__), autoescape=True, loader=DictLoader({"parts": PARTS, "host": HOST % (parameters, body)})
    )
    environment.globals["site"] = lambda: "a & b"
    environment.globals.update(vars(environment.get_template("parts").module))
    return str(environment.get_template("host").module.host("x"))  # type: ignore[attr-defined]


HOST = "{%% macro host(%s) %%}%s{%% endmacro %%}"


@pytest.mark.parametrize(
    ("body", "html"),
    [
        ("{{ named(name) }}", "<b>x!</b>"),
        ("{{ named(mark=2, name=name) }}", "<b>x2</b>"),
        ("{{ marked(name) }}", "xx?x?"),
        ("{{ named(name, mark=named(1)) }}", "<b>x<b>1!</b></b>"),
        ("{% set shown = 1 %}{{ named(name) }}{{ shown }}", "<b>x!</b>1"),
        ("{% set mark = 1 %}{{ named(name) }}{{ named(mark) }}", "<b>x!</b><b>1!</b>"),
        ("{{ doubled(name)|trim }}.", "<b>x!</b><b>xx&lt;</b>."),
        ("{{ doubled(name) }}.", "  <b>x!</b><b>xx&lt;</b>\n."),
        ("{{ named(1) if name == 'x' else named(2) }}{{ named(3) if not name }}", "<b>1!</b>"),
        ("{% for name in 'ab' %}{{ named(name) }}{{ loop.index }}{% endfor %}", "<b>a!</b>1<b>b!</b>2"),
        ("{{ of_global() }}", "a &amp; b"),
        ("{% set site = 1 %}{{ of_global() }}{{ site }}", "a &amp; b1"),
        ("{{ boxed(1, 2, title='t') }}{% call boxed() %}{{ named(name) }}{% endcall %}", "[12t][<b>x!</b>]"),
        ("{{ boxed(*[1, 2], **{'title': name}) }}{{ dict(class=1)['class'] }}", "[12x]1"),
    ],
)  # fmt: skip
def test_macro_in_place_of_call_gives_its_html(body: str, html: str) -> None:
    assert render(body) == html


def test_parameter_of_host_hides_no_global_from_macros() -> None:
    assert render("{{ of_global() }}{{ site }}", "name, site=1") == "a &amp; b1"
