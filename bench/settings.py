"""What all parts of the benchmark agree on."""

from pathlib import Path

#: Where the code lies that is measured.
ROOT = Path(__file__).parent.parent
HOST = "127.0.0.1"
#: Signs the cookies of all contenders.
SECRET = "for the benchmark only, and just as long"
#: Environment variables of the contenders of our own: the folder of the bare app's answer, the database.
ANSWER = "BENCH_ANSWER"
DATABASE_URL = "BENCH_REDIS_URL"
#: Connections that send at once: twice as many as the server has threads, so that it is never idle.
CONNECTIONS = 8
#: Members who vote, and the newest articles they vote on: each pair is one vote that can be cast and taken back.
VOTERS = 40
VOTED_ON = 50
PASSWORD = "correct horse battery"
