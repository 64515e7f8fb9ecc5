"""Texts that look like markup, and the check that a page shows them as text."""

import re

from tests.web.dom import Element

#: Markup, placeholders and quotes in one line.
HOSTILE = "<b>&amp;</b> \"quotes\" 'too' {{ 7*7 }} %(x)s"
#: Markup that would end the element or attribute it is put into.
EVIL = "\"'></title></textarea><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}"
#: The attributes that pages of the site have.
_ATTRIBUTES = set(
    """name content charset lang class id href rel type src role datetime title tabindex dir action method value form
    formaction list autocomplete placeholder scope start open for property alt width height hidden hreflang novalidate
    data-short maxlength minlength min max required rows checked inputmode autocapitalize spellcheck target
    aria-label aria-labelledby aria-live aria-current aria-pressed aria-hidden aria-describedby aria-invalid
    data-votes data-status data-counted data-taken data-shortcuts data-draft data-reply
    data-save data-unsave data-unhide data-cancel data-message data-moderate data-failed data-part
    data-row data-shown data-sort data-ask data-theme data-offline data-posting autofocus formnovalidate""".split()
)


def assert_harmless(page: Element, schemes: tuple[str, ...] = ()) -> None:
    """Fail if *page* has any element, attribute or URL that the site itself does not write.

    *schemes* are those that its URLs may have besides http and https.
    """
    data = ("application/ld+json", "text/html")
    loaded = [script for script in page.all("script") if script.attrs.get("type") not in data]
    assert loaded
    for script in loaded:
        assert re.fullmatch(r"/static/[a-z]+\.js\?v=[0-9a-f]+", script["src"])
    for element in page:
        assert element.tag not in ("iframe", "style", "object", "embed", "svg", "base")
        if element.tag == "img":
            assert element["src"].startswith("/static/icon.svg?v=")
        assert set(element.attrs) <= _ATTRIBUTES, element.attrs
        for name in ("href", "action", "formaction"):
            assert element.attrs.get(name, "/").startswith(("/", "#", "http://", "https://", *schemes)), element.attrs
            assert not element.attrs.get(name, "/").startswith("//"), element.attrs
        if element.tag in ("form", "button"):
            assert "evil" not in element.attrs.get("action", "") + element.attrs.get("formaction", "")
