"""The reads of a member's own pages, and the deletion of accounts."""
