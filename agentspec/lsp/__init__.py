"""lsp: what an editor asks of a spec, answered: `agentspec lsp`. Nothing of a spec is ever run, fetched or written.

Answers are pure functions of a text and a place in it, in our own words; `wire` alone puts them into the protocol's.
"""
