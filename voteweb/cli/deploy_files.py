"""The files of deploy/ with the names of a site filled in: its host, port, folder, user and program."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from voteweb.cli.site import reachable_host
from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError
from voteweb.core.resources import checkout, resource_folder

#: Where the units of systemd, and the sites of Caddy and nginx, are on Debian.
UNITS = Path("/etc/systemd/system")
CADDY = Path("/etc/caddy")
NGINX = Path("/etc/nginx/conf.d")
#: A line of Caddy's or nginx' file that names processes of the site, and the address of one.
_FORWARDING = re.compile(r"^\s*(?:reverse_proxy|to|dynamic|server)[ \t]+([^{;\n]+)", re.MULTILINE)
#: What our file for nginx says of each process.
_PARAMETER = "max_fails=0"
_UPSTREAM = re.compile(r"(?:[\w.-]+|\[[0-9a-f:]+\]):[0-9]+")
#: What the services of a site may be called.
SERVICE_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")
#: The newest version of Caddy that needs "buffer_requests" instead of "request_buffers".
_OLD_CADDY = (2, 6, 3)
_BUILD = re.compile(r"^    build:\n(?:      .*\n)+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Deployment:
    """A site as a machine knows it; ``name`` is that of its services, ``host`` is public."""

    name: str
    folder: Path
    settings: Settings
    host: str
    user: str
    group: str
    program: Path

    @property
    def data(self) -> Path:
        """The folder of its data, which may be outside its own."""
        return (self.folder / self.settings.data_dir).resolve()

    @property
    def certificates(self) -> Path:
        """The folder in which certbot keeps its certificate."""
        return Path("/etc/letsencrypt/live") / self.host

    @property
    def challenges(self) -> Path:
        """The folder of the answers to a certificate authority."""
        return Path("/var/www") / self.name


class DeployFile(NamedTuple):
    """A file, and where it belongs."""

    path: Path
    text: str


def systemd_files(site: Deployment) -> list[DeployFile]:
    """Return the units of the site, its backup and, for another web server, its jobs."""
    writable = f"ReadWritePaths={site.folder}"
    if not site.data.is_relative_to(site.folder):
        writable += f" {site.data}"
    values = {
        "/opt/voteweb/bin/voteweb": str(site.program),
        "ReadWritePaths=/var/lib/voteweb": writable,
        "/var/lib/voteweb": str(site.folder),
        "User=voteweb": f"User={site.user}",
        "Group=voteweb": f"Group={site.group}",
    } | {
        # The names of units, and of the site in descriptions and comments.
        text: text.replace("voteweb", site.name)
        for text in (
            *("voteweb.service", "voteweb@", "voteweb-backup", "voteweb-jobs", "systemctl edit voteweb"),
            *("Description=voteweb", "of voteweb\n"),
        )
    }
    folder = resource_folder("deploy") / "systemd"
    return [
        DeployFile(UNITS / file.name.replace("voteweb", site.name), fill(file.read_text("utf-8"), values))
        for file in sorted(folder.iterdir())
    ]


def proxy_file(kind: str, name: str) -> Path:
    """Return where the proxy "caddy" or "nginx" reads about the site whose services have this *name*."""
    return CADDY / "sites" / f"{name}.caddy" if kind == "caddy" else NGINX / f"{name}.conf"


def upstreams(site: Deployment, ports: Sequence[int], former: str) -> list[str]:
    """Return the addresses of the site's processes: its own, and those at *ports*.

    Without *ports*, the further ones are those of *former*, the text of the proxy's file so far: all but the first,
    which was the site's own, unless its own stands elsewhere among them. Raises ConfigError if *former* says more of
    them than their addresses.
    """
    host, port = reachable_host(site.settings.host), site.settings.port
    host = f"[{host}]" if ":" in host else host
    own = f"{host}:{port}"
    if ports:
        return list(dict.fromkeys([own, *(f"{host}:{port}" for port in ports)]))
    named = [word for line in _FORWARDING.findall(former) for word in line.split() if word != _PARAMETER]
    unknown = [word for word in named if not _UPSTREAM.fullmatch(word)]
    if unknown:
        raise ConfigError(
            "The proxy's file so far names processes of the site with %(words)s, which a new one would not have. Write "
            'each process there as HOST:PORT and nothing else, or name those that are to stay with "--upstream PORT".',
            words=", ".join(unknown),
        )
    kept = named if own in named else named[1:]
    return list(dict.fromkeys([own, *kept]))


def caddy_files(site: Deployment, upstreams: Sequence[str], version: tuple[int, ...]) -> list[DeployFile]:
    """Return the site's file for this *version* of Caddy; an empty one stands for the newest."""
    return [DeployFile(proxy_file("caddy", site.name), _caddyfile(site, upstreams, version))]


def _caddyfile(site: Deployment, upstreams: Sequence[str], version: tuple[int, ...]) -> str:
    values = {"news.example": site.host, "127.0.0.1:8000": " ".join(upstreams)}
    if not version or version > _OLD_CADDY:
        values |= {"\t\t# Since Caddy 2.6.4: request_buffers 300KB\n": "", "buffer_requests": "request_buffers 300KB"}
    return fill(_read("Caddyfile"), values)


def nginx_files(site: Deployment, upstreams: Sequence[str]) -> list[DeployFile]:
    """Return the file of port 80, and that of https, which needs the certificate."""
    server = f"    server 127.0.0.1:8000 {_PARAMETER};\n"
    values = {
        "news.example": site.host,
        server: "".join(server.replace("127.0.0.1:8000", upstream) for upstream in upstreams),
        "ssl_certificate voteweb.crt": f"ssl_certificate {site.certificates}/fullchain.pem",
        "ssl_certificate_key voteweb.key": f"ssl_certificate_key {site.certificates}/privkey.pem",
        "/var/www/voteweb": str(site.challenges),
        "/var/log/nginx/voteweb.log": f"/var/log/nginx/{site.name}.log",
    }
    variable = site.name.replace("-", "_")
    for text in ("log_format voteweb", " voteweb;", "upstream voteweb", "http://voteweb", "$voteweb", "shared:voteweb"):
        values[text] = text.replace("voteweb", variable)
    names = {"nginx-http.conf": f"{site.name}-http", "nginx.conf": site.name}
    return [DeployFile(proxy_file("nginx", name), fill(_read(file), values)) for file, name in names.items()]


def compose_files(site: Deployment) -> list[DeployFile]:
    """Return the files for Compose; outside of a checkout the image is not built but must be there."""
    root = checkout()
    values = {
        "--project-name voteweb": f"--project-name {site.name}",
        "127.0.0.1:8000:": f"127.0.0.1:{site.settings.port}:",
    }
    compose = fill(_read("compose.yaml"), values | ({"context: ..": f"context: {root}"} if root else {}))
    return [
        DeployFile(site.folder / "compose.yaml", compose if root else _BUILD.sub("", compose)),
        DeployFile(site.folder / "Caddyfile", _caddyfile(site, ["site:8000"], ())),
        DeployFile(site.folder / "redis" / "redis.conf", _read("redis/redis.conf")),
    ]


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return *text* with every key of *values* replaced, the longest that fits first; nothing is replaced twice."""
    keys = sorted(values, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, keys)), lambda match: values[match[0]], text)


def _read(name: str) -> str:
    return (resource_folder("deploy") / name).read_text("utf-8")
