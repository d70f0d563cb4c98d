"""completion: what could be written where the cursor is. The language's own models say what may stand where."""
