"""The channel of who is absent."""
