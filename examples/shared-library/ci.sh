#!/bin/sh
# Fails where a change of the library would break a team's spec, or let it do more than it could at BASE.
set -eu
base=${1:-origin/main}
agentspec lib lock --frozen # the lock was written anew, and no version means something else than it did
agentspec check --strict .
agentspec test . # what each team relies on still happens
for spec in support.yaml release.yaml; do
  agentspec authority "$spec" --diff "$base" --check
done
