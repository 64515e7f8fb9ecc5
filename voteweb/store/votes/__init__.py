"""Votes: cast and taken back, and the lists of those that can still be taken back."""
