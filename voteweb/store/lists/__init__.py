"""Lists: articles, comments and members, page by page."""
