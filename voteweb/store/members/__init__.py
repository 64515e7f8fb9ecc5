"""What a member's own pages read, and the deletion of accounts."""
