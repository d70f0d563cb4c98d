"""rules: an author's rules, compiled once and read in order."""
