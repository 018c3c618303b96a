"""The commands. One file each; no mathematics.

A command reads a spec, asks a room of the package for what is wanted, and prints it: as a table for people, or as JSON
with `--json`, whose keys are stable. What the numbers mean is said in the room that computes them.
"""
