"""judging: how a judge is asked whether work is done, and what its word is worth."""
