"""Where people are and who is a friend of whom: grids, beliefs about places, and the attack on centroids (DDP §IV)."""
