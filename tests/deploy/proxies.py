"""nginx and Caddy of the system, run with the files of deploy/ in front of a site, without any rights of root."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path

from tests.deploy.visitor import HOST, Visitor
from tests.helpers import needs, until
from tests.machines import free_ports

DEPLOY = Path(__file__).parents[2] / "deploy"

#: What nginx needs around a site, without the places that only root may write to.
NGINX = """\
daemon off;
pid {folder}/pid;
error_log {folder}/log;
events {{}}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include voteweb.conf;
}}
"""
CADDY = """\
{{
	admin off
	http_port {http}
	https_port {https}
	default_bind 127.0.0.1
	skip_install_trust
}}
"""


def program(name: str) -> str:
    """Return the path of *name*, which may be where only root's shell looks."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    needs(path, f"{name} on PATH")
    assert path
    return path


def swapped(text: str, swaps: dict[str, str]) -> str:
    """Return *text* with other words in it; fail where it has not the words that are to be replaced."""
    for old, new in swaps.items():
        assert old in text, f"there is no {old!r} any more"
        text = text.replace(old, new)
    return text


def make_certificate(folder: Path) -> None:
    """Put a certificate of the site and its key into *folder*."""
    subject = ["-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
    files = ["-keyout", str(folder / "voteweb.key"), "-out", str(folder / "voteweb.crt")]
    words = [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject, *files]
    subprocess.run(words, check=True, capture_output=True)


class Proxy(ABC):
    """One of the two in front of the site at *site*, in a *folder* of its own, where its certificate is."""

    #: Seconds that it waits for an answer of the site.
    patience = 30
    #: Seconds that a visitor of Caddy waits for a site that is being restarted.
    wait = 1
    #: Where a second one listens on the same database.
    second = 0

    def __init__(self, folder: Path, site: int) -> None:
        self.folder, self.site = folder, site
        self.http, self.https = free_ports(2)
        self.certificate = folder / "voteweb.crt"
        self.process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def words(self) -> list[str]:
        """Write the files and return the command."""

    def start(self) -> None:
        words = self.words()
        nobody = pwd.getpwnam("nobody") if os.getuid() == 0 else None
        for each in (self.folder, *self.folder.iterdir()) if nobody else ():
            os.chown(each, nobody.pw_uid, nobody.pw_gid)
        rights = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []} if nobody else {}
        with (self.folder / "said").open("wb") as said:
            self.process = subprocess.Popen(
                words, cwd=self.folder, stdout=said, stderr=said, stdin=subprocess.DEVNULL,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder)}, **rights,  # type: ignore[call-overload]
            )  # fmt: skip
        until(self._listens, patience=30)

    def _listens(self) -> bool:
        assert self.process
        assert self.process.poll() is None, (self.folder / "said").read_text()
        with suppress(OSError):
            for port in (self.http, self.https):
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return True
        return False

    def stop(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)

    def visitor(self, number: int = 1) -> Visitor:
        """Return somebody at 127.0.0.<number> who asks by https."""
        return Visitor(self.https, self.certificate, number)


class Nginx(Proxy):
    def words(self) -> list[str]:
        listening = {f"    listen [::]:{port};\n": "" for port in ("80", "443 ssl http2")} | {
            "listen 80;": f"listen 127.0.0.1:{self.http};",
            "listen 443 ": f"listen 127.0.0.1:{self.https} ",
        }
        places = {"127.0.0.1:8000 ": f"127.0.0.1:{self.site} ", "/var/log/nginx": str(self.folder)}
        waits = {
            "proxy_read_timeout 30s;": f"proxy_read_timeout {self.patience}s;",
            "proxy_next_upstream_timeout 10s;": f"proxy_next_upstream_timeout {self.patience * 1000 // 3}ms;",
        }
        more = {"# server 127.0.0.1:8001 ": f"server 127.0.0.1:{self.second} "} if self.second else {}
        ours = swapped((DEPLOY / "nginx.conf").read_text(), listening | more | places | waits)
        (self.folder / "voteweb.conf").write_text(ours)
        (self.folder / "nginx.conf").write_text(NGINX.format(folder=self.folder))
        return [program("nginx"), "-e", str(self.folder / "log"), "-c", str(self.folder / "nginx.conf")]


class Caddy(Proxy):
    def words(self) -> list[str]:
        tls = f"tls {self.certificate} {self.folder / 'voteweb.key'}"
        swaps = {
            "\nnews.example {\n": f"\nnews.example {{\n\t{tls}\n",
            "127.0.0.1:8000 ": f"127.0.0.1:{self.site} ",
            "lb_try_duration 5s": f"lb_try_duration {self.wait}s",
            "response_header_timeout 30s": f"response_header_timeout {self.patience}s",
        }
        ours = CADDY.format(http=self.http, https=self.https) + swapped((DEPLOY / "Caddyfile").read_text(), swaps)
        file = self.folder / "Caddyfile"
        file.write_text(ours)
        return [program("caddy"), "run", "--adapter", "caddyfile", "--config", str(file)]
