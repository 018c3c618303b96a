"""Newer papers whose methods `compare` has: what their authors' published programs print or compute, beside ours."""
