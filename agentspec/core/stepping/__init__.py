"""stepping: the parts of one step: a fact is taken in, the run says what it wants, and what passes becomes an order."""
