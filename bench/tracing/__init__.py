"""Tracing: the commands that a request sends to Redis, and how long each blocks it."""
