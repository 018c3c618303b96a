"""Records of which only the laws of some pairs are known."""
