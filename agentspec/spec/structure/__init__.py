"""structure: whether a document has the shape of the language, and in words what is wrong where it has not."""
