"""The parts of pages: forms, lists, conversations, feeds, messages and headers."""
