"""Distributions of an answer: lattice laws in logs, their transforms, smoothing by noise, integrals (THEORY §3, §4)."""
