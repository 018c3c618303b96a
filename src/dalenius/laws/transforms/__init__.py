"""What a model averages products of factors in: the algebras of a generating function."""
