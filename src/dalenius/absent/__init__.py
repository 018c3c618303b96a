"""Models, promises and noise for the secret who is absent: differential identifiability."""
