"""The constants that all parts of the benchmark share."""

from pathlib import Path

#: The checkout that is measured.
ROOT = Path(__file__).parent.parent
HOST = "127.0.0.1"
#: Signs the cookies of all contenders.
SECRET = "for the benchmark only, and just as long"
#: Environment variables of the apps in bench/apps: the folder of the static response, the address of the database.
STATIC_RESPONSE = "BENCH_STATIC_RESPONSE"
DATABASE_URL = "BENCH_REDIS_URL"
#: Connections that send at the same time: twice as many as the server has threads, so that it is never idle.
CONNECTIONS = 8
#: Members who vote, and the newest articles that they vote on: each pair is one vote that can be cast and taken back.
VOTERS = 40
VOTED_ON = 50
PASSWORD = "correct horse battery"
