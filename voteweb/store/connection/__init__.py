"""Connections to Redis: how commands and scripts are sent, repeated and answered.

`Pipeline.queue` collects the reads of a page, and `Pipeline.execute` sends them in one round trip. `Connection.run`
sends several commands at once, `Connection.command` a single one, `Connection.script` a Lua script that writes. All of
them repeat until the deadline and end in `transport.send`.
"""
