"""Known records within independent groups."""
