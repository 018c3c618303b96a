"""Differential privacy for dependent records as published: the dependent sensitivity over a table of edges."""
