"""The load generators: the requests that they send and the results that they read."""

import pytest

from bench.load import wrk
from bench.load.measurement import ExpectedResponse, Request, Sample

RESULT = '{"requests": 1200, "microseconds": 2000000, "p50": 250, "p99": 9000, "errors": 3}'


def test_result_is_found_in_the_output_of_wrk() -> None:
    sample = wrk.parse_output(f"ready\nRunning 2s test @ http://127.0.0.1\n  1200 requests in 2.00s\n{RESULT}\n")
    assert sample == Sample(requests=1200, seconds=2.0, p50=0.25, p99=9.0, errors=3)
    assert sample.rate == 600


def test_wrk_without_a_result_is_an_error() -> None:
    with pytest.raises(ValueError, match="unable to connect"):
        wrk.parse_output("unable to connect to 127.0.0.1:1 Connection refused\n")


def test_requests_are_serialized_for_the_script_of_wrk() -> None:
    request = Request("/a/1/vote", "POST", {"Cookie": "a=b"}, b"next=%2F")
    head = "POST /a/1/vote HTTP/1.1\r\nHost: here:1\r\nUser-Agent: bench\r\nCookie: a=b\r\nContent-Length: 8\r\n\r\n"
    assert wrk.serialize_requests([request, request], "here:1") == f"{len(head) + 8}\n{head}next=%2F".encode() * 2


@pytest.mark.parametrize(
    ("status", "location", "is_expected"),
    [(303, "/new#a1", True), (303, "/login?next=/new", False), (200, "", False), (409, "", False)],
)
def test_redirect_to_the_login_page_is_an_error(status: int, location: str, is_expected: bool) -> None:
    assert ExpectedResponse((303,), forbidden_location="/login").matches(status, location) is is_expected
