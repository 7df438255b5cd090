"""Where reports are kept: the interface, and the embedded SQLite store."""
