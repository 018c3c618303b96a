"""Theorems about independent groups of records."""
