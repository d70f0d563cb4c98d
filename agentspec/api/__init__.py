"""api: load, check, run, resume: the one place where the shell of a run meets the adapters."""
