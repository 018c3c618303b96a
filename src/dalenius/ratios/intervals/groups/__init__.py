"""Independent groups each of which has a law of its own in a box."""
