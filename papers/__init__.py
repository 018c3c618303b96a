"""The figures and numbers of the papers, by the package: a folder for each paper, a script for each figure.

`python -m papers.identity.odds` draws one into build/papers, `python -m papers` all (`make papers`).
"""
