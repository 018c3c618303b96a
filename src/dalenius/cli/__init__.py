"""The commands, for those who type them: one file each, and no mathematics.

A command reads a spec, asks a room of the package for what is wanted, and prints it: as a table for people, or as JSON
with `--json`, whose keys are stable. The room that computes a number says what it means.
"""
