"""commands: what may be said of a command by its arguments alone. Nothing is looked up and nothing is started."""
