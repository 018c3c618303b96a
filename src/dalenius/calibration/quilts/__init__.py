"""Markov quilts."""
