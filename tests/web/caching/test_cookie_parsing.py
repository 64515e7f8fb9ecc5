"""Cookies as the page cache reads them: never otherwise than the app behind it."""

from hypothesis import example, given
from hypothesis import strategies as st
from werkzeug.test import Client, create_environ, run_wsgi_app
from werkzeug.wrappers import Request, Response

from tests.web.caching.conftest import CountingApp
from voteweb.web.caching.page_cache import PageCache
from voteweb.web.i18n import locale

SESSION_COOKIE = "voteweb"
#: Pieces of headers around which parsers differ: blanks, quotes, empty names, bytes that are no UTF-8.
PIECES = st.sampled_from(
    [SESSION_COOKIE, "language", "zh", "en", "=", ";", ",", " ", "\t", '"', "\\", "\\075", "é", "\x80", "\xff"]
)


def personal_page(request: Request) -> Response:
    """Answer with all that a page of the site can take from cookies."""
    language = locale.negotiate(request.cookies.get(locale.COOKIE, ""), "")
    return Response(repr((request.cookies.get(SESSION_COOKIE), language.code)))


@given(header=st.lists(PIECES, max_size=12).map("".join))
@example(header="voteweb =stolen")
@example(header="voteweb=stolen; language=zh")
@example(header="language =zh")
@example(header="language=\xff")
def test_any_cookies_get_the_page_the_app_would_send(header: str) -> None:
    app = CountingApp()
    app.views["/"] = personal_page
    cache = PageCache(app, 60.0, SESSION_COOKIE)
    client = Client(cache, use_cookies=False)
    client.get("/")
    environ = create_environ("/", headers=[("Cookie", header)])
    answers = ["".join(part.decode() for part in run_wsgi_app(wsgi, dict(environ))[0]) for wsgi in (cache, app)]
    assert answers[0] == answers[1]
    assert "stolen" not in client.get("/").text
