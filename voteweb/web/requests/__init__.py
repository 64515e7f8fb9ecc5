"""Checks of a request before its view: host, switches and rate limits."""
