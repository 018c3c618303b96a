"""How likely outputs are that leak much: laws of what an output leaks."""
