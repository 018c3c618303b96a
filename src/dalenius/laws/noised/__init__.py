"""Laws of an answer after noise."""
