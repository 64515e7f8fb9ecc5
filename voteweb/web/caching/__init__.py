"""What is kept of pages, for readers and members, and the own parts of viewers that are put in."""
