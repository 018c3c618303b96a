"""Sentences with a key and parts, and the table of them in each language: `en.toml`, `de.toml`, .."""
