"""The constants that all parts of the benchmark share."""

from pathlib import Path

#: The checkout that is measured.
ROOT = Path(__file__).parent.parent
HOST = "127.0.0.1"
#: Signs the cookies of all contenders.
SECRET = "for the benchmark only, and just as long"
PASSWORD = "correct horse battery"
#: The environment variable with the address of the front page whose bytes the static baseline returns.
FRONT_PAGE = "BENCH_FRONT_PAGE"
#: Connections that send at the same time: twice as many as the server has threads, so that it is never idle.
CONNECTIONS = 8
#: Members who vote, and the newest articles that they vote on: each pair is one vote that can be cast and taken back.
VOTERS = 40
VOTED_ON = 50
#: Comments of the conversation whose page is measured, and characters of each.
THREAD_SIZE, THREAD_TEXT_LENGTH = 100, 300
