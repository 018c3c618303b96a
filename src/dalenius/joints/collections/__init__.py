"""Secrets that are the records of several people, or a function of them."""
