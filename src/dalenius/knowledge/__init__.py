"""Background knowledge: other people's records that the adversary knows besides the model."""
