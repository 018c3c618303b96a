"""Networks of a few nodes by listing every assignment."""
