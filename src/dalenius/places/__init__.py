"""Places of people and their friendships: grids, beliefs about places, and the attack on centroids (DDP §IV)."""
