"""WSGI apps that voteweb is compared with, and the server that runs them."""
