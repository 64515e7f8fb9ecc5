"""docs/grow.md, followed on the Debian of docs/install.md: from the embedded database to two processes."""

import re
from collections.abc import Iterator

import pytest

from tests.deploy.bare_debian import BareDebian, roomy_folder
from tests.deploy.files import ROOT
from tests.deploy.test_install import install

PAGE = (ROOT / "docs" / "grow.md").read_text("utf-8")
(SECTION,) = re.findall(r"^## From the embedded database to two processes$(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = "".join(re.findall(r"^```\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL))
#: Stands in for systemctl, since no systemd runs: does what the units say, with their users and folders.
SYSTEMCTL = r"""#!/bin/bash
act=$1; shift
[ "$act" != daemon-reload ] || exit 0
[ "$act" != enable ] || { shift; act=start; /usr/bin/systemctl --root=/ --quiet enable "$@"; }
value() { sed -n "s/^$1=//p" "$file" | sed "s/%i/${unit#*@}/"; }
for unit in "$@"; do
  name=$(sed 's/@.*/@/' <<< "$unit") pid=/run/$unit.pid
  file=$(ls {/etc,/usr/lib}/systemd/system/$name.service 2> /dev/null | head -n 1)
  if [ $act = reload ]; then $(value ExecReload) &> /tmp/reload.log || exit; continue; fi
  if [ $act != start ] && [ -e $pid ]; then
    kill $(< $pid); while kill -0 $(< $pid) 2> /dev/null; do sleep 0.1; done; rm $pid
  fi
  [ $act != stop ] || continue
  for folder in $(value RuntimeDirectory); do install -d -o "$(value User)" "/run/$folder"; done
  cd "$(value WorkingDirectory)"
  setpriv --reuid "$(value User)" --regid "$(value Group)" --init-groups --reset-env $(value ExecStart) \
    &>> "/tmp/$unit.log" < /dev/null &
  echo $! > $pid
done
"""
#: Starts the site behind Caddy, which signs its certificate itself by a line of the operator's own.
START = """
ip link set lo up
echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start
echo 127.0.0.1 news.example >> /etc/hosts
mkdir /etc/caddy/sites/voteweb.d
echo tls internal > /etc/caddy/sites/voteweb.d/own.caddy
systemctl start voteweb caddy
curl() { command curl --silent --insecure --retry 30 --retry-all-errors --retry-delay 1 --fail "$@"; }
curl -o /dev/null https://news.example/
voteweb user create bob --password-stdin <<< 'correct horse battery'
"""
#: Shows that both processes serve one site, and the second one without the first.
LOOK = """
echo
curl http://127.0.0.1:8000/healthz http://127.0.0.1:8001/healthz
systemctl stop voteweb
curl -o /dev/null -w 'The page: %{http_code}\\n' https://news.example/u/bob
systemctl start voteweb
voteweb log
"""


@pytest.fixture
def machine() -> Iterator[BareDebian]:
    """A bare Debian 13 on which the steps of docs/install.md were done, and which knows the packages to come."""
    with roomy_folder() as folder:
        machine = BareDebian(folder / "debian", "trixie")
        install(machine)
        (machine.root / "usr" / "local" / "bin" / "systemctl").write_text(SYSTEMCTL)
        machine.run("apt-get install -y --download-only redis-server")  # the walk is in a network without others
        yield machine


@pytest.mark.heavy
def test_a_fresh_site_moves_to_redis_and_two_processes(machine: BareDebian) -> None:
    output = machine.run(f"{START}{COMMANDS}{LOOK}", isolated=True)
    assert "The proxy forwards to 127.0.0.1:8000, 127.0.0.1:8001." in output
    assert "Warning" not in output.partition("voteweb restore")[2]
    assert "The data are consistent: 0 articles, 2 members, 0 groups\nSearch" in output
    assert output.count('{"reasons":[],"status":"ok"}') == 2
    assert "The page: 200\n" in output
    assert re.search(r"command line +role +ann", output), "the log has come along"
