"""Who is absent: differential identifiability, of a table with one person left out."""
