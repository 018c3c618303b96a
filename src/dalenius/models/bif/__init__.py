"""Networks read from BIF files."""
