"""What a stream of answers leaks of one person over time (Theory §9)."""
