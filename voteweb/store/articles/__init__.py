"""Articles, their groups and lists, and what search reads."""
