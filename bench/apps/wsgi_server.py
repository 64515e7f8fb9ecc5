"""Serve an app as ``voteweb run`` serves voteweb: ``python -m bench.apps.wsgi_server MODULE:FACTORY PORT``."""

import sys

from bench.constants import HOST
from voteweb.cli.run import web_server

if __name__ == "__main__":
    target, port = sys.argv[1:]
    web_server(target, HOST, int(port), workers=1).serve()
