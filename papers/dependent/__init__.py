"""Dependent differential privacy on real networks: the experiments of DDP done again, a file for each figure."""
