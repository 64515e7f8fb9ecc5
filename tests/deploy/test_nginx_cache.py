"""Pages that nginx keeps for readers of two servers: nobody gets the page of a member, or one in another language."""

import gzip
import random
import re
import ssl
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPSConnection
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

from tests.conftest import private_server
from tests.deploy.conftest import SETTINGS
from tests.deploy.proxies import HOST, Nginx, Proxy, proxy_before
from tests.helpers import free_ports, until
from tests.site_process import SiteProcess
from tests.storm import Storm

pytestmark = pytest.mark.heavy

MEMBERS, THREADS = ("ann", "bob", "cat", "dan", "eve", "fay"), 4
#: Requests of a storm in the gate; 17,000 take two minutes.
REQUESTS = 800
PATHS = ("/", "/new", "/a/1", "/a/2", "/a/3", "/groups", "/about", "/u/ann", "/login", "/feed.atom", "/nowhere")
COOKIE = "__Host-voteweb"
#: Values of Accept-Language, with the language of the page.
LANGUAGES = {
    "en": "en", "zh-CN, en;q=0.5": "zh-Hans", "de, ZH-tw;q=0.8,en;q=0.5": "zh-Hans", "en-GB,zh": "en", "enm, zho": "en",
    "": "en", "fr;q=0.9 ,  zh_TW": "zh-Hans",
}  # fmt: skip
_NAME = re.compile(r'class="own-name"[^>]*>([^<]*)<')
_TOKEN = re.compile(r'name="csrf_token"[^>]* value="([^".]+)')
_LANGUAGE = re.compile(r'<html lang="([^"]+)"')


class Request(NamedTuple):
    """A request of the member *name*, or of a reader, with the language that the page must have."""

    path: str
    method: str
    name: str
    headers: dict[str, str]
    language: str


class Mixing(Storm):
    """Members and readers who ask for the same pages at once; ``wrong`` counts what they must not get."""

    def __init__(self, proxy: Proxy, sessions: Mapping[str, str], requests: int) -> None:
        super().__init__(THREADS)
        self.wrong, self.statuses = Counter[str](), Counter[int]()
        self._proxy, self._sessions, self._left = proxy, sessions, requests
        self._context = ssl.create_default_context(cafile=str(proxy.trusted))
        self._context.check_hostname = False  # the connection is to this machine
        self._owners: dict[str, str] = {}

    def act(self, number: int) -> None:
        chance = random.Random(number)
        with closing(HTTPSConnection("127.0.0.1", self._proxy.https, context=self._context, timeout=60)) as connection:
            while not self.is_stopped and self._left > 0:
                self._left -= 1
                request = self._request(chance)
                connection.request(request.method, request.path, headers={"Host": HOST, **request.headers})
                answer = connection.getresponse()
                body = answer.read()
                with self.lock:
                    self.statuses[answer.status] += 1
                    if answer.status != 303:
                        self.wrong.update(self._faults(request, answer.headers, body))

    def finish(self) -> None:
        """Run until all requests are sent."""
        self.start()
        until(lambda: self._left <= 0, patience=600)
        self.stop()

    def _request(self, chance: random.Random) -> Request:
        accepted, language = chance.choice(list(LANGUAGES.items()))
        headers = {"Accept-Language": accepted} if accepted else {}
        if chance.random() < 0.5:
            headers["Accept-Encoding"] = chance.choice(("gzip, br", "GZIP", "br", "gzip;q=0", "gzip;q=0.0, br"))
        cookies = ["seen=1"] if chance.random() < 0.3 else []
        if chance.random() < 0.3:
            cookies.append(f"language={chance.choice(('zh', 'en', 'fr'))}")
            language = {"zh": "zh-Hans", "en": "en", "fr": language}[cookies[-1].partition("=")[2]]
        name = chance.choice(["", "", *self._sessions])
        if name:
            cookies.insert(chance.randrange(len(cookies) + 1), f"{COOKIE}={self._sessions[name]}")
        elif chance.random() < 0.2:
            cookies.append(chance.choice((f"{COOKIE}=", f"{COOKIE}=forged", f"{COOKIE} = x", f"x{COOKIE}=y", COOKIE)))
        method = "HEAD" if chance.random() < 0.1 else "GET"
        headers |= {"Cookie": "; ".join(cookies)} if cookies else {}
        return Request(chance.choice(PATHS), method, name, headers, language)

    def _faults(self, request: Request, headers: Mapping[str, str], body: bytes) -> Iterator[str]:
        is_compressed = headers.get("Content-Encoding") == "gzip"
        accepted = request.headers.get("Accept-Encoding", "").lower()
        if is_compressed and (not accepted.startswith("gzip") or "q=0" in accepted):
            yield "encoding"
        html = (gzip.decompress(body) if is_compressed and body else body).decode()
        control = headers.get("Cache-Control", "")
        if request.path == "/feed.atom":
            if "Set-Cookie" in headers or not control.startswith("public"):
                yield "feed"
            return
        if headers.get("Content-Language") != request.language:
            yield "language"
        if request.name and control != "private, no-store":
            yield "a member's page may be kept"
        if not request.name and "Set-Cookie" in headers and "no-store" not in control:
            yield "a reader's cookie may be kept"
        if request.method == "HEAD":
            return
        if _LANGUAGE.findall(html) != [request.language]:
            yield "language"
        if _NAME.findall(html) != ([request.name] if request.name else []):
            yield "name"
        for token in set(_TOKEN.findall(html)):
            owner = request.name or f"a reader's request {sum(self.statuses.values())}"
            if self._owners.setdefault(token, owner) != owner:
                yield "token"


class Site(NamedTuple):
    """Two servers of one site, and the values of its members' session cookies by name."""

    ports: list[int]
    sessions: dict[str, str]

    @contextmanager
    def nginx(self, wrong: Mapping[str, str] = MappingProxyType({})) -> Iterator[Proxy]:
        """Yield nginx, with its cache, before both servers; its file is *wrong*."""
        with proxy_before(Nginx, self.ports[0], second_site=self.ports[1], cache=True, wrong=wrong) as proxy:
            yield proxy


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """The site, on which members have posted articles."""
    with private_server("valkey") as url, ExitStack() as stack:
        site = Site(free_ports(2), {})
        for port in site.ports:
            server = SiteProcess("--port", str(port), VOTEWEB_REDIS_URL=url, **SETTINGS, VOTEWEB_LIMITS="0")
            stack.callback(server.kill)
        with site.nginx() as proxy:
            for name in MEMBERS:
                visitor = proxy.visitor()
                assert visitor.sign_up(name).status == 303
                assert visitor.submit("/submit", {"title": f"A story of {name}", "text": "Words."}).status == 303
                site.sessions[name] = visitor.cookie.partition(f"{COOKIE}=")[2].partition(";")[0]
        yield site


#: Wrong files, by what visitors get of them. Without the site's own Cache-Control, nginx keeps what it must not.
KEPT = {
    "proxy_cache_bypass $voteweb_session $http_authorization $arg_q;": "",
    "proxy_no_cache $voteweb_session $http_authorization $arg_q;": "",
    "proxy_set_header Cookie $voteweb_cookie;": "proxy_set_header Cookie $http_cookie;",
    "proxy_ignore_headers Vary;": "proxy_ignore_headers Vary Cache-Control Set-Cookie; proxy_cache_valid 200 1s;",
}
WRONG: dict[str, tuple[dict[str, str], set[str]]] = {
    "right": ({}, set()),
    "everything is kept": (KEPT, {"name", "token"}),
    "another session cookie": ({f"{COOKIE}\\s*=": "voteweb\\s*="}, {"name"}),
    "no language in the key": ({"$host$request_uri $voteweb_language ": "$host$request_uri "}, {"language"}),
    "no encoding in the key": ({"$voteweb_language $voteweb_encoding": "$voteweb_language"}, {"encoding"}),
}


@pytest.mark.parametrize(("wrong", "faults"), WRONG.values(), ids=WRONG)
def test_nobody_gets_the_page_of_another(wrong: dict[str, str], faults: set[str], site: Site) -> None:
    with site.nginx(wrong) as proxy:
        storm = Mixing(proxy, site.sessions, REQUESTS)
        storm.finish()
        assert storm.statuses.keys() <= {200, 303, 404}
        assert set(storm.wrong) >= faults
        if not faults:
            assert not storm.wrong
            assert {"HIT", "MISS", "BYPASS"} <= set((proxy.folder / "voteweb.log").read_text().split())


def test_what_is_deleted_is_gone_from_kept_pages(site: Site) -> None:
    with site.nginx() as proxy:
        author, reader = proxy.visitor(), proxy.visitor()
        author.sign_up("gil")
        place = (
            author.submit("/submit", {"title": "Regretted words", "text": "Words."})
            .headers["Location"]
            .partition("?")[0]
        )
        until(lambda: "Regretted words" in reader.get("/new").body)
        token = author.log_out_form()["csrf_token"]
        assert author.request("POST", f"{place}/delete", urlencode({"csrf_token": token})).status == 303
        for path in ("/new", "/feed.atom", "/new.atom"):
            until(lambda path=path: "Regretted words" not in reader.get(path).body)
