"""``voteweb deploy``: print or install the files with which a machine runs a site, with its names filled in."""

import grp
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import voteweb
from voteweb.cli.environment import FILE_NAME, account_of, become_owner, find_file, read_file
from voteweb.cli.output import warn
from voteweb.cli.site import reachable_place
from voteweb.core import links
from voteweb.core.errors import ConfigError
from voteweb.core.resources import checkout, resource_folder
from voteweb.core.settings import Settings, from_env
from voteweb.core.version import read_commit
from voteweb.web.auth.sessions import cookie_name
from voteweb.web.i18n import locale

#: Where the units of systemd, and the sites of Caddy and nginx, are on Debian.
UNITS = Path("/etc/systemd/system")
CADDY = Path("/etc/caddy")
NGINX = Path("/etc/nginx/conf.d")
#: A line of Caddy's or nginx' file that names processes of the site, and the address of one.
_FORWARDING = re.compile(r"^\s*(?:reverse_proxy|to|dynamic|server)[ \t]+([^{;\n]+)", re.MULTILINE)
#: The options of each process in our file for nginx.
_PARAMETER = "max_fails=0"
_UPSTREAM = re.compile(r"(?:[\w.-]+|\[[0-9a-f:]+\]):[0-9]+")
#: The names that services of a site may have.
SERVICE_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")
#: The image of this version: tags have no "+".
IMAGE = f"voteweb:{voteweb.__version__.replace('+', '-')}"
#: The newest version of Caddy that needs "buffer_requests" instead of "request_buffers".
_OLD_CADDY = (2, 6, 3)


@dataclass(frozen=True, slots=True)
class Deployment:
    """A site as the templates of deploy/ know it; ``name`` is that of its services, ``host`` is public."""

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
    def writable(self) -> str:
        """The folders to which its services write."""
        return str(self.folder) if self.data.is_relative_to(self.folder) else f"{self.folder} {self.data}"

    @property
    def identifier(self) -> str:
        """The name of its variables, logs and upstreams in nginx."""
        return self.name.replace("-", "_")

    @property
    def certificates(self) -> Path:
        """The folder in which certbot keeps its certificate."""
        return Path("/etc/letsencrypt/live") / self.host

    @property
    def challenges(self) -> Path:
        """The folder of the answers to a certificate authority."""
        return Path("/var/www") / self.name


def fill(template: str, site: Deployment, **values: object) -> str:
    """Return the text of a *template* in deploy/ for *site*, with further *values*."""
    environment = Environment(  # nosec B701  # noqa: S701 - no file is HTML
        loader=FileSystemLoader(resource_folder("deploy")),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(site=site, **values)


def templates(kind: str, site: Deployment) -> dict[Path, str]:
    """Return the templates of a *kind* by the paths of the files that are made of them.

    The last one of a proxy names the site's processes.
    """
    name = site.name
    if kind == "systemd":
        units = sorted(file.name for file in (resource_folder("deploy") / "systemd").iterdir())
        return {UNITS / unit.replace("voteweb", name): f"systemd/{unit}" for unit in units}
    if kind == "caddy":
        return {CADDY / "sites" / f"{name}.caddy": "Caddyfile"}
    if kind == "nginx":
        return {NGINX / f"{name}-http.conf": "nginx-http.conf", NGINX / f"{name}.conf": "nginx.conf"}
    return {site.folder / template: template for template in ("compose.yaml", "Caddyfile", "redis/redis.conf")}


def upstreams(site: Deployment, ports: Sequence[int], former: str) -> list[str]:
    """Return the addresses of the site's processes: its own, and those at *ports*.

    Without *ports*, the further ones are those of *former*, the text of the proxy's file so far: all but the first,
    which was the site's own, unless its own stands elsewhere among them. Raises ConfigError if *former* says more of
    them than their addresses.
    """
    own, *further = (reachable_place(site.settings.host, port) for port in (site.settings.port, *ports))
    if not ports:
        named = [word for line in _FORWARDING.findall(former) for word in line.split() if word != _PARAMETER]
        unknown = [word for word in named if not _UPSTREAM.fullmatch(word)]
        if unknown:
            raise ConfigError(
                "The proxy's file so far names processes of the site with %(words)s, which a new one would not have. "
                "Write each process there as HOST:PORT and nothing else, or name those that are to stay with "
                '"--upstream PORT".',
                words=", ".join(unknown),
            )
        further = named if own in named else named[1:]
    return list(dict.fromkeys([own, *further]))


#: Texts that systemd, Caddy, nginx and Compose read in the same way without quotes.
_PLAIN = re.compile(r"[A-Za-z0-9/._+@-]+")
#: Folders that the units hide from a service.
_HIDDEN = ("/home", "/root", "/run/user", "/tmp", "/var/tmp")  # nosec B108  # noqa: S108 - nothing is written there
#: An address to listen at: it becomes a part of the files of a proxy, which root reads.
_HOST = re.compile(r"[A-Za-z0-9.:-]+")
_IMPORT = "import sites/*.caddy"
#: The lines of the file that comes with Caddy, without comments: no site of the operator's is in it.
_WELCOME = [":80 {", "root * /usr/share/caddy", "file_server", "}"]
_PROXIES = ("caddy", "nginx")


@click.command()
@click.argument("kind", type=click.Choice(("systemd", "caddy", "nginx", "compose")))
@click.option("--install", is_flag=True, help="Write the files; a former file is kept as FILE.old.")
@click.option(
    "--upstream", "ports", metavar="PORT", type=click.IntRange(1, 65_535), multiple=True,
    help="Port of a further process of the site, for caddy and nginx; repeatable  [default: those of the file so far]",
)  # fmt: skip
@click.option(
    "--cache/--no-cache", default=None,
    help="Let nginx keep readers' pages for a second  [default: as in the file so far]",
)  # fmt: skip
@click.option("--name", default="voteweb", show_default=True, help="Name of the site's services and files.")
@click.option("--root", type=click.Path(path_type=Path), default="/", help="Write below this folder instead of /.")
@click.pass_context
def deploy(
    context: click.Context, kind: str, install: bool, ports: tuple[int, ...], cache: bool | None, name: str, root: Path
) -> None:
    """Print the files with which this machine runs the site as a service, or behind a proxy.

    systemd: units for the site and its backups. caddy, nginx: the proxy. compose: all of it in containers.
    """
    if not SERVICE_NAME.fullmatch(name):
        raise click.UsageError("--name may have small letters, digits and hyphens, and begins with a letter.")
    if ports and kind not in _PROXIES:
        raise click.UsageError("--upstream is for caddy and nginx.")
    if cache is not None and kind != "nginx":
        raise click.UsageError("--cache is for nginx.")
    site = _deployment(context.find_root().params.get("site"), name)
    for warning in site.settings.warnings():
        warn(warning)
    if kind == "systemd":
        _refuse_hidden(site)
    places = templates(kind, site)
    addresses = ["site:8000"]  # by its name in compose.yaml
    if kind in _PROXIES:
        former = _text(_below(root, list(places)[-1]))
        addresses = upstreams(site, ports, former)
        cache = "proxy_cache_path " in former if cache is None else cache
    # Outside of a checkout the image is not built by Compose, but must be there.
    values = {
        "upstreams": addresses, "is_old_caddy": kind == "caddy" and _is_old_caddy(), "is_whole": kind == "compose",
        "checkout": checkout(), "commit": read_commit(), "image": IMAGE,
        "cache": cache, "language_cookie": locale.COOKIE, "languages": list(locale.LANGUAGES),
        "session_cookie": cookie_name(site.settings),
    }  # fmt: skip
    files = {path: fill(template, site, **values) for path, template in places.items()}
    if not install:
        click.echo("\n".join(f"# ----- {path}\n{text}" for path, text in files.items()), nl=False)
        return
    if kind != "compose":
        _refuse_name_of_another(site, root)
    elif (folder := _below(root, site.folder)).exists():
        become_owner(folder)  # who owns the folder could put links in place of the files
    os.umask(0o022)  # the proxies, which run as other users, read the files
    options = "".join(f" --upstream {port}" for port in ports) + (" --cache" if cache else "")
    steps = _prepare(kind, site, files, options, root)
    for path, text in files.items():
        _install(_below(root, path), text)
    if kind in _PROXIES:
        click.echo(f"The proxy forwards to {', '.join(addresses)}.")
    click.echo("Next:\n" + "\n".join(f"  {step}" for step in steps))


def _prepare(kind: str, site: Deployment, files: dict[Path, str], options: str, root: Path) -> list[str]:
    """Change *files* by what is below *root*, and return the commands that put them, with their *options*, into use."""
    name = site.name
    if kind == "systemd":
        return [f"systemctl daemon-reload && systemctl enable --now {name} {name}-backup.timer"]
    if kind == "caddy":
        path, steps = CADDY / "Caddyfile", ["systemctl reload caddy"]
        main = _text(_below(root, path))
        lines = [line.strip() for line in main.splitlines()]
        if _IMPORT not in lines:
            main = f"{main.rstrip()}\n\n{_IMPORT}\n".lstrip()
        if [line for line in lines if line and line[0] != "#" and line != _IMPORT] in ([], _WELCOME):
            main = f"{fill('global.caddy', site, is_old_caddy=_is_old_caddy())}\n{main}"
        elif "read_body" not in main:  # other sites may take large files from slow visitors
            steps.insert(0, f'Bound the time of requests in {path}: see "Behind a proxy" in docs/operations.md.')
        files[path] = main
        return steps
    if kind == "nginx":
        steps = ["nginx -t && systemctl reload nginx"]
        _below(root, site.challenges).mkdir(parents=True, exist_ok=True)
        if not _below(root, site.certificates / "fullchain.pem").exists():
            files.popitem()  # the file of https, which needs the certificate
            certbot = f"certbot certonly --webroot --webroot-path {site.challenges} --domain {site.host}"
            again = f"voteweb --site {site.folder} deploy nginx --install --name {name}{options}"
            steps += [f'{certbot} --deploy-hook "systemctl reload nginx"', again]
        return steps
    build = [] if checkout() else [f"docker build --file deploy/Dockerfile --tag {IMAGE} .  (in a checkout)"]
    start = f"cd {site.folder} && docker compose --project-name {name} up --build --detach"
    # Its database is another one than that in which "voteweb init" has made the first admin.
    admin = f"docker compose --project-name {name} exec site voteweb user create NAME --role admin"
    return [*build, start, f"{admin}  (its database is new, and has no admin yet)"]


def _deployment(folder: Path | None, name: str) -> Deployment:
    """Return the site in *folder*, or the one that other commands would find; raise ConfigError."""
    file = folder / FILE_NAME if folder else find_file()
    if file is None or not file.exists():
        raise ConfigError(
            'There is no %(file)s here. Make a site with "voteweb init DIR", or name its folder: "voteweb --site DIR '
            'deploy …".',
            file=file or FILE_NAME,
        )
    file = file.resolve()
    settings = from_env(read_file(file))
    if not settings.secure or (url := links.read(settings.site_url).url).port:
        raise ConfigError("VOTEWEB_SITE_URL in %(file)s must be https:// and a host, without a port.", file=file)
    if not _HOST.fullmatch(settings.host):
        raise ConfigError("VOTEWEB_HOST in %(file)s must be a host or an address.", file=file)
    owner = file.stat()
    group = str(owner.st_gid)
    with suppress(KeyError):
        group = grp.getgrgid(owner.st_gid).gr_name
    program = Path(sys.executable).with_name("voteweb")
    site = Deployment(name, file.parent, settings, url.host, account_of(owner).pw_name, group, program)
    for path in (site.folder, site.data, program):
        if not _PLAIN.fullmatch(str(path)):
            raise ConfigError("The path %(path)s may have letters, digits and /._+@- only.", path=path)
    return site


def _refuse_hidden(site: Deployment) -> None:
    """Raise ConfigError if the units could not run the site, or would run it as root."""
    if site.user == "root":
        raise ConfigError(
            "%(folder)s belongs to root, and a site must not run as root. Give it to a user of its own: chown -R.",
            folder=site.folder,
        )
    names = ("pages_dir", "brand_dir", "redis_ca_file", "redis_certificate_file", "redis_key_file")
    read = (Path(path) for name in names if (path := getattr(site.settings, name)))
    programs = (site.program, Path(voteweb.__file__), Path(sys.base_prefix))
    for path in (site.folder, site.data, *read, *programs):
        if any(path.is_relative_to(hidden) for hidden in _HIDDEN):
            raise ConfigError(
                "%(path)s is hidden from the service, like all of %(hidden)s. Install voteweb in a folder such as "
                "/opt/voteweb, and make the site in one such as /var/lib/voteweb.",
                path=path,
                hidden=", ".join(_HIDDEN),
            )


def _refuse_name_of_another(site: Deployment, root: Path) -> None:
    """Raise ConfigError if the services of this name are those of a site in another folder."""
    unit = UNITS / f"{site.name}.service"
    folder = re.search(r"^WorkingDirectory=(.+)$", _text(_below(root, unit)), re.MULTILINE)
    if folder and folder[1] != str(site.folder):
        raise ConfigError(
            "%(unit)s runs the site in %(other)s. Give the one in %(folder)s another name (--name); if it has moved, "
            "delete that file.",
            unit=unit,
            other=folder[1],
            folder=site.folder,
        )


def _is_old_caddy() -> bool:
    """Tell whether this machine has a Caddy, and that of an old version."""
    program = shutil.which("caddy")
    if not program:
        return False
    command = [program, "version"]
    output = subprocess.run(command, capture_output=True, text=True).stdout  # nosec B603  # noqa: S603 - fixed words
    match = re.match(r"v?(\d+)\.(\d+)\.(\d+)", output)
    return match is not None and tuple(map(int, match.groups())) <= _OLD_CADDY


def _text(path: Path) -> str:
    """Return the text of the file at *path*, "" if there is none."""
    return path.read_text("utf-8") if path.exists() else ""


def _install(path: Path, text: str) -> None:
    """Write *text* to *path* for everybody to read, unless it is there; keep a former file as FILE.old."""
    if _text(path) == text:
        click.echo(f"{path} is up to date.")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(text, "utf-8")
    former = ""
    if path.exists():
        path.replace(path.with_name(f"{path.name}.old"))
        former = f"; the former file is {path.name}.old"
    draft.replace(path)
    click.echo(f"Wrote {path}{former}.")


def _below(root: Path, path: Path) -> Path:
    return root / path.relative_to("/")
