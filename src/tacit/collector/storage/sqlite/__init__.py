"""The embedded store: one SQLite file and one process, with what is asked most in memory."""
