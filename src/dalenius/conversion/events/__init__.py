"""Pipelines described by what they do: events of an accountant, and their privacy loss distributions (Result 13.4)."""
