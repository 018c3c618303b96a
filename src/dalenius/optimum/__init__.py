"""The mechanism of least error there is, by linear programming, and those near it for many answers."""
