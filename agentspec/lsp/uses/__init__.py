"""uses: which word of a file names what, and where that is declared. One model for definition, references and rename.

Composition and the checker find what a name means; nothing is resolved a second way here.
"""
