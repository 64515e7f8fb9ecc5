"""Acts of moderators."""
