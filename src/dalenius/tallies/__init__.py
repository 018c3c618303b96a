"""A table's counts, and its answers without each person."""
