"""Background knowledge of records in independent groups."""
