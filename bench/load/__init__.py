"""Load generators: send HTTP requests to a server and return a sample of its responses."""
