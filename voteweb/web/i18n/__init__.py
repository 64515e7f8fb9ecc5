"""The reader's language, and the formatting of texts, dates and numbers in it."""
