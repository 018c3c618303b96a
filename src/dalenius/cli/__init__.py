"""The commands. One file each; no mathematics."""
