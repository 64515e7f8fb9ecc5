"""Flask as this site uses it: its app, requests and responses, addresses, and what belongs to the app."""
