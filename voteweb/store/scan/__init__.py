"""Read all keys of a site in bounded steps."""
