"""Distributions of an answer: lattice laws in logs, their transforms, smoothing by noise, integrals (Theory §3, §4)."""
