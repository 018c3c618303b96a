"""Known records of a chain."""
