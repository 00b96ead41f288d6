"""`python -m rehydrate.runtime.cli` is the same as `rehydrate`."""

from __future__ import annotations

import sys

from . import main

if __name__ == "__main__":
    sys.exit(main())
