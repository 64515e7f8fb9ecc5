"""Mails: what they say, the tokens of their links, and how they are sent. The store keeps those that wait."""
