"""Methods for who is absent."""
