"""The schema: keys, nouns, values, and the places of each thing."""
