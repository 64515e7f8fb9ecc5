"""Schemathesis sends what the description of the API allows, and what it does not, with each kind of token."""

import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests import factories
from tests.helpers import needs
from tests.site_process import SECRET, StartSite
from voteweb.cli.sample import import_sample
from voteweb.core.models import Right, Role
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.store.accounts.programs import new_token

CONFIG = Path(__file__).parent / "schemathesis.toml"
MEMBERS_RIGHTS = (Right.READ, Right.OWN, Right.VOTE, Right.POST)
#: The kinds of tokens: the member, their role, and the rights.
TOKENS = {
    "none": ("", Role.MEMBER, ()),
    "read": ("reader", Role.MEMBER, (Right.READ,)),
    "member": ("writer", Role.MEMBER, MEMBERS_RIGHTS),
    "moderator": ("sorter", Role.MODERATOR, tuple(Right)),
}
#: Seconds after which a run, which takes 25 to 75, is ended and fails.
SECONDS = 180


@pytest.mark.heavy
@pytest.mark.parametrize("kind", TOKENS)
def test_schemathesis_finds_no_fault(
    kind: str, settings: Settings, store: Store, start_site: StartSite, tmp_path: Path
) -> None:
    needs(find_spec("schemathesis"), "the extra api")
    import_sample(store, settings, time.time())
    site = start_site(**SECRET, VOTEWEB_REDIS_URL=settings.redis_url, VOTEWEB_LIMITS="0")
    options = list[str]()
    name, role, rights = TOKENS[kind]
    if name:
        token = new_token(name)
        store.programs.add(factories.user(store, name, role), token, "tests", rights, 1)
        options = ["--header", f"Authorization: Bearer {token}"]
    url = "http://{}:{}/api/openapi.json".format(*site.address)
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run", url, *options]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=SECONDS)
    assert run.returncode == 0, run.stdout + run.stderr
