"""Models, promises and noise for the secret who is absent: differential identifiability of a table with one person left
out.
"""
