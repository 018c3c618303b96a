"""Laws of pairs of records: bounds over all joint laws with these pairs."""
