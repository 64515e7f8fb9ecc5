"""``voteweb deploy`` fills the files of deploy/ in for a site, and the programs accept what it installs."""

import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.certificates import Authority
from tests.deploy.files import example, with_replacements
from tests.deploy.proxies import NGINX, find_program
from tests.deploy.test_systemd import verify
from tests.helpers import needs
from tests.site_process import run_voteweb
from voteweb.cli.deploy import CADDY, Deployment, fill, templates
from voteweb.cli.main import voteweb
from voteweb.core.settings import Settings

pytestmark = pytest.mark.heavy

Deploy = Callable[..., Result]

#: Names of the examples, which no filled file has.
EXAMPLE = re.compile(
    r"news\.example|/opt/voteweb|/var/lib/voteweb|(?<!/)voteweb(?:-\w+)?\.service|voteweb@|=voteweb\b|:8000\b"
)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a site, as "voteweb init" makes it; commands run in it."""
    folder = tmp_path / "links"
    folder.mkdir()
    values = {
        "SECRET_KEY": "for tests only, and long enough",
        "SITE_URL": "https://links.example",
        "TRUSTED_PROXIES": "1",
        "DATA_DIR": str(folder / "data"),
        "PORT": "8123",
    }
    (folder / "voteweb.env").write_text("".join(f"VOTEWEB_{name}={value}\n" for name, value in values.items()))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def deploy(site: Path, tmp_path: Path) -> Deploy:
    """A function that installs the files of a kind for the site, below the folder "root"."""

    def run(kind: str, *options: str) -> Result:
        arguments = ["deploy", kind, "--name", "links", "--root", str(tmp_path / "root"), *options]
        return CliRunner().invoke(voteweb, arguments, prog_name="voteweb")

    return run


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(text)


def installed(folder: Path) -> dict[str, str]:
    """Return the text of every file below the folder "root", by path."""
    root = folder / "root"
    return {f"/{path.relative_to(root)}": path.read_text() for path in root.rglob("*") if path.is_file()}


def test_systemd_accepts_the_units_of_another_site(tmp_path: Path) -> None:
    settings = Settings(site_url="https://links.example", data_dir="/data/links", port=8123)
    site = Deployment(
        "links", Path("/srv/links"), settings, "links.example", "links", "links", Path("/bin/true")
    )  # fmt: skip
    files = {path.name: fill(template, site) for path, template in templates("systemd", site).items()}
    assert [text for text in files.values() if EXAMPLE.search(text)] == []
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    check = verify(*map(tmp_path.joinpath, files))
    assert (check.returncode, [line for line in check.stderr.splitlines() if "links" in line]) == (0, [])
    unit = files["links.service"]
    assert "\nExecStart=/bin/true --site /srv/links run\n" in unit
    assert "\nExecStart=/bin/true --site /srv/links run --port %i --further\n" in files["links@.service"]
    assert not re.search(r"^EnvironmentFile=", unit, re.MULTILINE), "root would follow a link of the site's user"
    assert "\nReadWritePaths=/srv/links /data/links\n" in unit


def test_caddy_accepts_what_is_installed_beside_other_sites(deploy: Deploy, tmp_path: Path) -> None:
    main = tmp_path / "root" / "etc" / "caddy" / "Caddyfile"
    write(main, ":80 {\n\trespond other\n}\n")
    for _ in range(2):
        result = deploy("caddy", "--install", "--upstream", "8124")
        assert result.exit_code == 0, result.output
    assert "up to date" in result.output
    assert main.read_text() == ":80 {\n\trespond other\n}\n\nimport sites/*.caddy\n"
    assert f"Bound the time of requests in {CADDY / 'Caddyfile'}" in result.output
    assert not EXAMPLE.search(installed(tmp_path)["/etc/caddy/sites/links.caddy"])
    assert_caddy_accepts(main)


def assert_caddy_accepts(file: Path) -> None:
    command = [find_program("caddy"), "validate", "--adapter", "caddyfile", "--config", str(file)]
    check = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert check.returncode == 0, check.stderr


#: The file that comes with Caddy.
WELCOME = "# Use your own domain.\n\n:80 {\n\t# The files.\n\troot * /usr/share/caddy\n\n\tfile_server\n}\n# The end.\n"


@pytest.mark.parametrize("former", ["", "import sites/*.caddy\n", WELCOME, f"{WELCOME}\nimport sites/*.caddy\n"])
def test_caddy_waits_ten_seconds_where_it_serves_nobody_else(former: str, deploy: Deploy, tmp_path: Path) -> None:
    main = tmp_path / "root" / "etc" / "caddy" / "Caddyfile"
    write(main, former)
    for _ in range(2):
        result = deploy("caddy", "--install")
        assert "Bound the time" not in result.output
    rest = former if "import" in former else f"{former}\nimport sites/*.caddy\n".lstrip()
    assert main.read_text() == f"{example('global.caddy')}\n{rest}"
    assert_caddy_accepts(main)


@pytest.mark.parametrize(
    ("version", "directive", "protocols"),
    [("v2.6.2", "buffer_requests", "h1"), ("v2.10.0 h1:x", "request_buffers 300KB", "h1 h2")],
)
def test_each_version_of_caddy_gets_its_directives(
    version: str, directive: str, protocols: str, deploy: Deploy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "caddy"
    program.write_text(f"#!/bin/sh\necho '{version}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert re.findall(r"^\t\t(\w*buffer\w*(?: 300KB)?)$", deploy("caddy").stdout, re.MULTILINE) == [directive]
    deploy("caddy", "--install")
    assert f"\t\tprotocols {protocols}\n" in installed(tmp_path)["/etc/caddy/Caddyfile"]


def test_caddy_keeps_lines_of_the_operator_in_a_file(deploy: Deploy, tmp_path: Path) -> None:
    folder = tmp_path / "root" / "etc" / "caddy"
    write(folder / "sites" / "links.d" / "own.caddy", "tls internal\n")
    for port in ("8124", "8125"):
        assert deploy("caddy", "--install", "--upstream", port).exit_code == 0
    assert (folder / "sites" / "links.d" / "own.caddy").read_text() == "tls internal\n"
    command = [find_program("caddy"), "adapt", "--config", str(folder / "Caddyfile")]
    assert '"issuers":[{"module":"internal"}]' in subprocess.run(command, capture_output=True, text=True).stdout


def test_nginx_serves_https_once_the_certificate_is_there(deploy: Deploy, tmp_path: Path) -> None:
    first = deploy("nginx", "--install", "--upstream", "8124", "--cache")
    assert first.exit_code == 0, first.output
    assert set(installed(tmp_path)) == {"/etc/nginx/conf.d/links-http.conf"}
    assert "certbot certonly --webroot --webroot-path /var/www/links --domain links.example" in first.output
    assert "deploy nginx --install --name links --upstream 8124 --cache\n" in first.output
    assert (tmp_path / "root" / "var" / "www" / "links").is_dir()

    folder = tmp_path / "root" / "etc" / "letsencrypt" / "live" / "links.example"
    folder.mkdir(parents=True)
    for file, name in zip(Authority(tmp_path).issue("links"), ("fullchain.pem", "privkey.pem"), strict=True):
        shutil.copy(file, folder / name)
    for options, is_cached in (
        ((), False),
        (("--cache",), True),
        ((), True),
        (("--no-cache",), False),
        (("--cache",), True),
    ):
        assert deploy("nginx", "--install", "--upstream", "8124", *options).exit_code == 0
        assert ("proxy_cache_path " in installed(tmp_path)["/etc/nginx/conf.d/links.conf"]) is is_cached
    texts = installed(tmp_path)
    for name in ("links.conf", "links-http.conf"):
        text = texts[f"/etc/nginx/conf.d/{name}"]
        assert not EXAMPLE.search(text)
        text = (
            text.replace("/etc/letsencrypt/", f"{tmp_path}/root/etc/letsencrypt/")
            .replace("/var/log/", f"{tmp_path}/")
            .replace("/var/cache/nginx-links", f"{tmp_path}/pages")
        )
        (tmp_path / f"voteweb-{name}").write_text(text)
    (tmp_path / "nginx").mkdir()
    write(tmp_path / "conf.d" / "links.d" / "own.conf", "set_real_ip_from 10.0.0.9;\n")
    (tmp_path / "nginx.conf").write_text(NGINX.format(folder=tmp_path))
    command = [find_program("nginx"), "-T", "-e", str(tmp_path / "log"), "-c", str(tmp_path / "nginx.conf")]
    check = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert check.returncode == 0, check.stderr
    assert "own.conf:\nset_real_ip_from 10.0.0.9;\n" in check.stdout, "lines of the operator's own count"


def test_compose_accepts_what_is_installed(deploy: Deploy, site: Path, tmp_path: Path) -> None:
    command = compose_command()
    needs(command, "docker compose, or docker-compose")
    assert "exec site voteweb user create NAME --role admin" in deploy("compose", "--install").stdout
    folder = tmp_path / "root" / site.relative_to("/")
    shutil.copy(site / "voteweb.env", folder)
    check = subprocess.run(
        [*command, "--project-name", "links", "config"], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert (check.returncode, check.stderr) == (0, "")
    assert "VOTEWEB_SITE_URL: https://links.example" in check.stdout
    assert "reverse_proxy site:8000 {" in (folder / "Caddyfile").read_text()
    assert (folder / "redis" / "redis.conf").is_file()


def test_root_follows_no_link_in_the_folder_of_another_user(site: Path, tmp_path: Path) -> None:
    needs(os.geteuid() == 0, "root")
    folder = tmp_path / "root" / site.relative_to("/")
    folder.mkdir(parents=True)
    (folder / "compose.yaml.new").symlink_to(tmp_path / "elsewhere")
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    command = ["--site", site, "deploy", "compose", "--install", "--root", tmp_path / "root"]
    assert run_voteweb(*command).status == 1
    assert not (tmp_path / "elsewhere").exists()


def compose_command() -> list[str]:
    """Return the command of Compose: docker's plugin, or a program of its own; an empty list if there is neither."""
    docker, standalone = shutil.which("docker"), shutil.which("docker-compose")
    if docker and subprocess.run([docker, "compose", "version"], capture_output=True).returncode == 0:
        return [docker, "compose"]
    return [standalone] if standalone else []


def test_a_changed_file_is_kept_beside_the_new_one(deploy: Deploy, tmp_path: Path) -> None:
    assert deploy("caddy", "--install").exit_code == 0
    file = tmp_path / "root" / "etc" / "caddy" / "sites" / "links.caddy"
    file.write_text("mine")
    assert "the former file is links.caddy.old" in deploy("caddy", "--install").output
    assert file.with_name("links.caddy.old").read_text() == "mine"
    assert file.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(
    ("kind", "name", "line"),
    [
        ("caddy", "caddy/sites/links.caddy", r"\treverse_proxy (.+) \{\n"),
        ("nginx", "nginx/conf.d/links.conf", r"    server (\S+) max_fails=0;\n"),
    ],
)
def test_further_upstreams_stay_until_others_are_named(
    kind: str, name: str, line: str, deploy: Deploy, site: Path, tmp_path: Path
) -> None:
    write(tmp_path / "root" / "etc" / "letsencrypt" / "live" / "links.example" / "fullchain.pem", "")
    file, settings = tmp_path / "root" / "etc" / name, site / "voteweb.env"

    def upstreams(*ports: str) -> str:
        options = [option for port in ports for option in ("--upstream", port)]
        assert deploy(kind, "--install", *options).exit_code == 0
        return " ".join(re.findall(line, file.read_text()))

    assert upstreams() == "127.0.0.1:8123"
    assert upstreams("8124", "8125") == "127.0.0.1:8123 127.0.0.1:8124 127.0.0.1:8125"
    file.write_text(file.read_text().replace("127.0.0.1:8125", "10.0.0.3:8123"))
    assert upstreams() == "127.0.0.1:8123 127.0.0.1:8124 10.0.0.3:8123"
    settings.write_text(settings.read_text().replace("8123", "8124"))
    assert upstreams() == "127.0.0.1:8124 127.0.0.1:8123 10.0.0.3:8123"
    assert upstreams("8124") == "127.0.0.1:8124"


@pytest.mark.parametrize(
    ("name", "text", "unknown"),
    [
        ("caddy/sites/links.caddy", "reverse_proxy 127.0.0.1:8123 http://10.0.0.2:8000 {", "http://10.0.0.2:8000"),
        ("caddy/sites/links.caddy", "reverse_proxy {\n\tto 127.0.0.1:8123 10.0.0.2\n}", "10.0.0.2"),
        ("caddy/sites/links.caddy", "reverse_proxy {\n\tdynamic srv b.example\n}", "srv, b.example"),
        ("nginx/conf.d/links.conf", "server 127.0.0.1:8123;\nserver unix:/run/v.sock;", "unix:/run/v.sock"),
        ("nginx/conf.d/links.conf", "server 127.0.0.1:8123;\nserver b.example:8001 backup;", "backup"),
    ],
)
def test_upstreams_that_would_be_lost_are_refused(
    name: str, text: str, unknown: str, deploy: Deploy, tmp_path: Path
) -> None:
    write(tmp_path / "root" / "etc" / name, text)
    result = deploy(name.partition("/")[0], "--install")
    assert f"with {unknown}, which" in result.stderr
    assert installed(tmp_path) == {f"/etc/{name}": text}
    assert deploy(name.partition("/")[0], "--install", "--upstream", "8124").exit_code == 0


def test_the_services_of_another_site_are_not_replaced(deploy: Deploy, tmp_path: Path) -> None:
    unit = tmp_path / "root" / "etc" / "systemd" / "system" / "links.service"
    write(unit, "[Service]\nWorkingDirectory=/srv/first\n")
    assert "runs the site in /srv/first" in deploy("caddy", "--install").stderr
    assert list(installed(tmp_path)) == ["/etc/systemd/system/links.service"]


@pytest.mark.parametrize(
    ("replacements", "kind", "options", "message"),
    [
        ({"https://links": "http://links"}, "caddy", (), "must be https:// and a host"),
        ({"VOTEWEB_PORT": "VOTEWEB_HOST=::1%x; include x;\nVOTEWEB_PORT"}, "nginx", (), "must be a host"),
        ({"/data\n": "/data folder\n"}, "compose", (), "may have letters, digits"),
        ({}, "systemd", (), "root|hidden from the service"),
        ({}, "caddy", ("--name", "../x"), "--name may have"),
        ({}, "caddy", ("--cache",), "--cache is for nginx"),
    ],
)
def test_a_site_that_cannot_be_deployed_is_refused(
    replacements: dict[str, str], kind: str, options: tuple[str, ...], message: str, deploy: Deploy, site: Path
) -> None:
    file = site / "voteweb.env"
    file.write_text(with_replacements(file.read_text(), replacements))
    result = deploy(kind, *options)
    assert result.exit_code in (1, 2)
    assert re.search(message, result.stderr), result.stderr
