"""Sites: generated stories, their import into a database, and queries on it."""
