"""The least possible error: a linear program, and the clamped family."""
