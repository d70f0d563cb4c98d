"""limits: what a run may use, has used, and may still reserve. Arithmetic; policies decide."""
