"""``python -m bench.serve MODULE:FACTORY PORT``: a contender, served just as ``voteweb run`` serves voteweb."""

import sys

from bench.settings import HOST
from voteweb.cli.run import web_server

if __name__ == "__main__":
    target, port = sys.argv[1:]
    web_server(target, HOST, int(port), workers=1).serve()
