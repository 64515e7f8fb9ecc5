"""Conversations: their comments, visits and imports."""
