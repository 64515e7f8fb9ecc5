"""Search: words, typed queries, and an index in SQLite files that is derived from Redis and answers with ids only."""
