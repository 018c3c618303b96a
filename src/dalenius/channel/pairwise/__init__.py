"""Channels of people of whom only the laws of pairs are known: bounds over all joint laws with these pairs."""
