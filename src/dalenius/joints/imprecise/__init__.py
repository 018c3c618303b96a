"""Sets of joint laws, given by intervals of their probabilities (Theory §21)."""
