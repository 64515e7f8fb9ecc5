"""voteweb: a social news site on Flask and Redis."""
