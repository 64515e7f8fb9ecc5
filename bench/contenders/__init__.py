"""Contenders: the servers that are compared, their requests, and the interleaved measurement of them."""
