"""The access log and the metrics of requests."""
