"""The times of a profile: whose they are, and how functions are named."""

import pytest

from bench.constants import ROOT
from bench.tracing.function_times import Function, package_of, place_of, times_by_function

VIEW = (str(ROOT / "voteweb/web/views/votes.py"), 7, "vote")
LIBRARY = ("/venv/site-packages/flask/app.py", 1, "dispatch")
TEMPLATE = (str(ROOT / "templates/base.html"), 3, "root")
SUM, SEND = ("~", 0, "<built-in sum>"), ("~", 0, "<method 'sendall' of '_socket.socket' objects>")


def test_time_of_built_in_functions_is_their_callers_but_for_the_socket() -> None:
    profile = {
        VIEW: (2, 2, 1.0, 6.0, {}),
        SUM: (4, 4, 2.0, 2.0, {VIEW: (4, 4, 2.0, 2.0)}),
        SEND: (1, 1, 3.0, 3.0, {VIEW: (1, 1, 3.0, 3.0)}),
    }
    assert times_by_function(profile) == {VIEW: (2, 3.0, 6.0), SEND: (1, 3.0, 3.0)}


@pytest.mark.parametrize(
    ("function", "package", "place"),
    [
        (VIEW, "voteweb.web", "voteweb/web/views/votes.py:7 vote"),
        (LIBRARY, "flask", "flask/app.py:1 dispatch"),
        (TEMPLATE, "templates", "templates/base.html:3 root"),
        (SEND, "socket", SEND[2]),
    ],
)
def test_function_is_named_by_its_package_and_place(function: Function, package: str, place: str) -> None:
    assert (package_of(function), place_of(function)) == (package, place)
