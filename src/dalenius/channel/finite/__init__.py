"""The channel of a record that has finitely many values."""
