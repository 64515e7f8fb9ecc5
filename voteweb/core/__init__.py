"""Rules and values of the product, independent of Flask and Redis."""
