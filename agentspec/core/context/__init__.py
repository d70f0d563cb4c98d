"""context: how much of a window a request fills, and what is shown as less when it fills too much. Policies decide."""
