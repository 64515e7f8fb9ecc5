"""The examples of the description of the API, and what asks for them, which is a program of its own."""

import importlib.util
from pathlib import Path

from tests import factories
from tests.store.test_programs import give_token
from voteweb.core.models import Right, Role
from voteweb.store import Store
from voteweb.web.api.openapi import examples

_spec = importlib.util.spec_from_file_location("examples", Path(__file__).parents[3] / ".ci/examples.py")
assert _spec is not None
assert _spec.loader is not None
script = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(script)

EXAMPLES = examples()


def make_token(store: Store, name: str, rights: tuple[Right, ...], role: Role = Role.MEMBER) -> str:
    """Return the token of a program of the member *name*."""
    return give_token(store, factories.user(store, name, role), rights)
