"""questions: what rules ask of a spec, each question answered in one place. No finding is worded here."""
