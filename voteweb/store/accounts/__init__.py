"""Accounts: members, their sessions, passwords, invitations and mails."""
