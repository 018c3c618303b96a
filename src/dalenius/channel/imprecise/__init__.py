"""Channels over all laws of a set: enclosures of the worst of them (Theory §21)."""
