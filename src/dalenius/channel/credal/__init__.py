"""Channels of groups of whose law only a set is known: enclosures of the worst law."""
