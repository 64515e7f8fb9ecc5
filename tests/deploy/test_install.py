"""docs/install.md, followed from top to bottom on a bare Debian, as far as a machine without a public name allows."""

import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.deploy.bare_debian import BareDebian, roomy_folder
from tests.deploy.files import ROOT
from tests.terminal import converse

PAGE = (ROOT / "docs" / "install.md").read_text("utf-8")
STEPS = re.findall(r"^### \d+\. .*?^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
#: The repository stands in the folder itself: the page cannot know where it is published.
REPOSITORY = "https://git.example/voteweb.git", "/srv/voteweb.git"
PASSWORD = "correct horse"
ANSWERS = [
    ("Public address", "https://news.example"), ("Name of the site", "Ann's News"), ("Votes", ""),
    ("first admin", "ann"), ("Password", PASSWORD), ("Repeat", PASSWORD),
]  # fmt: skip
#: Starts what the installed units say, since no systemd runs: the site as its user with its settings file, and
#: Caddy with certificates of its own instead of those of a public authority.
START = r"""
ip link set lo up
echo 127.0.0.1 localhost news.example >> /etc/hosts
unit() { sed -n "s/^$1=//p" /etc/systemd/system/voteweb.service; }
(
  cd "$(unit WorkingDirectory)"
  exec setpriv --reuid "$(unit User)" --regid "$(unit Group)" --clear-groups $(unit ExecStart)
) > /tmp/site.log 2>&1 &
sed 's/^\tservers {/\tlocal_certs\n&/' /etc/caddy/Caddyfile > /etc/caddy/Caddyfile.local
caddy run --config /etc/caddy/Caddyfile.local > /tmp/caddy.log 2>&1 &
for i in $(seq 150); do curl -sf https://news.example/ > /tmp/page && break; sleep 0.2; done
cat /tmp/site.log; tail -5 /tmp/caddy.log
"""


@pytest.fixture
def machine() -> Iterator[BareDebian]:
    """A bare Debian 12."""
    with roomy_folder() as folder:
        yield BareDebian(folder / "debian")


def install(machine: BareDebian) -> None:
    """Do all steps but the last on *machine*, with the last commit of this repository."""
    git = shutil.which("git")
    assert git
    subprocess.run([git, "clone", "--quiet", "--bare", ROOT, machine.root / "srv" / "voteweb.git"], check=True)
    for step in STEPS[:-1]:
        if "voteweb init" in step:
            assert "Made the site in /var/lib/voteweb" in converse(machine.command(step), ANSWERS)
        else:
            machine.run(step.replace(*REPOSITORY))


@pytest.mark.heavy
def test_the_steps_make_an_https_site_with_an_admin(machine: BareDebian) -> None:
    install(machine)
    # systemctl enables units without a running systemd.
    wanted = machine.root / "etc" / "systemd" / "system"
    assert {file.name for file in wanted.glob("*.wants/voteweb*")} == {"voteweb.service", "voteweb-backup.timer"}
    output = machine.run(
        f'{START}\n{STEPS[-1]}\nvoteweb user role ann admin\ngrep -c "<title>.*Ann" /tmp/page', isolated=True
    )
    assert "The data are consistent: 0 articles, 1 member, 0 groups" in output
    assert re.search(r"^HTTP/\S+ 200", output, re.MULTILINE)
    assert "ann is now admin; before: admin." in output
    refusal = machine.run("! voteweb backup /root/copy.gz 2>&1")
    assert "Permission denied: /root/copy.gz (the command of root goes on as the owner of the site, voteweb)" in refusal
    # No command of root has left a file of root's.
    assert machine.run("find /var/lib/voteweb ! -user voteweb -o -perm /077 ! -path '*/data/*'") == ""
