"""Promises in the words people say them in."""
