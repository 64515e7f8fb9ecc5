"""Names of hosts become what browsers resolve, or are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voteweb.core.links import ascii_host


@pytest.mark.parametrize(
    ("host", "resolved"),
    [
        ("example.com", "example.com"),
        ("EXAMPLE.COM.", "example.com."),
        ("xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("a_b.example", "a_b.example"),
        ("bücher.de", "xn--bcher-kva.de"),
        ("BU\u0308CHER.de", "xn--bcher-kva.de"),
        # Of 2003, and another site's, would be strasse.de and the last letter of the others.
        ("straße.de", "xn--strae-oqa.de"),
        ("FAẞ.de", "xn--fa-hia.de"),
        ("σίσυφος.gr", "xn--kxa6ajbbmh.gr"),
        ("ΣΊΣΥΦΟΣ.gr", "xn--kxa6akbbkh.gr"),
        ("ｅｘａｍｐｌｅ．com", "example.com"),
        ("例え。jp", "xn--r8jz45g.jp"),
        ("ПРИМЕР.рф", "xn--e1afmkfd.xn--p1ai"),
        ("हिन्दी.in", "xn--j2bd4cyah0f.in"),
        ("Ꭰ.example", "xn--58d.example"),  # a capital that the codec of 2003 does not know
        ("💩.la", "xn--ls8h.la"),
    ],
)
def test_a_name_is_spelled_as_browsers_do(host: str, resolved: str) -> None:
    assert ascii_host(host) == resolved


@pytest.mark.parametrize(
    "host",
    [
        *("", ".", "a..b", "a b", "a/b", "a\\b", "a:b", "a@b", "a%b", "<b>", "x" * 64, "ü" * 60),
        *("a\u2044\u0000b", "a\u200bb", "a\u202eb", "a\u00a0b", "a\u3164b", "\u0301a", "\ud800"),
    ],
)
def test_what_no_browser_resolves_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match="no host's name"):
        ascii_host(host)


@given(st.text(max_size=30))
def test_whatever_is_typed_gives_a_plain_name_or_a_refusal(host: str) -> None:
    try:
        found = ascii_host(host)
    except ValueError:
        return
    assert found.isascii()
    assert found == ascii_host(found), "and that name stands for itself"
