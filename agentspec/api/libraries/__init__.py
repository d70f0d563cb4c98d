"""libraries: fetch, choose and lock the libraries of a project: what `agentspec lib` does."""
