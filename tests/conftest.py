"""Settings that hold for every test."""

from __future__ import annotations

import os

from hypothesis import settings

# Deadlines would make results depend on the load of the machine.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
