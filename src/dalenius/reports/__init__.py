"""Figures and files from results."""
