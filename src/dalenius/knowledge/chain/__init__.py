"""Background knowledge of records of a chain."""
