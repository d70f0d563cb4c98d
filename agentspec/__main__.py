"""__main__: `python -m agentspec`, the same program as `agentspec`."""

from agentspec.cli.main import main

raise SystemExit(main())
