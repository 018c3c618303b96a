"""Disjoint independent groups of records, many of them exchangeable."""
