"""The system's nginx and Caddy before a site, without root's rights: the files of deploy/, with the ports replaced."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.certificates import Authority
from tests.deploy.files import example, with_replacements
from tests.helpers import free_ports, needs, short_folder, until
from tests.visitor import Visitor

HOST = "news.example"

#: The configuration around that of the site, with folders that not only root may write to; for Caddy in its global
#: options.
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
    include voteweb-*.conf;
}}
"""
CADDY = """\
	admin off
	http_port {http}
	https_port {https}
	default_bind 127.0.0.1
	skip_install_trust
"""


def find_program(name: str) -> str:
    """Return the path of *name*, which may be on root's PATH only."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    needs(path, f"{name} on PATH")
    assert path
    return path


class Proxy(ABC):
    """A reverse proxy before the site at the port *site*, with its files and a certificate in *folder*."""

    #: Seconds that it waits for an answer of the site.
    answer_timeout = 30
    #: Seconds for which Caddy tries to reach a site that is being restarted.
    retry_seconds = 1
    #: The port of a second site on the same database, if there is one.
    second_site = 0
    #: The addresses of the machines of the two sites.
    addresses = ("127.0.0.1", "127.0.0.1")

    def __init__(self, folder: Path, site: int) -> None:
        self.folder, self.site = folder, site
        self.http, self.https = free_ports(2)
        authority = Authority(folder)
        self.certificate, self.trusted = authority.issue("voteweb", f"DNS:{HOST}"), authority.file
        self.process: subprocess.Popen[bytes] | None = None

    def sites(self) -> list[str]:
        """Return the address and port of each site."""
        ports = [self.site, self.second_site] if self.second_site else [self.site]
        return [f"{address}:{port}" for address, port in zip(self.addresses, ports, strict=False)]

    @abstractmethod
    def command(self) -> list[str]:
        """Write the configuration and return the command that starts the proxy."""

    def start(self) -> None:
        command = self.command()
        rights = self._give_up_root() if os.getuid() == 0 else {}
        with (self.folder / "output").open("wb") as output:
            self.process = subprocess.Popen(
                command, cwd=self.folder, stdout=output, stderr=output, stdin=subprocess.DEVNULL,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder)}, **rights,
            )  # fmt: skip
        until(self._is_listening)

    def _give_up_root(self) -> dict[str, Any]:
        """Give the folder to the user nobody; return the options that start a process as that user."""
        nobody = pwd.getpwnam("nobody")
        for path in (self.folder, *self.folder.iterdir()):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
        return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}

    def _is_listening(self) -> bool:
        assert self.process
        assert self.process.poll() is None, (self.folder / "output").read_text()
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
        """Return a visitor at 127.0.0.<number> who asks by https."""
        needs(number == 1 or sys.platform == "linux", "Linux, where all of 127.0.0.0/8 is this machine")
        source = f"127.0.0.{number}"
        return Visitor(("127.0.0.1", self.https), host=HOST, certificate=self.trusted, source=source)


class Nginx(Proxy):
    #: Whether it keeps readers' pages, and replacements that make its file a wrong one.
    cache = False
    wrong: Mapping[str, str] = MappingProxyType({})

    def command(self) -> list[str]:
        port_80 = {"    listen [::]:80;\n": "", "listen 80;": f"listen 127.0.0.1:{self.http};"}
        replacements = {
            "    listen [::]:443 ssl http2;\n": "",
            "listen 443 ": f"listen 127.0.0.1:{self.https} ",
            "server 127.0.0.1:8000 max_fails=0;": " ".join(f"server {site} max_fails=0;" for site in self.sites()),
            "/var/log/nginx": str(self.folder),
            f"/etc/letsencrypt/live/{HOST}/fullchain.pem": "voteweb.crt",
            f"/etc/letsencrypt/live/{HOST}/privkey.pem": "voteweb.key",
            "proxy_read_timeout 30s;": f"proxy_read_timeout {self.answer_timeout}s;",
            "proxy_next_upstream_timeout 10s;": f"proxy_next_upstream_timeout {self.answer_timeout * 1000 // 3}ms;",
            **({"/var/cache/nginx-voteweb": f"{self.folder}/pages"} if self.cache else {}),
            **self.wrong,
        }
        for name, changes in (("nginx-http.conf", port_80), ("nginx.conf", replacements)):
            (self.folder / f"voteweb-{name}").write_text(with_replacements(example(name, cache=self.cache), changes))
        (self.folder / "nginx.conf").write_text(NGINX.format(folder=self.folder))
        return [find_program("nginx"), "-e", str(self.folder / "log"), "-c", str(self.folder / "nginx.conf")]


class Caddy(Proxy):
    def command(self) -> list[str]:
        tls = "tls {} {}".format(*self.certificate)
        replacements = {
            "\tservers {\n": CADDY.format(http=self.http, https=self.https) + "\tservers {\n",
            "\nnews.example {\n": f"\nnews.example {{\n\t{tls}\n",
            "127.0.0.1:8000 ": f"{' '.join(self.sites())} ",
            "lb_try_duration 5s": f"lb_try_duration {self.retry_seconds}s",
            "response_header_timeout 30s": f"response_header_timeout {self.answer_timeout}s",
        }
        site = with_replacements(example("Caddyfile"), replacements)
        file = self.folder / "Caddyfile"
        file.write_text(site)
        return [find_program("caddy"), "run", "--adapter", "caddyfile", "--config", str(file)]


@contextmanager
def proxy_before(kind: type[Proxy], site: int, **attributes: Any) -> Iterator[Proxy]:
    """Yield a running proxy before the port *site*, with some *attributes* of its class."""
    with short_folder() as folder:
        proxy = kind(folder, site)
        vars(proxy).update(attributes)
        try:
            proxy.start()
            yield proxy
        finally:
            proxy.stop()
