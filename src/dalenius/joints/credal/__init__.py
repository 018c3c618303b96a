"""Beliefs that are sets of laws: every probability in an interval of its own."""
