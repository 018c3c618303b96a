"""Secrets of several people at once, and people who are in several data sets."""
