"""Methods for the least error of any mechanism, by linear programming, and mechanisms near it for many answers."""
