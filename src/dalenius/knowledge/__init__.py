"""What an adversary may know of other people's records besides the model."""
