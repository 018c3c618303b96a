"""Laws of pairs of records: bounds over all joint laws with these pairs; tables of edges and what they add up to."""
